package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/control"
)

// desk is the control API as it is used for one tenant, on a world whose
// background steps run only when the test says. Every answer is checked against
// the control API's document.
type desk struct {
	*world
	url    string // of the control listener
	client *http.Client
	tenant string
}

// newDesk starts a server with both listeners.
func newDesk(t *testing.T, tenant string, change ...func(*parts)) desk {
	var shared *parts
	w := newWorld(t, append(change, func(p *parts) { shared = p })...)
	server := httptest.NewServer(controlRoutes(*shared))
	t.Cleanup(server.Close)
	t.Cleanup(w.observer.hub.Close) // first, since the server waits for its streams
	return desk{
		world: w, url: server.URL, tenant: tenant,
		client: &http.Client{Transport: apitest.New(t, control.Document).Transport(t, http.DefaultTransport)},
	}
}

// of is the desk of another tenant.
func (d desk) of(tenant string) desk {
	d.tenant = tenant
	return d
}

// at is the URL of a path below the tenant's.
func (d desk) at(path string) string { return d.url + controlBase + "/tenants/" + d.tenant + path }

// ask makes a control call: a method and a path below the tenant's.
func (d desk) ask(method, path, body string) answer {
	d.t.Helper()
	return d.doBy(d.client, call{line: method + " " + d.at(path), body: body})
}

// fault orders one and returns its id.
func (d desk) fault(body string) string {
	d.t.Helper()
	return d.ask("POST", "/faults", body).want(d.t, http.StatusCreated).text(d.t, "id")
}

// journal returns the tenant's calls that the query asks for, newest first.
func (d desk) journal(query string) []journaled {
	d.t.Helper()
	var page struct{ Requests []journaled }
	got := d.ask("GET", "/requests?"+query, "").want(d.t, http.StatusOK)
	if err := json.Unmarshal([]byte(got.Body), &page); err != nil {
		d.t.Fatal(err)
	}
	return page.Requests
}

// journaled is a call as the journal shows it.
type journaled struct {
	ID, Method, Path, Route string
	Status                  *int
	TxID                    string `json:"tx_id"`
	ClientID                string `json:"client_id"`
	ExpiredToken            bool   `json:"expired_token"`
	Faults                  []string
	Request, Response       struct {
		Headers   http.Header
		Body      string
		Size      int64
		Truncated bool
		File      *struct {
			Name, SHA256 string
			ContentType  string `json:"content_type"`
		}
	}
}

// exec runs a statement in the server's database.
func (d desk) exec(statement string, args ...any) {
	d.t.Helper()
	if _, err := d.db.Exec(d.t.Context(), statement, args...); err != nil {
		d.t.Fatal(err)
	}
}

// plain makes a call as the client, whose answer is not held to the document:
// a fault's need not be documented.
func (c caller) plain(line, body string) answer {
	c.t.Helper()
	return c.world.doBy(http.DefaultClient, call{line: line, token: c.token, key: c.key, body: body})
}
