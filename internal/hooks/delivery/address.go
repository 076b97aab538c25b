package delivery

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

var errBlocked = errors.New("address is not allowed")

// blocked are the addresses that no delivery is sent to: those of this host or
// link, unassigned ones, cloud metadata services, and those that embed another
// address, to which a translator would forward.
var blocked = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4", // the last includes broadcast
	"100.100.100.200/32", "168.63.129.16/32", // metadata of Alibaba Cloud and Azure
	"::/128", "fe80::/10", "ff00::/8",
	"fd00:ec2::/32", "fd20:ce::254/128", // metadata of AWS and Google Cloud
	"64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", // NAT64, 6to4, Teredo
)

// private are the addresses of loopback and of private networks.
var private = prefixes(
	"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15",
	"::1/128", "fc00::/7", "fec0::/10",
)

// ipv4Compatible are IPv6 addresses that embed an IPv4 address in a deprecated
// form (RFC 4291 section 2.5.5.1).
var ipv4Compatible = netip.MustParsePrefix("::/96")

// allows reports whether deliveries may be sent to the address.
func (n Network) allows(ip netip.Addr) bool {
	if ip.Is4In6() { // the system dials the embedded address
		ip = ip.Unmap()
	}
	ip = ip.WithZone("")
	if contains(blocked, ip) || ipv4Compatible.Contains(ip) && !ip.IsLoopback() {
		return false
	}
	return n.AllowPrivate || !contains(private, ip) || contains(n.Allow, ip)
}

// AllowsHost reports whether deliveries may be sent to the host of a URL. A name is
// always allowed, because the check is made for the address that is dialled. A host
// that is written as an address, in any notation that some resolver accepts, is checked
// as it would be when dialled.
func (s *Sender) AllowsHost(host string) bool {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii // as net/http maps digits of other scripts
	}
	host = strings.TrimSuffix(host, ".")
	ip, err := netip.ParseAddr(host)
	if err != nil {
		var ok bool
		if ip, ok = parseOldIPv4(host); !ok {
			return true
		}
	}
	return s.network.allows(ip)
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
