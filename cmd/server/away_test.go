package main

import (
	"net/http"
	"testing"
	"time"

	"understudy.example/internal/auth"
)

// TestDatabaseAway: without its database the server says so, and never that a
// caller is unknown; once the database is back, so is the server.
func TestDatabaseAway(t *testing.T) {
	var way line
	w := newWorld(t, way.through(t))
	acme := w.acme()
	txID, url := acme.announce("a.txt")
	w.upload(url, "a.txt", []byte("first")).want(t, http.StatusOK)
	const away = `{"message":"Service Unavailable"}`

	kind, body := form(t, part{"file", "a.txt", []byte("second")})
	for _, remembered := range []bool{true, false} {
		if !remembered {
			w.pass(time.Minute) // by now the client must be read again
		}
		way.cut.Store(true)
		for _, e := range endpoints {
			got := w.do(call{line: e.line, body: e.body, token: acme.token, key: acme.key}).want(t, http.StatusServiceUnavailable, away)
			if got.Header.Get("Retry-After") == "" {
				t.Errorf("%s: no Retry-After", e.line)
			}
		}
		files := w.stored()
		w.do(call{line: "PUT " + url, header: map[string]string{"Content-Type": kind}, body: body}).want(t, http.StatusServiceUnavailable, away)
		acme.submitFile("v3", "a.txt", letter).want(t, http.StatusServiceUnavailable, away)
		if after := w.stored(); len(after) != len(files) {
			t.Errorf("files %v", after)
		}
		if !remembered {
			got := w.do(call{line: granting, header: header(basicAuth("acme-client", "acme-secret"), "")}).want(t, http.StatusServiceUnavailable)
			if got.text(t, "error") != "temporarily_unavailable" || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Retry-After") == "" {
				t.Errorf("token: %v %s", got.Header, got.Body)
			}
			// Nor are wrong credentials judged.
			w.do(call{line: granting, header: header(basicAuth("acme-client", "wrong"), "")}).want(t, http.StatusServiceUnavailable)
		}
		// Without a database a refusal is still one.
		w.do(call{line: "POST /nothing"}).want(t, http.StatusForbidden)
		w.do(call{line: endpoints[0].line}).want(t, http.StatusUnauthorized)
		w.do(call{line: "GET /readyz"}).want(t, http.StatusServiceUnavailable)
		w.do(call{line: "GET /livez"}).want(t, http.StatusOK)
		way.cut.Store(false)
		w.do(call{line: "GET /readyz"}).want(t, http.StatusOK)
		acme.status(txID).want(t, http.StatusOK)
	}
	w.token(auth.Demos[0])
	acme.trigger(txID).want(t, http.StatusOK)
}
