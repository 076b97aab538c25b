package delivery

import (
	"errors"
	"net/netip"
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

// checkAddress returns an error for an address that no delivery may be sent to.
func checkAddress(ip netip.Addr, allowPrivate bool) error {
	if ip.Is4In6() { // the system dials the embedded address
		ip = ip.Unmap()
	}
	ip = ip.WithZone("")
	switch {
	case contains(blocked, ip), !allowPrivate && contains(private, ip),
		ipv4Compatible.Contains(ip) && !ip.IsLoopback():
		return errBlocked
	}
	return nil
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
