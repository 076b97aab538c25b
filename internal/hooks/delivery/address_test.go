package delivery

import (
	"net/netip"
	"testing"
)

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	const never, privately, always = "never", "only if private addresses are allowed", "always"
	for address, want := range map[string]string{
		"93.184.216.34":          always,
		"2606:2800:220:1::1":     always,
		"::ffff:93.184.216.34":   always, // the system dials the IPv4 address
		"127.0.0.1":              privately,
		"127.255.255.254":        privately,
		"10.1.2.3":               privately,
		"172.16.0.1":             privately,
		"172.31.255.255":         privately,
		"172.32.0.1":             always,
		"192.168.1.1":            privately,
		"100.64.0.1":             privately,
		"198.18.0.1":             privately,
		"::1":                    privately,
		"fd12:3456::1":           privately,
		"fc00::1":                privately,
		"::ffff:127.0.0.1":       privately,
		"::ffff:10.0.0.1":        privately,
		"0.0.0.0":                never,
		"0.1.2.3":                never,
		"169.254.169.254":        never,
		"169.254.0.1":            never,
		"::ffff:169.254.169.254": never,
		"fd00:ec2::254":          never,
		"fd20:ce::254":           never,
		"100.100.100.200":        never,
		"168.63.129.16":          never,
		"192.0.0.192":            never,
		"224.0.0.1":              never,
		"239.255.255.255":        never,
		"255.255.255.255":        never,
		"240.0.0.1":              never,
		"::":                     never,
		"fe80::1":                never,
		"fe80::1%eth0":           never,
		"ff02::1":                never,
		"64:ff9b::7f00:1":        never,
		"64:ff9b:1::a00:1":       never,
		"2002:7f00:1::":          never,
		"2001:0:1::1":            never,
		"::127.0.0.1":            never,
	} {
		ip := netip.MustParseAddr(address)
		got := never
		switch local, public := (Network{AllowPrivate: true}).allows(ip), (Network{}).allows(ip); {
		case local && public:
			got = always
		case local:
			got = privately
		}
		if got != want {
			t.Errorf("%s is dialled %s, want %s", address, got, want)
		}
	}
}
