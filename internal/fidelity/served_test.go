package fidelity_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/server/servertest"
)

func TestControlAPIServesTheTable(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, documents: the labels of fidelity")
	s := servertest.New(t)
	served := s.Control("GET /fidelity", "").Want(t, http.StatusOK)
	for part, want := range map[string]int{
		"operations": len(fidelity.All.Operations), "fields": len(fidelity.All.Fields), "behaviours": len(fidelity.All.Behaviours),
	} {
		if got := len(served.Get(t, part).([]any)); got != want {
			t.Errorf("%d %s, want %d", got, part, want)
		}
	}
}

// TestJournalLabelsCalls checks that the label of a call depends on its request and
// its response, and that a call on which a fault acted has none.
func TestJournalLabelsCalls(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	tenant.Announce("a.txt")
	tenant.Status("none")
	tenant.Fault(`{"route":"*","status":503,"times":1}`)
	tenant.Status("none")
	for _, body := range []string{
		`{}`,
		`{"url":"https://example.com","header":"none"}`,
		`{"url":"ftp://example.com"}`,
		`{"url":"","header":"none"}`,
	} {
		tenant.Do("POST /hooks", body).Want(t, http.StatusUnprocessableEntity)
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {tenant.Credentials.ClientID}, "client_secret": {tenant.Credentials.ClientSecret}}
	urlencoded := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	token := s.Do(servertest.Call{Line: "POST /auth/token", Header: urlencoded, Body: form.Encode()}).Want(t, http.StatusOK)
	form.Set("grant_type", "refresh_token")
	form.Set("refresh_token", token.Text(t, "refresh_token"))
	s.Do(servertest.Call{Line: "POST /auth/token", Header: urlencoded, Body: form.Encode()}).Want(t, http.StatusOK)

	var labels []string
	for _, call := range tenant.Control("GET /requests", "").Want(t, http.StatusOK).Get(t, "requests").([]any) {
		entry := call.(map[string]any)
		labels = append(labels, fmt.Sprint(entry["status"], " ", entry["fidelity"]))
	}
	want := []string{
		"200 chosen", "200 public", // tokens: by refresh token, by form fields
		"422 chosen", "422 chosen", // two errors at once, another URL scheme
		"422 stated", "422 stated", // the header, no URL
		"503 <nil>", "404 chosen", "200 stated",
		"200 stated", // the token of NewTenant
	}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels, newest call first (- want, + got):\n%s", diff)
	}
}
