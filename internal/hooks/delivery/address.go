package delivery

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"
)

// Errors of Sender.CheckHost.
var (
	ErrNotAllowed   = errors.New("address is not allowed")
	ErrNeverAllowed = fmt.Errorf("%w by any setting", ErrNotAllowed)
	ErrInvalidHost  = errors.New("host is neither a name nor an address")
)

// never lists the addresses that no setting allows.
var never = prefixes(
	"0.0.0.0/8", "::/128", // unspecified (RFC 791, RFC 4291): the system dials itself
	"169.254.0.0/16", "fe80::/10", // link-local (RFC 3927, RFC 4291), with most metadata services of clouds
	"224.0.0.0/4", "255.255.255.255/32", "ff00::/8", // multicast and broadcast (RFC 5771, RFC 919, RFC 4291)
	"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", // metadata of Alibaba Cloud, Azure and Oracle Cloud
	"fd00:ec2::/32", "fd20:ce::254/128", "fd00:42::42/128", // metadata of AWS, Google Cloud and Scaleway
)

// local lists the addresses that the profile local delivers to besides public ones:
// loopback and private networks, and ranges that examples and tests use for receivers
// that do not exist.
var local = prefixes(
	"127.0.0.0/8", "::1/128", // loopback (RFC 1122, RFC 4291)
	"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10", // private (RFC 1918, RFC 4193, RFC 3879)
	"100.64.0.0/10", "198.18.0.0/15", // shared address space and benchmarking (RFC 6598, RFC 2544)
	"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20", // documentation (RFC 5737, RFC 3849, RFC 9637)
)

// global rejects the addresses that IANA's special-purpose address registries do not
// mark as globally reachable, and all IPv6 addresses that are not assigned to global
// unicast. The NAT64 range is globally reachable, so the embedded address is checked
// too.
var global = ssrf.New(ssrf.WithAnyNetwork(), ssrf.WithAnyPort(), ssrf.WithAllowedV6Prefixes(ssrf.IPv6NAT64Prefix))

// allows reports whether deliveries may be sent to the address.
func (n Network) allows(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("") // the system dials the address that ::ffff:0:0/96 embeds
	if contains(never, ip) {
		return false
	}
	if inner, ok := embedded(ip); ok {
		// A translator can forward to the embedded address from another network than
		// the sender's, so private embedded addresses are not allowed in the profile
		// local either.
		if outer := (Network{Allow: n.Allow, own: n.own}); !outer.allows(inner) {
			return false
		}
	}
	if n.AllowPrivate && (contains(local, ip) || n.own.contain(ip)) || contains(n.Allow, ip) {
		return true
	}
	return global.SafeAddr(ip) == nil && !n.own.contain(ip)
}

// embeddings are the IPv6 addresses that embed an IPv4 address to which a translator or
// a tunnel forwards, and the first byte of the embedded address.
var embeddings = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64 (RFC 6052)
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},  // NAT64 of a local network (RFC 8215)
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // stateless translation (RFC 2765)
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible (RFC 4291)
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4 (RFC 3056)
	{teredo, 12},
}

// teredo are addresses that embed the inverted bits of an IPv4 address (RFC 4380).
var teredo = netip.MustParsePrefix("2001::/32")

// embedded returns the IPv4 address that an IPv6 address embeds, if any.
func embedded(ip netip.Addr) (netip.Addr, bool) {
	for _, e := range embeddings {
		if !e.prefix.Contains(ip) || ip.IsLoopback() {
			continue
		}
		bytes := ip.As16()
		inner := [4]byte(bytes[e.at:])
		if e.prefix == teredo {
			for i := range inner {
				inner[i] = ^inner[i]
			}
		}
		return netip.AddrFrom4(inner), true
	}
	return netip.Addr{}, false
}

// CheckHost returns ErrNotAllowed if the host of a URL is an address to which
// deliveries may not be sent, in any notation that some resolver accepts; the error is
// ErrNeverAllowed, which wraps ErrNotAllowed, if no setting can allow it. It returns
// ErrInvalidHost for a host that looks like an address but is not one, such as
// 999.1.1.1. A name is always allowed, because the address that is dialled is checked.
func (s *Sender) CheckHost(host string) error {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii // as net/http maps digits and dots of other scripts
	}
	host = strings.TrimSuffix(host, ".")
	ip, err := netip.ParseAddr(host)
	if err != nil {
		switch parsed, ok := parseOldIPv4(host); {
		case ok:
			ip = parsed
		case isNumeric(host), strings.ContainsAny(host, ":%"):
			return ErrInvalidHost
		default:
			return nil
		}
	}
	switch {
	case s.network.allows(ip):
		return nil
	case (Network{Allow: everything}).allows(ip):
		return ErrNotAllowed
	}
	return ErrNeverAllowed
}

// everything lists all addresses.
var everything = prefixes("0.0.0.0/0", "::/0")

// blocksForGood reports whether the host is an address to which deliveries may not be
// sent. A retry would be blocked too, unlike with a name, whose addresses can change.
func (s *Sender) blocksForGood(host string) bool {
	return errors.Is(s.CheckHost(host), ErrNotAllowed) && s.network.own.readable()
}

// isNumeric reports whether every label of the host is a number or empty. Such a host
// has no top-level domain, so it can never be resolved.
func isNumeric(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		digits, valid := strings.ToLower(label), "0123456789"
		if hex, ok := strings.CutPrefix(digits, "0x"); ok {
			digits, valid = hex, "0123456789abcdef"
		}
		if strings.Trim(digits, valid) != "" {
			return false
		}
	}
	return true
}

// parseOldIPv4 parses the notations of inet_aton, which system resolvers accept: one to
// four numbers, octal with a leading 0 and hexadecimal with 0x. The last number fills
// all remaining bytes.
func parseOldIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var address uint64
	for i, part := range parts {
		digits, base := strings.ToLower(part), 10
		switch hex, isHex := strings.CutPrefix(digits, "0x"); {
		case isHex:
			digits, base = hex, 16
		case len(digits) > 1 && digits[0] == '0':
			base = 8
		}
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		n, err := strconv.ParseUint(digits, base, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		address = address<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}), true
}

func contains(in []netip.Prefix, ip netip.Addr) bool {
	for _, prefix := range in {
		if prefix.Contains(ip) {
			return true
		}
	}
	return false
}

func prefixes(texts ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParsePrefix(text)
	}
	return parsed
}
