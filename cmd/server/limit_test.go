package main

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	tooMany      = `{"message":"Too Many Requests"}`
	hooksTooMany = `{"status":429,"error":"Too Many Requests"}`
)

// limited wants the call to be refused, and to be told to wait this long.
func (w *world) limited(t *testing.T, c call, body string, seconds int) {
	t.Helper()
	got := w.refused(t, c, http.StatusTooManyRequests, body)
	if wait := got.Header.Get("Retry-After"); wait != strconv.Itoa(seconds) {
		t.Errorf("%s: Retry-After %q, want %d", c.line, wait, seconds)
	}
}

// TestRateLimitPerKey: who calls with one API key shares its rate; another key
// has its own, and so have the webhook endpoints, which ask for none.
func TestRateLimitPerKey(t *testing.T) {
	w := newWorld(t)
	// A second key for acme.
	w.exec("update api_keys set tenant_id = (select id from tenants where name = 'acme') where tenant_id = (select id from tenants where name = 'globex')")
	w.settings("acme", `{"rate_limit":2}`)
	acme, companyOnly, globex := w.acme(), w.login(demoOf("acme-company-client")), w.globex()
	const body = `{"company_name":"A","address":"B"}`
	company := call{line: companySubmit, token: acme.token, key: "acme-api-key", body: body}
	w.do(company).want(t, http.StatusOK)
	companyOnly.do(companySubmit, body).want(t, http.StatusOK)
	w.limited(t, company, tooMany, 1)
	w.limited(t, call{line: companySubmit, token: companyOnly.token, key: "acme-api-key", body: body}, tooMany, 1)

	second := company
	second.key = "globex-api-key"
	w.do(second).want(t, http.StatusOK)
	w.do(second).want(t, http.StatusOK)
	w.limited(t, second, tooMany, 1)

	hooks := call{line: "GET /hooks", token: acme.token}
	w.do(hooks).want(t, http.StatusOK)
	w.do(hooks).want(t, http.StatusOK)
	w.limited(t, hooks, hooksTooMany, 1)

	w.do(call{line: "GET /hooks", token: globex.token}).want(t, http.StatusOK)
	for range 5 {
		w.token(demoOf("acme-client")) // the token endpoint has no limit
	}
}

// TestRateLimitOrder: after the API key, before the body; what is refused
// before it costs nothing, what is refused after it counts.
func TestRateLimitOrder(t *testing.T) {
	w := newWorld(t)
	w.settings("acme", `{"rate_limit":1}`)
	acme, companyOnly := w.acme(), w.login(demoOf("acme-company-client"))
	for _, line := range []string{
		uploadURL, "POST /universal/v4/universal-submit/file-upload-url", "POST /universal/v3/universal-submit/file", "GET /data/v5/nothing/" + absent,
		"GET /universal/v1/universal-submit/status/" + absent, companySubmit, "POST /company/v1/quick_submit",
		"POST /location/v1/location_submit", "GET /audit/v1/report/x",
	} {
		w.pass(time.Minute)
		good := call{line: line, token: acme.token, key: acme.key, body: "{"}
		for range 3 {
			c := good
			c.token = ""
			w.do(c).want(t, http.StatusUnauthorized)
			if line != companySubmit && line != "POST /company/v1/quick_submit" {
				c.token = companyOnly.token
				w.do(c).want(t, http.StatusForbidden, notPermitted)
			}
			c = good
			c.key = "globex-api-key"
			w.do(c).want(t, http.StatusForbidden, forbidden)
		}
		if got := w.do(good); got.Status == http.StatusTooManyRequests || got.Status < 400 {
			t.Errorf("%s: %d %s", line, got.Status, got.Body)
		}
		w.limited(t, good, tooMany, 1)
		good.key = "globex-api-key"
		w.do(good).want(t, http.StatusForbidden, forbidden)
	}
}

// TestRateLimitIsExact: who waits as told is let through, who doesn't is not;
// of many at once as many pass as may.
func TestRateLimitIsExact(t *testing.T) {
	w := newControlWorld(t)
	x := w.tenant(`{"rate_limit":0.25}`)
	status := call{line: "GET /universal/v2/universal-submit/status/" + absent, token: x.token, key: x.key}
	found := func(c call) { t.Helper(); w.do(c).want(t, http.StatusNotFound) }
	found(status)
	w.limited(t, status, tooMany, 4)
	w.pass(time.Second)
	w.limited(t, status, tooMany, 3)
	x.advance("2999ms") // the tenant's clock counts
	w.limited(t, status, tooMany, 1)
	x.advance("1ms")
	found(status)
	w.limited(t, status, tooMany, 4)

	// A new rate acts at once, and none is none.
	x.ask("PATCH /settings", `{"rate_limit":0}`).want(t, http.StatusOK)
	for range 20 {
		found(status)
	}
	x.ask("PATCH /settings", `{"rate_limit":7}`).want(t, http.StatusOK)
	x.advance("1m")
	var passed atomic.Int32
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			request, err := http.NewRequest(http.MethodGet, w.url+status.line[len("GET "):], nil)
			if err != nil {
				t.Error(err)
				return
			}
			request.Header = http.Header{"Authorization": {"Bearer " + x.token}, "X-Api-Key": {x.key}}
			got, err := try(w.client, request)
			if err != nil || got.Status != http.StatusNotFound && got.Status != http.StatusTooManyRequests {
				t.Errorf("%d %s, %v", got.Status, got.Body, err)
			}
			if got.Status == http.StatusNotFound {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	if passed.Load() != 7 {
		t.Errorf("%d of 40 passed, want 7", passed.Load())
	}
	// A clock that a reset set back makes nobody wait.
	x.ask("POST /reset", "").want(t, http.StatusOK)
	x.ask("PATCH /settings", `{"rate_limit":1}`).want(t, http.StatusOK)
	found(status)
	w.limited(t, status, tooMany, 1)
}
