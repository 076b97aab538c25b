package hooks_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"understudy.example/internal/hooks"
	"understudy.example/internal/server/servertest"
)

// uatNetwork is an option: the sender has the network of the profile uat, where every
// name has the addresses.
func uatNetwork(resolver *net.Resolver) func(*servertest.Options) {
	return func(o *servertest.Options) {
		o.Sender = hooks.NewSender(hooks.Network{Resolver: resolver}, hooks.Signature{})
	}
}

// TestBlockedHostIsNamedAtOnce checks that a subscription whose host resolves only to
// addresses that are not allowed is created and updated with a hint.
func TestBlockedHostIsNamedAtOnce(t *testing.T) {
	servertest.Proves(t, "Chosen, webhook subscriptions: a host of blocked addresses only: accepted with a hint")
	t.Parallel()
	unresolvable := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }}
	silent := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done() // it never responds
		return nil, ctx.Err()
	}}
	for name, test := range map[string]struct {
		resolver *net.Resolver
		hint     bool
	}{
		"blocked":         {servertest.Resolver(t, "10.1.2.3", "fd00::1"), true},
		"partly blocked":  {servertest.Resolver(t, "10.1.2.3", "93.184.216.34"), false},
		"allowed":         {servertest.Resolver(t, "93.184.216.34"), false},
		"unknown":         {servertest.Resolver(t), false},
		"no resolver":     {unresolvable, false},
		"silent resolver": {silent, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.New(t, uatNetwork(test.resolver))
			acme := s.Acme()
			check := func(got servertest.Response) {
				t.Helper()
				hint := got.Header.Get("X-Understudy-Hint")
				if (hint != "") != test.hint || test.hint && !strings.Contains(hint, "blocked_address") || strings.Contains(hint, "10.1") {
					t.Errorf("hint %q, want one: %t", hint, test.hint)
				}
			}
			created := acme.Do("POST /hooks", `{"url":"https://receiver.example/a"}`).Want(t, http.StatusCreated)
			check(created)
			id := created.Text(t, "id")
			check(acme.Do("PATCH /hooks/"+id, `{"url":"https://other.example/b"}`).Want(t, http.StatusOK))
			if hint := acme.Do("PATCH /hooks/"+id, `{"events":["*"]}`).Want(t, http.StatusOK).Header.Get("X-Understudy-Hint"); hint != "" {
				t.Errorf("an update without a URL has the hint %q", hint)
			}
		})
	}
}

// TestNoLookupWithoutHints checks that a server without hints does not look up hosts.
func TestNoLookupWithoutHints(t *testing.T) {
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("a host was looked up")
		return nil, net.ErrClosed
	}}
	s := servertest.New(t, uatNetwork(resolver), func(o *servertest.Options) { o.Hints = false })
	acme := s.Acme()
	acme.Do("POST /hooks", `{"url":"https://receiver.example/a"}`).Want(t, http.StatusCreated)
}

// TestHintAboutABlockedAddress checks that the hint mentions --webhook-allow if that flag
// can allow the address, as the hint about a name does.
func TestHintAboutABlockedAddress(t *testing.T) {
	acme := servertest.New(t, uatNetwork(servertest.Resolver(t))).Acme()
	for host, want := range map[string]string{
		"10.1.2.3":             "url: this server does not deliver to this address: use another host, or allow the address with --webhook-allow",
		"[::ffff:127.0.0.1]":   "url: this server does not deliver to this address: use another host, or allow the address with --webhook-allow",
		"169.254.169.254":      "url: this server never delivers to this address: use another host",
		"[64:ff9b::a9fe:a9fe]": "url: this server never delivers to this address: use another host",
	} {
		if got := acme.Do("POST /hooks", `{"url":"https://`+host+`/"}`).Want(t, http.StatusUnprocessableEntity).Header.Get("X-Understudy-Hint"); got != want {
			t.Errorf("%s: hint %q, want %q", host, got, want)
		}
	}
}

// TestBlockedHostIsLogged checks the warning in the log, which names the addresses.
func TestBlockedHostIsLogged(t *testing.T) {
	s := servertest.Open(t, uatNetwork(servertest.Resolver(t, "10.1.2.3")))
	local := servertest.Open(t, uatNetwork(&net.Resolver{PreferGo: true}))
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	s.Acme().Do("POST /hooks", `{"url":"https://receiver.example/a"}`).Want(t, http.StatusCreated)
	local.Acme().Do("POST /hooks", `{"url":"https://localhost/a"}`).Want(t, http.StatusCreated)
	slog.SetDefault(before)
	if got := log.String(); !strings.Contains(got, "host=localhost") || strings.Contains(got, "::ffff:") {
		t.Errorf("log %s, want addresses of localhost that are not mapped", got)
	}
	if got := log.String(); !strings.Contains(got, "level=WARN") || !strings.Contains(got, "host=receiver.example addresses=[10.1.2.3]") {
		t.Errorf("log %s", got)
	}
}
