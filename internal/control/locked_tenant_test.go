package control_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"understudy.example/internal/server/servertest"
)

// TestCallsOfALockedTenantDelayNoOther makes calls that change a tenant while its row is locked, as
// by a long reset. They must not hold connections while they wait, because calls of other
// tenants need them.
func TestCallsOfALockedTenantDelayNoOther(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	lock := s.Lock("select from tenants where name = $1 for update", tenant.Name)
	calls := slices.Repeat([]struct{ line, body string }{
		{"POST /faults", `{"route":"*","times":1}`},
		{"PUT /outcomes", `{"match":{"filename":"a.txt"},"status":"Failed"}`},
		{"PATCH /settings", `{"rate_limit":5}`},
		{"POST /clients/" + tenant.Credentials.ClientID + "/rotate", ``},
		{"POST /api-keys", ``},
	}, 2)
	var calling sync.WaitGroup
	for _, call := range calls {
		calling.Go(func() {
			if got := tenant.Control(call.line, call.body); got.Status != http.StatusOK && got.Status != http.StatusCreated {
				t.Errorf("%s: %d %s", call.line, got.Status, got.Body)
			}
		})
	}
	servertest.Until(t, "all calls have begun", func() bool { return s.App.Requests.InFlight() == len(calls) })
	other := s.Tenant("globex")
	for range 20 {
		other.Control("POST /faults", `{"route":"*","times":1}`).Want(t, http.StatusCreated)
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	calling.Wait()
}
