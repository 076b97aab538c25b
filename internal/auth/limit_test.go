package auth_test

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

const (
	tooMany      = `{"message":"Too Many Requests"}`
	hooksTooMany = `{"status":429,"error":"Too Many Requests"}`
)

// limited wants the call to be refused, and to be told to wait this long.
func (w *servertest.Server) limited(t *testing.T, c call, body string, seconds int) {
	t.Helper()
	got := w.refused(t, c, http.StatusTooManyRequests, body)
	if wait := got.Header.Get("Retry-After"); wait != strconv.Itoa(seconds) {
		t.Errorf("%s: Retry-After %q, want %d", c.line, wait, seconds)
	}
}

// TestRateLimitPerKey: who calls with one API key shares its rate; another key
// has its own, and so have the webhook endpoints, which ask for none.
func TestRateLimitPerKey(t *testing.T) {
	w := servertest.New(t)
	// A second key for acme.
	w.Exec("update api_keys set tenant_id = (select id from tenants where name = 'acme') where tenant_id = (select id from tenants where name = 'globex')")
	w.Settings("acme", `{"rate_limit":2}`)
	acme, companyOnly, globex := w.Acme(), w.Login(demoOf("acme-company-client")), w.Globex()
	const body = `{"company_name":"A","address":"B"}`
	company := servertest.Call{Line: companySubmit, Token: acme.Token, Key: "acme-api-key", Body: body}
	w.Do(company).Want(t, http.StatusOK)
	companyOnly.Do(companySubmit, body).Want(t, http.StatusOK)
	w.limited(t, company, tooMany, 1)
	w.limited(t, servertest.Call{Line: companySubmit, Token: companyOnly.Token, Key: "acme-api-key", Body: body}, tooMany, 1)

	second := company
	second.Key = "globex-api-key"
	w.Do(second).Want(t, http.StatusOK)
	w.Do(second).Want(t, http.StatusOK)
	w.limited(t, second, tooMany, 1)

	hooks := servertest.Call{Line: "GET /hooks", Token: acme.Token}
	w.Do(hooks).Want(t, http.StatusOK)
	w.Do(hooks).Want(t, http.StatusOK)
	w.limited(t, hooks, hooksTooMany, 1)

	w.Do(servertest.Call{Line: "GET /hooks", Token: globex.Token}).Want(t, http.StatusOK)
	for range 5 {
		w.token(demoOf("acme-client")) // the token endpoint has no limit
	}
}

// TestRateLimitOrder: after the API key, before the body; what is refused
// before it costs nothing, what is refused after it counts.
func TestRateLimitOrder(t *testing.T) {
	w := servertest.New(t)
	w.Settings("acme", `{"rate_limit":1}`)
	acme, companyOnly := w.Acme(), w.Login(demoOf("acme-company-client"))
	for _, line := range []string{
		uploadURL, "POST /universal/v4/universal-submit/file-upload-url", "POST /universal/v3/universal-submit/file", "GET /data/v5/nothing/" + absent,
		"GET /universal/v1/universal-submit/status/" + absent, companySubmit, "POST /company/v1/quick_submit",
		"POST /location/v1/location_submit", "GET /audit/v1/report/x",
	} {
		w.Pass(time.Minute)
		good := servertest.Call{Line: line, Token: acme.Token, Key: acme.Key, Body: "{"}
		for range 3 {
			c := good
			c.Token = ""
			w.Do(c).Want(t, http.StatusUnauthorized)
			if line != companySubmit && line != "POST /company/v1/quick_submit" {
				c.Token = companyOnly.Token
				w.Do(c).Want(t, http.StatusForbidden, notPermitted)
			}
			c = good
			c.Key = "globex-api-key"
			w.Do(c).Want(t, http.StatusForbidden, forbidden)
		}
		if got := w.Do(good); got.Status == http.StatusTooManyRequests || got.Status < 400 {
			t.Errorf("%s: %d %s", line, got.Status, got.Body)
		}
		w.limited(t, good, tooMany, 1)
		good.Key = "globex-api-key"
		w.Do(good).Want(t, http.StatusForbidden, forbidden)
	}
}

// TestRateLimitIsExact: who waits as told is let through, who doesn't is not;
// of many at once as many pass as may.
func TestRateLimitIsExact(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	x := w.NewTenant(`{"rate_limit":0.25}`)
	status := servertest.Call{Line: "GET /universal/v2/universal-submit/status/" + absent, Token: x.Token, Key: x.Key}
	found := func(c call) { t.Helper(); w.Do(c).Want(t, http.StatusNotFound) }
	found(status)
	w.limited(t, status, tooMany, 4)
	w.Pass(time.Second)
	w.limited(t, status, tooMany, 3)
	x.Advance("2999ms") // the tenant's clock counts
	w.limited(t, status, tooMany, 1)
	x.Advance("1ms")
	found(status)
	w.limited(t, status, tooMany, 4)

	// A new rate acts at once, and none is none.
	x.Control("PATCH /settings", `{"rate_limit":0}`).Want(t, http.StatusOK)
	for range 20 {
		found(status)
	}
	x.Control("PATCH /settings", `{"rate_limit":7}`).Want(t, http.StatusOK)
	x.Advance("1m")
	var passed atomic.Int32
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			request, err := http.NewRequest(http.MethodGet, w.URL+status.line[len("GET "):], nil)
			if err != nil {
				t.Error(err)
				return
			}
			request.Header = http.Header{"Authorization": {"Bearer " + x.Token}, "X-Api-Key": {x.Key}}
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
	x.Control("POST /reset", "").Want(t, http.StatusOK)
	x.Control("PATCH /settings", `{"rate_limit":1}`).Want(t, http.StatusOK)
	found(status)
	w.limited(t, status, tooMany, 1)
}
