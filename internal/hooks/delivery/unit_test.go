package delivery

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	const nowhere, insideOnly, anywhere = "nowhere", "inside only", "anywhere"
	for address, want := range map[string]string{
		"93.184.216.34":          anywhere,
		"2606:2800:220:1::1":     anywhere,
		"::ffff:93.184.216.34":   anywhere, // the system dials the IPv4 address
		"127.0.0.1":              insideOnly,
		"127.255.255.254":        insideOnly,
		"10.1.2.3":               insideOnly,
		"172.16.0.1":             insideOnly,
		"172.31.255.255":         insideOnly,
		"172.32.0.1":             anywhere,
		"192.168.1.1":            insideOnly,
		"100.64.0.1":             insideOnly,
		"198.18.0.1":             insideOnly,
		"::1":                    insideOnly,
		"fd12:3456::1":           insideOnly,
		"fc00::1":                insideOnly,
		"::ffff:127.0.0.1":       insideOnly,
		"::ffff:10.0.0.1":        insideOnly,
		"0.0.0.0":                nowhere,
		"0.1.2.3":                nowhere,
		"169.254.169.254":        nowhere,
		"169.254.0.1":            nowhere,
		"::ffff:169.254.169.254": nowhere,
		"fd00:ec2::254":          nowhere,
		"fd20:ce::254":           nowhere,
		"100.100.100.200":        nowhere,
		"168.63.129.16":          nowhere,
		"192.0.0.192":            nowhere,
		"224.0.0.1":              nowhere,
		"239.255.255.255":        nowhere,
		"255.255.255.255":        nowhere,
		"240.0.0.1":              nowhere,
		"::":                     nowhere,
		"fe80::1":                nowhere,
		"fe80::1%eth0":           nowhere,
		"ff02::1":                nowhere,
		"64:ff9b::7f00:1":        nowhere,
		"64:ff9b:1::a00:1":       nowhere,
		"2002:7f00:1::":          nowhere,
		"2001:0:1::1":            nowhere,
		"::127.0.0.1":            nowhere,
	} {
		ip := netip.MustParseAddr(address)
		got := nowhere
		switch inside, outside := checkAddress(ip, true), checkAddress(ip, false); {
		case outside == nil && inside == nil:
			got = anywhere
		case inside == nil:
			got = insideOnly
		}
		if got != want {
			t.Errorf("%s may be dialled %s, want %s", address, got, want)
		}
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, random, seconds int }{
		{0, 0, 15}, {0, 9, 24}, {1, 0, 16}, {1, 9, 34}, {2, 3, 40}, {24, 0, 331791}, {24, 9, 332016},
	} {
		if got := backoff(c.n, c.random); got != time.Duration(c.seconds)*time.Second {
			t.Errorf("backoff(%d, %d) is %s, want %d s", c.n, c.random, got, c.seconds)
		}
	}
	var total time.Duration
	for n := range maxAttempts - 1 {
		total += backoff(n, 5)
	}
	if weeks := total.Hours() / 24 / 7; weeks < 2.5 || weeks > 3.5 {
		t.Errorf("25 retries take %.1f weeks, want about three", weeks)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status int
		given  string
		want   time.Duration
	}{
		{429, "120", 2 * time.Minute},
		{503, " 120 ", 2 * time.Minute},
		{503, "Mon, 02 Mar 2026 09:05:00 GMT", 5 * time.Minute},
		{503, "Mon, 02 Mar 2026 08:00:00 GMT", 0},
		{429, "4000000000", longestAsked},
		{429, "99999999999999999999999", 0},
		{429, "-5", 0},
		{429, "soon", 0},
		{429, "", 0},
		{500, "120", 0},
		{200, "120", 0},
	} {
		if got := retryAfter(c.status, http.Header{"Retry-After": {c.given}}, now); got != c.want {
			t.Errorf("Retry-After %q on %d is %s, want %s", c.given, c.status, got, c.want)
		}
	}
}

func TestSealIsBoundToItsPlace(t *testing.T) {
	t.Parallel()
	seal, other := NewSeal(make([]byte, 32)), NewSeal(append(make([]byte, 31), 1))
	row := uuid.New()
	sealed := seal.seal("whisper", row, secretColumn)
	if text, err := seal.open(sealed, row, secretColumn); err != nil || text != "whisper" {
		t.Errorf("opened %q, %v", text, err)
	}
	if again := seal.seal("whisper", row, secretColumn); string(again) == string(sealed) {
		t.Error("sealing twice gives the same bytes")
	}
	if _, err := seal.open(sealed, row, headerColumn); err == nil {
		t.Error("it opens in another column")
	}
	if _, err := seal.open(sealed, uuid.New(), secretColumn); err == nil {
		t.Error("it opens in another row")
	}
	if _, err := other.open(sealed, row, secretColumn); err == nil {
		t.Error("it opens under another key")
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := seal.open(sealed, row, secretColumn); err == nil {
		t.Error("it opens when changed")
	}
}
