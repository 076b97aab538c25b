package auth_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy.example/internal/auth"
	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

const (
	tooMany      = `{"message":"Too Many Requests"}`
	hooksTooMany = `{"status":429,"error":"Too Many Requests"}`
)

// limited wants the call to be refused by the rate limit, with this Retry-After.
func limited(t *testing.T, s *servertest.Server, call servertest.Call, body string, seconds int) {
	t.Helper()
	got := s.Refused(t, call, http.StatusTooManyRequests, body)
	if wait := got.Header.Get("Retry-After"); wait != strconv.Itoa(seconds) {
		t.Errorf("%s: Retry-After %q, want %d", call.Line, wait, seconds)
	}
}

// TestRateLimitIsPerAPIKey checks that the callers with one API key share its
// rate, and that another key of the tenant has its own, as have the webhook
// endpoints, which need no key.
func TestRateLimitIsPerAPIKey(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, settings: rate_limit, for each API key",
		"Chosen, bearer token and API key: rate limit: 429 with Retry-After")
	s := servertest.New(t)
	s.Exec("update api_keys set tenant_id = (select id from tenants where name = 'acme') where tenant_id = (select id from tenants where name = 'globex')")
	s.Settings("acme", `{"rate_limit":2}`)
	acme, companyOnly, globex := s.Acme(), s.Login(seed.Demos()[2]), s.Globex()
	const body = `{"company_name":"A","address":"B"}`
	company := servertest.Call{Line: servertest.SubmitCompany, Token: acme.Token, Key: "acme-api-key", Body: body}
	s.Do(company).Want(t, http.StatusOK)
	companyOnly.Do(servertest.SubmitCompany, body).Want(t, http.StatusOK)
	limited(t, s, company, tooMany, 1)
	limited(t, s, servertest.Call{Line: servertest.SubmitCompany, Token: companyOnly.Token, Key: "acme-api-key", Body: body}, tooMany, 1)

	withSecondKey := company
	withSecondKey.Key = "globex-api-key"
	s.Do(withSecondKey).Want(t, http.StatusOK)
	s.Do(withSecondKey).Want(t, http.StatusOK)
	limited(t, s, withSecondKey, tooMany, 1)

	hooks := servertest.Call{Line: "GET /hooks", Token: acme.Token}
	s.Do(hooks).Want(t, http.StatusOK)
	s.Do(hooks).Want(t, http.StatusOK)
	limited(t, s, hooks, hooksTooMany, 1)

	s.Do(servertest.Call{Line: "GET /hooks", Token: globex.Token}).Want(t, http.StatusOK)
	for range 5 {
		s.NewToken(seed.Demos()[0]) // the token endpoint has no limit
	}
}

// TestRateLimitIsCheckedBetweenAPIKeyAndBody checks that a call refused before the
// rate limit does not count towards it, and that one refused after it does.
func TestRateLimitIsCheckedBetweenAPIKeyAndBody(t *testing.T) {
	servertest.Proves(t, "Chosen, order of checks: then rate limit")
	s := servertest.New(t)
	s.Settings("acme", `{"rate_limit":1}`)
	acme, companyOnly := s.Acme(), s.Login(seed.Demos()[2])
	for _, rt := range servertest.Gated(route.Message) {
		s.Pass(time.Minute)
		call := servertest.Call{Line: servertest.Sample(t, rt).Line, Token: acme.Token, Key: acme.Key, Body: "{"}
		for range 3 {
			c := call
			c.Token = ""
			s.Do(c).Want(t, http.StatusUnauthorized)
			if !slices.Contains(seed.Demos()[2].Permissions, rt.Permission) {
				c.Token = companyOnly.Token
				s.Do(c).Want(t, http.StatusForbidden, servertest.NotPermitted)
			}
			c = call
			c.Key = "globex-api-key"
			s.Do(c).Want(t, http.StatusForbidden, servertest.Forbidden)
		}
		if got := s.Do(call); got.Status == http.StatusTooManyRequests || got.Status < 400 {
			t.Errorf("%s: response %d %s, want a refusal for another reason than the rate", call.Line, got.Status, got.Body)
		}
		limited(t, s, call, tooMany, 1)
		call.Key = "globex-api-key"
		s.Do(call).Want(t, http.StatusForbidden, servertest.Forbidden)
	}
}

