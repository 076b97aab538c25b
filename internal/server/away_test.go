package server_test

import (
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
)

// TestDatabaseAway: without its database the server says so, and never that a
// caller is unknown; once the database is back, so is the server.
func TestDatabaseAway(t *testing.T) {
	var outage servertest.Outage
	w := servertest.New(t, outage.Option(t))
	acme := w.Acme()
	txID, url := acme.Announce("a.txt")
	w.Upload(url, "a.txt", []byte("first")).Want(t, http.StatusOK)
	const away = `{"message":"Service Unavailable"}`

	kind, body := servertest.Form(t, servertest.Part{"file", "a.txt", []byte("second")})
	for _, remembered := range []bool{true, false} {
		if !remembered {
			w.Pass(time.Minute) // by now the client must be read again
		}
		outage.Active.Store(true)
		for _, e := range endpoints {
			got := w.Do(servertest.Call{Line: e.line, Body: e.body, Token: acme.Token, Key: acme.Key}).Want(t, http.StatusServiceUnavailable, away)
			if got.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", e.line)
			}
		}
		files := w.StoredFiles()
		w.Do(servertest.Call{Line: "PUT " + url, Header: map[string]string{"Content-Type": kind}, Body: body}).Want(t, http.StatusServiceUnavailable, away)
		acme.submitFile("v3", "a.txt", servertest.Letter).Want(t, http.StatusServiceUnavailable, away)
		if after := w.StoredFiles(); len(after) != len(files) {
			t.Errorf("files %v", after)
		}
		if !remembered {
			got := w.Do(servertest.Call{Line: granting, Header: header(servertest.Basic("acme-client", "acme-secret"), "")}).Want(t, http.StatusServiceUnavailable)
			if got.Text(t, "error") != "temporarily_unavailable" || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Retry-After") == "" {
				t.Errorf("token: %v %s", got.Header, got.Body)
			}
			// Nor are wrong credentials judged.
			w.Do(servertest.Call{Line: granting, Header: header(servertest.Basic("acme-client", "wrong"), "")}).Want(t, http.StatusServiceUnavailable)
		}
		// Without a database a refusal is still one.
		w.Do(servertest.Call{Line: "POST /nothing"}).Want(t, http.StatusForbidden)
		w.Do(servertest.Call{Line: endpoints[0].line}).Want(t, http.StatusUnauthorized)
		w.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusServiceUnavailable)
		w.Do(servertest.Call{Line: "GET /livez"}).Want(t, http.StatusOK)
		outage.Active.Store(false)
		w.Do(servertest.Call{Line: "GET /readyz"}).Want(t, http.StatusOK)
		acme.Status(txID).Want(t, http.StatusOK)
	}
	w.NewToken(auth.Demos[0])
	acme.Trigger(txID).Want(t, http.StatusOK)
}
