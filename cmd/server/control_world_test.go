package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/auth"
	"understudy.example/internal/control"
	"understudy.example/internal/hooks"
)

// controlWorld is a world with a control listener, whose background steps run
// by themselves. Its real time moves only as the test says, so that every
// moment is exact.
type controlWorld struct {
	*world
	controlURL    string
	controlClient *http.Client
}

// newControlWorld starts a server with both listeners.
func newControlWorld(t *testing.T, change ...func(*parts)) *controlWorld {
	work := &workers{}
	var dispatcher *hooks.Dispatcher
	var shared *parts
	w := newWorld(t, append([]func(*parts){func(p *parts) {
		dispatcher = hooks.NewDispatcher(p.db.(*pgxpool.Pool), "sandbox", p.seal, p.sender, p.gate.Now)
		p.wake = func() {
			work.Wake()
			dispatcher.Wake()
		}
		shared = p
	}}, change...)...)
	var err error
	if shared.apiURL, err = url.Parse(w.url); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(controlRoutes(*shared))
	t.Cleanup(server.Close)
	ctx, stop := context.WithCancel(context.Background())
	startWork(ctx, *shared, work, dispatcher)
	t.Cleanup(func() {
		stop()
		work.Wait(context.Background())
	})
	return &controlWorld{
		world:         w,
		controlURL:    server.URL + controlBase,
		controlClient: &http.Client{Transport: apitest.New(t, control.Document).Transport(t, http.DefaultTransport)},
	}
}

// control makes a call of the control API: "POST /tenants", with a JSON body.
func (w *controlWorld) control(line, body string) answer {
	w.t.Helper()
	return w.controlCall(w.t, w.controlClient, line, body, nil)
}

// controlCall makes a call with headers of its own; a Host is one of them.
func (w *controlWorld) controlCall(t testing.TB, client *http.Client, line, body string, header map[string]string) answer {
	t.Helper()
	method, path, _ := strings.Cut(line, " ")
	request, err := http.NewRequest(method, w.controlURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	request.Host = header["Host"]
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// tenant is a tenant that a test made, and calls as its client.
type tenant struct {
	caller
	*controlWorld
	name     string
	client   auth.Demo
	company  string // data package
	location string // data package
}

// tenant makes one with the given settings, as JSON.
func (w *controlWorld) tenant(settings string) *tenant {
	w.t.Helper()
	made := w.control("POST /tenants", `{"settings":`+settings+`}`).want(w.t, http.StatusCreated)
	of := &tenant{
		controlWorld: w,
		name:         made.text(w.t, "name"),
		client: auth.Demo{
			ClientID:     made.text(w.t, "client_id"),
			ClientSecret: made.text(w.t, "client_secret"),
			APIKey:       made.text(w.t, "api_key"),
		},
		company:  made.text(w.t, "company_package_id"),
		location: made.text(w.t, "location_package_id"),
	}
	of.caller = w.login(of.client)
	return of
}

// ask makes a control call for the tenant: "GET /clock".
func (t *tenant) ask(line, body string) answer {
	t.controlWorld.t.Helper()
	method, path, _ := strings.Cut(line, " ")
	return t.control(method+" /tenants/"+t.name+path, body)
}

// advance moves the tenant's clock and returns what happened.
func (t *tenant) advance(by string) []effect {
	t.controlWorld.t.Helper()
	moved := t.ask("POST /clock", `{"advance":"`+by+`"}`).want(t.controlWorld.t, http.StatusOK)
	var body struct{ Effects []effect }
	if err := json.Unmarshal([]byte(moved.Body), &body); err != nil {
		t.controlWorld.t.Fatal(err)
	}
	return body.Effects
}

// effect is what a move of a clock tells.
type effect struct {
	Kind   string
	At     string
	TxID   string `json:"tx_id"`
	Status string
	What   string

	ClientID string `json:"client_id"`
}

// send takes a file through announce, upload and trigger.
func (t *tenant) send(filename, content string) (txID string) {
	t.controlWorld.t.Helper()
	txID, url := t.announce(filename)
	t.controlWorld.upload(url, filename, []byte(content)).want(t.controlWorld.t, http.StatusOK)
	t.trigger(txID).want(t.controlWorld.t, http.StatusOK)
	return txID
}

// await asks for the status until it is final.
func (t *tenant) await(txID string) answer {
	t.controlWorld.t.Helper()
	for pause := 5 * time.Millisecond; pause < time.Minute; pause += pause / 4 {
		got := t.caller.status(txID).want(t.controlWorld.t, http.StatusOK)
		switch got.text(t.controlWorld.t, "status") {
		case "Completed", "Failed", "Succeeded":
			return got
		}
		time.Sleep(pause)
	}
	t.controlWorld.t.Fatalf("%s has no end", txID)
	return answer{}
}

// shown is a tenant's time as answers show it, so long after the world's.
func (w *controlWorld) shown(after time.Duration) string {
	return w.Now().Add(after).Format("2006-01-02T15:04:05.000000") + "+00:00"
}