// TestRetryAfterIsExact checks that a call is let through after the announced wait,
// by the tenant's clock, and not before.
func TestRetryAfterIsExact(t *testing.T) {
	servertest.Proves(t, "Chosen, bearer token and API key: rate limit: 429 with Retry-After")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"rate_limit":0.25}`)
	status := servertest.Call{Line: readStatus, Token: tenant.Token, Key: tenant.Key}
	s.Do(status).Want(t, http.StatusNotFound)
	limited(t, s, status, tooMany, 4)
	s.Pass(time.Second)
	limited(t, s, status, tooMany, 3)
	tenant.Advance("2999ms")
	limited(t, s, status, tooMany, 1)
	tenant.Advance("1ms")
	s.Do(status).Want(t, http.StatusNotFound)
	limited(t, s, status, tooMany, 4)

	// A reset sets the clock back, which makes nobody wait.
	tenant.Control("POST /reset", "").Want(t, http.StatusOK)
	tenant.Control("PATCH /settings", `{"rate_limit":1}`).Want(t, http.StatusOK)
	s.Do(status).Want(t, http.StatusNotFound)
	limited(t, s, status, tooMany, 1)
}

// TestRateLimitChangesAtOnce checks a change to no limit, and to one that
// concurrent calls share.
func TestRateLimitChangesAtOnce(t *testing.T) {
	s := servertest.New(t)
	tenant := s.NewTenant(`{"rate_limit":0.25}`)
	status := servertest.Call{Line: readStatus, Token: tenant.Token, Key: tenant.Key}
	s.Do(status).Want(t, http.StatusNotFound)
	limited(t, s, status, tooMany, 4)
	tenant.Control("PATCH /settings", `{"rate_limit":0}`).Want(t, http.StatusOK)
	for range 20 {
		s.Do(status).Want(t, http.StatusNotFound)
	}

	tenant.Control("PATCH /settings", `{"rate_limit":7}`).Want(t, http.StatusOK)
	tenant.Advance("1m")
	var passed atomic.Int32
	var group sync.WaitGroup
	for range 40 {
		request := s.Request(status)
		group.Go(func() {
			got, err := servertest.Try(s.Client, request)
			if err != nil || got.Status != http.StatusNotFound && got.Status != http.StatusTooManyRequests {
				t.Errorf("response %d %s, %v", got.Status, got.Body, err)
			}
			if got.Status == http.StatusNotFound {
				passed.Add(1)
			}
		})
	}
	group.Wait()
	if passed.Load() != 7 {
		t.Errorf("%d of 40 calls passed, want 7", passed.Load())
	}
}

// TestWebhookRateLimitIsPerClient checks that each client of a tenant has a rate limit
// of its own for webhook calls.
func TestWebhookRateLimitIsPerClient(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, settings: rate_limit, for each client on webhook calls",
		"Chosen, bearer token and API key: webhook calls need no API key")
	s := servertest.New(t)
	tenant := s.NewTenant(`{"rate_limit":1}`)
	tenant.Control("POST /clients", `{"client_id":"second","client_secret":"s3cret"}`).Want(t, http.StatusCreated)
	second := s.Login(auth.Demo{ClientID: "second", ClientSecret: "s3cret"})
	for _, client := range []servertest.Client{tenant.Client, second} {
		call := servertest.Call{Line: "GET /hooks", Token: client.Token}
		s.Do(call).Want(t, http.StatusOK)
		limited(t, s, call, hooksTooMany, 1)
	}
}
