//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"understudy.example/internal/server/servertest"
)

// tenant is a tenant that the control API has acknowledged.
type tenant struct {
	Name           string `json:"name"`
	ClientID       string `json:"client_id"`
	ClientSecret   string `json:"client_secret"`
	APIKey         string `json:"api_key"`
	CompanyPackage string `json:"company_package_id"`

	apiKey   string
	frozen   bool // its clock is frozen, and a client moves it
	deleting bool // a client has begun to delete it
	deleted  bool

	mu           sync.Mutex
	token        string
	clock        string // the clock's response to the last acknowledged move
	subscription string // the last acknowledged response about the second subscription
	changing     bool   // a client has begun to change that subscription
}

func (t *tenant) accessToken() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token
}

// makeTenant makes a tenant with the settings, as JSON, and logs its client in.
func (c *client) makeTenant(ctx context.Context, settings string) (*tenant, bool) {
	made, ok := c.do(ctx, call{kind: "make a tenant", point: makingOne, line: "POST /tenants", control: true, body: `{"settings":` + settings + `}`})
	if !ok {
		return nil, false
	}
	t := &tenant{}
	if err := json.Unmarshal([]byte(made.Body), t); err != nil {
		c.journal.fail(badResponse, "", "make a tenant: %v", err)
		return nil, false
	}
	t.apiKey = t.APIKey
	c.journal.write(t.Name, "make a tenant: %s", made.Body)
	return t, c.login(ctx, t)
}

// login gets an access token for the tenant.
func (c *client) login(ctx context.Context, t *tenant) bool {
	asTenant := *c
	asTenant.tenant = t
	response, ok := asTenant.do(ctx, call{
		kind: "log in", key: t.Name, line: servertest.GetToken,
		header: map[string]string{"Authorization": servertest.Basic(t.ClientID, t.ClientSecret)},
	})
	if !ok {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token = text(response, "access_token")
	return true
}

// text returns the string with the key in the response's JSON.
func text(response servertest.Response, key string) string {
	var body map[string]any
	json.Unmarshal([]byte(response.Body), &body)
	value, _ := body[key].(string)
	return value
}

// Pacings of the tenants.
const (
	immediate = `{"pacing":{"mode":"immediate"}}`
	quick     = `{"pacing":{"mode":"timed","scheduled":"100ms","started":"100ms","finished":"200ms"}}`
	slow      = `{"pacing":{"mode":"timed","scheduled":"1m","started":"1m","finished":"2m"}}`
)

// addTenants makes the tenants of the run: one without waits, one with short waits, and
// one with a frozen clock. Each has a subscription to all its events.
func (r *run) addTenants() {
	r.t.Helper()
	ctx := r.t.Context()
	c := &client{run: r, random: r.newRandom(1)}
	for _, settings := range []string{immediate, quick, slow} {
		t, ok := c.makeTenant(ctx, settings)
		if !ok {
			r.t.Fatal(r.journal.report())
		}
		c.tenant = t
		t.frozen = settings == slow
		if t.frozen {
			_, ok = c.do(ctx, call{kind: "freeze the clock", key: t.Name, line: "POST /tenants/" + t.Name + "/clock", control: true, body: `{"frozen":true}`})
		}
		if !ok || !c.subscribe(ctx, r.receiver.URL+"/"+t.Name, "*") {
			r.t.Fatal(r.journal.report())
		}
		if second, ok := c.createSubscription(ctx, r.receiver.URL+"/second", "quote_request"); ok {
			t.subscription = second
		}
		r.tenants = append(r.tenants, t)
	}
}

func (c *client) subscribe(ctx context.Context, url, event string) bool {
	_, ok := c.createSubscription(ctx, url, event)
	return ok
}

// createSubscription creates an active subscription and returns the response's body.
func (c *client) createSubscription(ctx context.Context, url, event string) (body string, ok bool) {
	response, ok := c.do(ctx, call{
		kind: "subscribe", point: subscribing, key: c.tenant.Name, line: "POST /hooks",
		body: fmt.Sprintf(`{"url":%q,"active":true,"events":[%q],"secret":%q}`, url, event, hookSecret),
	})
	return response.Body, ok
}
