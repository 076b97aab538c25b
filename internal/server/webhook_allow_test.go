package server

import (
	"net/netip"
	"testing"
)

// TestUnmappedPrefixes checks that a prefix of IPv4 addresses in IPv6 form allows the
// IPv4 addresses, and that other prefixes stay as they are.
func TestUnmappedPrefixes(t *testing.T) {
	for given, want := range map[string]string{
		"::ffff:127.0.0.0/104": "127.0.0.0/8",
		"10.0.0.0/8":           "10.0.0.0/8",
		"fd00::/8":             "fd00::/8",
		"::/0":                 "::/0",
	} {
		if got := unmapped([]netip.Prefix{netip.MustParsePrefix(given)})[0]; got.String() != want {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
}
