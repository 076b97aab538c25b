package server_test

import (
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// TestDatabaseOutage checks that a server without its database says so in every
// response, never that a caller is unknown, and that it works again when the
// database is back.
func TestDatabaseOutage(t *testing.T) {
	servertest.Proves(t,
		"Chosen, token endpoint: no database: 503, never 401",
		"Chosen, bearer token and API key: no database: 503 with Retry-After")
	var outage servertest.Outage
	s := servertest.New(t, outage.Option(t))
	acme := s.Acme()
	txID, url := acme.Announce("a.txt")
	s.Upload(url, "a.txt", []byte("first")).Want(t, http.StatusOK)
	const unavailable = `{"message":"Service Unavailable"}`
	getToken := func(secret string) servertest.Response {
		return s.Do(servertest.Call{Line: servertest.GetToken, Header: map[string]string{"Authorization": servertest.Basic("acme-client", secret)}})
	}
	for _, cached := range []bool{true, false} {
		if !cached {
			s.Pass(time.Minute) // the client has to be read again
		}
		outage.Active.Store(true)
		files := s.StoredFiles()
		for _, rt := range servertest.Gated(route.Message) {
			if cached && rt.Operation == route.NotImplemented {
				continue // it reads nothing
			}
			call := servertest.Sample(t, rt)
			call.Token, call.Key = acme.Token, acme.Key
			got := s.Do(call).Want(t, http.StatusServiceUnavailable, unavailable)
			if got.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", call.Line)
			}
		}
		for _, rt := range servertest.Gated(route.Hooks) {
			call := servertest.Sample(t, rt)
			call.Token = acme.Token
			got := s.Do(call).Want(t, http.StatusServiceUnavailable, `{"status":503,"error":"Service Unavailable"}`)
			if got.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", call.Line)
			}
		}
		s.Upload(url, "a.txt", []byte("second")).Want(t, http.StatusServiceUnavailable, unavailable)
		if after := s.StoredFiles(); len(after) != len(files) {
			t.Errorf("%d files, want %d", len(after), len(files))
		}
		if !cached {
			got := getToken("acme-secret").Want(t, http.StatusServiceUnavailable)
			if got.Text(t, "error") != "temporarily_unavailable" || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Retry-After") == "" {
				t.Errorf("token: %v %s", got.Header, got.Body)
			}
			getToken("wrong").Want(t, http.StatusServiceUnavailable) // it cannot be checked
		}
		// Refusals that need no database stay refusals.
		s.Do(servertest.Call{Line: "POST /nothing"}).Want(t, http.StatusForbidden)
		s.Do(servertest.Call{Line: servertest.GetUploadURL}).Want(t, http.StatusUnauthorized)
		s.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusServiceUnavailable)
		s.Do(servertest.Call{Line: "GET /livez"}).Want(t, http.StatusOK)

		outage.Active.Store(false)
		s.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
		acme.Status(txID).Want(t, http.StatusOK)
	}
	s.NewToken(seed.Demos()[0])
	acme.Trigger(txID).Want(t, http.StatusOK)
}
