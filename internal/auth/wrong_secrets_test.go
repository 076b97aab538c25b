package auth_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"understudy.example/internal/server/servertest"
)

// shared is an option: the server is a shared deployment, as in profile uat.
func shared(o *servertest.Options) { o.Shared = true }

// wrongSecret requests a token with a wrong secret.
func wrongSecret(s *servertest.Server, clientID string) servertest.Response {
	s.T.Helper()
	return s.Do(tokenCall(grant, servertest.Basic(clientID, "wrong"), "", ""))
}

// TestWrongSecretsAreLimited checks that more than ten wrong secrets in a minute for
// one client id are refused with 429 slow_down in a shared deployment, whether the
// client exists or not, and that the right secret still succeeds.
func TestWrongSecretsAreLimited(t *testing.T) {
	servertest.Proves(t,
		"Chosen, token endpoint: uat limits wrong secrets by client id and address: 429 slow_down",
		"Chosen, token endpoint: the right secret succeeds beyond that limit")
	s := servertest.New(t, shared)
	s.Exec("update clients set revoked_at = created_at where id = 'globex-client'")
	const body = `{"error":"slow_down"}`
	headers := map[string]http.Header{}
	for _, id := range []string{"acme-client", "nobody", "globex-client", "not\xffUTF-8"} {
		for range 10 {
			wrongSecret(s, id).Want(t, http.StatusUnauthorized)
		}
		refused := wrongSecret(s, id).Want(t, http.StatusTooManyRequests, body)
		if wait := refused.Header.Get("Retry-After"); wait != "60" || refused.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: header %v", id, refused.Header)
		}
		refused.Header.Del("X-Request-Id")
		refused.Header.Del("Date")
		headers[id] = refused.Header
	}
	for id, header := range headers {
		if len(header) != len(headers["acme-client"]) || header.Get("X-Understudy-Hint") != headers["acme-client"].Get("X-Understudy-Hint") {
			t.Errorf("%s: header %v, want the header of acme-client, %v", id, header, headers["acme-client"])
		}
	}
	s.NewToken(s.Demo(0))
	wrongSecret(s, "acme-client").Want(t, http.StatusTooManyRequests)
	wrongSecret(s, "acme-company-client").Want(t, http.StatusUnauthorized)

	s.Pass(30 * time.Second)
	if wait := wrongSecret(s, "nobody").Want(t, http.StatusTooManyRequests).Header.Get("Retry-After"); wait != "30" {
		t.Errorf("Retry-After %s, want 30", wait)
	}
	s.Pass(30 * time.Second)
	for i := range 10 {
		if got := wrongSecret(s, "nobody"); got.Status != http.StatusUnauthorized {
			t.Errorf("wrong secret %d after a minute: got status %d", i+1, got.Status)
		}
	}
	wrongSecret(s, "nobody").Want(t, http.StatusTooManyRequests)
}

// TestWrongSecretsAreCountedPerAddress checks that wrong secrets from one address do not
// affect another.
func TestWrongSecretsAreCountedPerAddress(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: uat limits wrong secrets by client id and address: 429 slow_down")
	s := servertest.New(t, shared)
	for i := range 30 {
		call := s.Request(tokenCall(grant, servertest.Basic("acme-client", "wrong"), "", ""))
		recorder := s.Serve(call, "192.0.2."+strconv.Itoa(i%3)+":1234")
		if recorder.Code != http.StatusUnauthorized {
			t.Fatalf("wrong secret %d from one address: got status %d", i/3+1, recorder.Code)
		}
	}
	call := s.Request(tokenCall(grant, servertest.Basic("acme-client", "wrong"), "", ""))
	if recorder := s.Serve(call, "192.0.2.1:4321"); recorder.Code != http.StatusTooManyRequests {
		t.Errorf("eleventh wrong secret from one address: got status %d", recorder.Code)
	}
}

// TestWrongSecretsAreNotLimitedLocally checks that the profile local has no limit.
func TestWrongSecretsAreNotLimitedLocally(t *testing.T) {
	servertest.Proves(t, "Chosen, token endpoint: uat limits wrong secrets by client id and address: 429 slow_down")
	s := servertest.New(t)
	for range 15 {
		wrongSecret(s, "acme-client").Want(t, http.StatusUnauthorized)
	}
}
