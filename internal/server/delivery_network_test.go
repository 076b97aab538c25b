package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server"
	"understudy.example/internal/server/servertest"
)

// TestOnlyTheLocalProfileDeliversToPrivateAddresses delivers to loopback and private
// addresses with the sender of each profile, and with --webhook-allow.
func TestOnlyTheLocalProfileDeliversToPrivateAddresses(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: only the profile local delivers to loopback and private ranges")
	t.Parallel()
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for name, test := range map[string]struct {
		config  server.Config
		failure string
	}{
		"local":               {server.Config{Profile: "local"}, ""},
		"uat":                 {server.Config{Profile: "uat"}, "blocked_address"},
		"uat, allowed":        {server.Config{Profile: "uat", WebhookNetwork: server.WebhookNetwork{WebhookAllow: allow}}, ""},
		"uat, others allowed": {server.Config{Profile: "uat", WebhookNetwork: server.WebhookNetwork{WebhookAllow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}, "blocked_address"},
	} {
		failure := test.failure
		t.Run(name, func(t *testing.T) {
			sender, err := test.config.Sender()
			if err != nil {
				t.Fatal(err)
			}
			s := servertest.New(t, servertest.Background, func(o *servertest.Options) { o.Sender = sender })
			var calls atomic.Int64
			receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
			t.Cleanup(receiver.Close)
			targets := []string{receiver.URL, strings.Replace(receiver.URL, "127.0.0.1", "localhost", 1)}
			if failure != "" { // whose subscriptions cannot have such an address in their URL
				s.Acme().Do("POST /hooks", `{"url":"`+receiver.URL+`"}`).Want(t, http.StatusUnprocessableEntity, `{"url":["is not allowed"]}`)
				targets = targets[1:]
			}
			acme := s.Acme()
			var tenantID uuid.UUID
			for _, target := range targets {
				hook := acme.Do("POST /hooks", `{"url":"`+target+`","active":true,"events":["*"]}`).Want(t, http.StatusCreated)
				tenantID = uuid.MustParse(hook.Text(t, "tenant_id"))
			}
			acme.Do(servertest.SubmitCompany, `{"company_name":"Lantern Quay Bakery LLC","address":"12 Example Street, Portland, ME 04101"}`).Want(t, http.StatusOK)

			var attempts []hooks.Attempt
			servertest.Until(t, "each target has an attempt", func() bool {
				var err error
				if attempts, err = hooks.Attempts(t.Context(), s.DB, tenantID, time.Time{}, s.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
				return len(attempts) == len(targets)
			})
			for _, attempt := range attempts {
				if attempt.Failure != failure {
					t.Errorf("attempt to %s: failure %q, want %q", attempt.URL, attempt.Failure, failure)
				}
			}
			want := int64(0)
			if failure == "" {
				want = int64(len(targets))
			}
			if got := calls.Load(); got != want {
				t.Errorf("the receiver got %d calls, want %d", got, want)
			}
		})
	}
}
