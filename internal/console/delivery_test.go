package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// TestDeliveriesAreNoForms checks that a client of the API cannot use the forms of the
// console, and so the control API, by subscribing their URLs: neither with a query that a
// form would have, nor with event data that can be read as a form.
func TestDeliveriesAreNoForms(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	attacker, victim := s.NewTenant(`{}`), s.NewNamedTenant("victim", `{}`)
	victim.Do("POST /hooks", `{"url":"http://127.0.0.1:9/a","events":["*"]}`).Want(t, http.StatusCreated)
	origin := strings.TrimSuffix(s.ControlURL, route.ControlBase)
	paths := []string{"/call/tenants/victim/reset", "/call/tenants/victim?_method=DELETE", "/call/tenants/victim/api-keys", "/call/tenants/victim/clients", "/sign-in"}
	for _, path := range paths {
		attacker.Do("POST /hooks", fmt.Sprintf(`{"url":%q,"events":["company_submit"],"active":true}`, origin+path)).Want(t, http.StatusCreated)
	}
	state := func() string {
		return victim.Control("GET /api-keys", "").Want(t, http.StatusOK).Body + victim.Control("GET /clients", "").Want(t, http.StatusOK).Body + victim.Do("GET /hooks", "").Want(t, http.StatusOK).Body
	}
	before := state()
	attacker.Do("POST /company/v1/company_submit", `{"company_name":"x&key=evilkey&client_id=evil&client_secret=evil-secret-123456&_y=","address":"12 Mill Street"}`).Want(t, http.StatusOK)
	servertest.Until(t, "every delivery is refused", func() bool {
		return servertest.Value[int](s, "select count(*) from attempts where status = 403") >= len(paths)
	})
	if after := state(); after != before {
		t.Errorf("the victim had\n%s\nand has\n%s", before, after)
	}

	// The console reads no JSON as a form either.
	for _, path := range paths {
		response, err := http.Post(origin+path, "application/json", strings.NewReader(`{"a":"x&key=evilkey&_y="}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusUnsupportedMediaType {
			t.Errorf("POST %s with JSON: %d, want 415", path, response.StatusCode)
		}
	}
	if after := state(); after != before {
		t.Errorf("the victim had\n%s\nand has\n%s", before, after)
	}
}
