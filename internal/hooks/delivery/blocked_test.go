package delivery_test

import (
	"errors"
	"net"
	"net/http"
	"testing"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// TestBlockedAddressIsNotRetried checks that a delivery to a URL with an address that is
// not allowed is dead after its first attempt, and that one to a name of such an address
// is retried, because the name can get another address.
func TestBlockedAddressIsNotRetried(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: a URL with a blocked address: dead after the first attempt")
	t.Parallel()
	for url, state := range map[string]string{
		"http://10.0.0.1/":         "dead",
		"http://169.254.169.254/":  "dead",
		"http://[::1]:9/":          "dead",
		"http://receiver.example/": "pending",
	} {
		t.Run(url, func(t *testing.T) {
			s := servertest.New(t, func(o *servertest.Options) {
				o.Sender = hooks.NewSender(hooks.Network{Resolver: servertest.Resolver(t, "10.0.0.1")}, hooks.Signature{})
			})
			acme := s.Acme()
			acme.Subscribe("http://receiver.example")
			s.Exec("update hooks set url = $1", url) // as an earlier release, or with another --webhook-allow
			s.RunDispatcher()
			s.Publish("acme", "a:b")
			if attempt := awaitAttempt(s); attempt.Failure != "blocked_address" {
				t.Errorf("attempt %+v, want blocked_address", attempt)
			}
			got := s.Tenant("acme").Control("GET /deliveries", "").Want(t, http.StatusOK)
			delivery := got.Get(t, "deliveries").([]any)[0].(map[string]any)
			failure := delivery["attempts"].([]any)[0].(map[string]any)["failure"]
			if delivery["state"] != state || failure != "blocked_address" {
				t.Errorf("delivery %v, want %s", delivery, state)
			}
		})
	}
}

// TestUnknownOwnAddressesAreRetried checks that a delivery is retried if it was blocked
// only because the addresses of this host could not be read.
func TestUnknownOwnAddressesAreRetried(t *testing.T) {
	t.Parallel()
	sender := hooks.NewSender(hooks.Network{}, hooks.Signature{})
	sender.SetInterfaceAddrs(func() ([]net.Addr, error) { return nil, errors.New("too many open files") })
	if outcome := sendTo(t, sender, "http://93.184.216.34:9/"); outcome.Failure != "blocked_address" || outcome.Final {
		t.Errorf("outcome %+v, want blocked_address with retries", outcome)
	}
}
