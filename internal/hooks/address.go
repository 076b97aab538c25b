package hooks

import (
	"errors"
	"net/netip"
)

var errBlocked = errors.New("address is not allowed")

// never are the addresses that no delivery goes to: of this host or network
// alone, of nobody in particular, of a cloud's metadata, and those that hold
// another address inside, which a translator would reach.
var never = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4", // the last with broadcast
	"100.100.100.200/32", "168.63.129.16/32", // metadata of Alibaba Cloud and Azure
	"::/128", "fe80::/10", "ff00::/8",
	"fd00:ec2::/32", "fd20:ce::254/128", // metadata of AWS and Google Cloud
	"64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", // NAT64, 6to4, Teredo
)

// private are the addresses inside a machine or an organisation.
var private = prefixes(
	"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15",
	"::1/128", "fc00::/7", "fec0::/10",
)

// compatible are IPv6 addresses that hold an IPv4 one in a form long given up.
var compatible = netip.MustParsePrefix("::/96")

// checkAddress refuses an address that no delivery may go to. inside allows
// private addresses.
func checkAddress(ip netip.Addr, inside bool) error {
	if ip.Is4In6() { // the system dials what is inside
		ip = ip.Unmap()
	}
	ip = ip.WithZone("")
	isPrivate := contains(private, ip)
	switch {
	case contains(never, ip), isPrivate && !inside,
		compatible.Contains(ip) && !ip.IsLoopback():
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
