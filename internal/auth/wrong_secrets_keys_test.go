package auth

import (
	"strconv"
	"testing"
	"time"
)

// TestOtherClientIDsDoNotResetTheWrongSecrets checks that wrong secrets for more client
// ids, from one address or from many, than the server counts do not reset the count of
// another client id, and that they use a bounded amount of memory.
func TestOtherClientIDsDoNotResetTheWrongSecrets(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, address := range map[string]func(int) string{
		"one address":    func(int) string { return "192.0.2.9:1" },
		"many addresses": func(i int) string { return strconv.Itoa(i) },
	} {
		w := &wrongSecrets{}
		for range maxWrongSecrets {
			if wait := w.count("acme-client", "192.0.2.9:1", now); wait != 0 {
				t.Fatalf("%s: wait of %s", name, wait)
			}
		}
		for i := range 3 * maxWrongSecretKeys {
			w.count(strconv.Itoa(i), address(i), now.Add(time.Second))
		}
		if wait := w.count("acme-client", "192.0.2.9:2", now.Add(2*time.Second)); wait != wrongSecretPeriod-2*time.Second {
			t.Errorf("%s: wait of %s after wrong secrets for other client ids", name, wait)
		}
		if len(w.times) > 2*maxWrongSecretKeys+1 {
			t.Errorf("%s: %d keys", name, len(w.times))
		}
		if wait := w.count("acme-client", "192.0.2.9:2", now.Add(wrongSecretPeriod+2*time.Second)); wait != 0 || len(w.times) != 1 {
			t.Errorf("%s: wait of %s and %d keys after a minute", name, wait, len(w.times))
		}
	}
}

// TestWrongSecretsAreCountedByNetwork checks that the addresses of a /64 network of IPv6 share a
// count, and that other networks and IPv4 addresses do not.
func TestWrongSecretsAreCountedByNetwork(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := &wrongSecrets{}
	for i := range maxWrongSecrets {
		w.count("acme-client", "[2001:db8:1:2::"+strconv.Itoa(i)+"]:443", now)
		w.count("acme-client", "192.0.2."+strconv.Itoa(i)+":443", now)
	}
	for address, refused := range map[string]bool{
		"[2001:db8:1:2:ffff::1]:1": true, "[2001:db8:1:3::1]:1": false, "192.0.2.1:1": false, "[::ffff:192.0.2.1]:1": false,
	} {
		if wait := w.count("acme-client", address, now); (wait > 0) != refused {
			t.Errorf("%s: wait of %s", address, wait)
		}
	}
}
