package delivery_test

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/hooks"
	"understudy.example/internal/hooks/delivery"
	"understudy.example/internal/server/servertest"
)

// refusedHosts returns the hosts of testdata/refused_hosts.txt.
func refusedHosts(t *testing.T) (hosts []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/refused_hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			hosts = append(hosts, line)
		}
	}
	return hosts
}

// send makes one attempt to the host and returns its failure class.
func send(t *testing.T, sender *hooks.Sender, host string) string {
	t.Helper()
	return sender.Send(t.Context(), delivery.Message{URL: "http://" + host + ":9/"}, time.Now).Failure
}

// TestInwardAddressesAreNotDialled dials the addresses of testdata/refused_hosts.txt in
// the profile uat.
func TestInwardAddressesAreNotDialled(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: the IP address that is dialled is checked, not only the URL")
	t.Parallel()
	uat := hooks.NewSender(hooks.Network{}, hooks.Signature{})
	dialled := 0
	for _, host := range refusedHosts(t) {
		ip, err := netip.ParseAddr(strings.Replace(strings.Trim(host, "[]"), "%25", "%", 1))
		if err != nil {
			continue // not a notation that is dialled
		}
		dialled++
		if got := send(t, uat, host); got != "blocked_address" {
			t.Errorf("%s: failure %q, want blocked_address", host, got)
		}
		if uat.Allows(ip) {
			t.Errorf("%s is allowed", ip)
		}
	}
	if dialled < 119 {
		t.Errorf("%d addresses, want at least 119", dialled)
	}
}

// TestAddressesByProfile checks which addresses each profile delivers to.
func TestAddressesByProfile(t *testing.T) {
	t.Parallel()
	const never, flag, local, always = "never", "if --webhook-allow has it", "in local", "always"
	profiles := []struct {
		name   string
		sender *hooks.Sender
	}{
		{always, hooks.NewSender(hooks.Network{}, hooks.Signature{})},
		{local, hooks.NewSender(hooks.Network{AllowPrivate: true}, hooks.Signature{})},
		{flag, hooks.NewSender(hooks.Network{Allow: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}, hooks.Signature{})},
	}
	for want, addresses := range map[string][]string{
		always: {
			"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255",
			"128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.0.3.1", "192.167.255.255",
			"192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.1", "223.255.255.255", "::ffff:93.184.216.34",
			"2001:200::1", "2001:4860:4860::8888", "2003::1", "2600::1", "2606:2800:220:1::1", "2a00:1450::1", "3ffe::1", "64:ff9b::8.8.8.8",
		},
		local: {
			"127.0.0.1", "127.255.255.254", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "198.18.0.1",
			"192.0.2.1", "198.51.100.1", "203.0.113.1", "::1", "fd12:3456::1", "fc00::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2001:db8::1",
		},
		flag: {
			"192.0.0.1", "192.88.99.1", "240.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001:0:1::1", "::127.0.0.1",
			"100::1", "5f00::1", "2001:2::1",
		},
		never: {
			"0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42",
			"100.100.100.200", "168.63.129.16", "192.0.0.192", "224.0.0.1", "239.255.255.255", "255.255.255.255", "::", "fe80::1",
			"fe80::1%eth0", "ff02::1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::", "2001::5601:5601", "::169.254.169.254",
			"::ffff:0:a9fe:a9fe",
		},
	} {
		for _, address := range addresses {
			got := never
			for _, profile := range profiles {
				if profile.sender.Allows(netip.MustParseAddr(address)) {
					got = profile.name
					break
				}
			}
			if got != want {
				t.Errorf("%s is dialled %s, want %s", address, got, want)
			}
		}
	}
}

// TestOwnAddressesAreRefused checks that the addresses of this host's interfaces are not
// dialled, public ones included, that changes are noticed, and that --webhook-allow and
// the profile local allow them.
func TestOwnAddressesAreRefused(t *testing.T) {
	t.Parallel()
	own := []net.Addr{&net.IPNet{IP: net.ParseIP("93.184.216.34"), Mask: net.CIDRMask(24, 32)}, &net.IPNet{IP: net.ParseIP("2606:2800:220:1::1"), Mask: net.CIDRMask(64, 128)}}
	uat := hooks.NewSender(hooks.Network{}, hooks.Signature{})
	local := hooks.NewSender(hooks.Network{AllowPrivate: true}, hooks.Signature{})
	allowed := hooks.NewSender(hooks.Network{Allow: []netip.Prefix{netip.MustParsePrefix("93.184.216.34/32"), netip.MustParsePrefix("2606:2800::/32")}}, hooks.Signature{})
	for _, sender := range []*hooks.Sender{uat, local, allowed} {
		sender.SetInterfaceAddrs(func() ([]net.Addr, error) { return own, nil })
	}
	for _, address := range []string{"93.184.216.34", "::ffff:93.184.216.34", "64:ff9b::93.184.216.34", "2606:2800:220:1::1"} {
		ip := netip.MustParseAddr(address)
		if uat.Allows(ip) {
			t.Errorf("uat delivers to its own address %s", ip)
		}
		if !allowed.Allows(ip) {
			t.Errorf("--webhook-allow does not allow %s", ip)
		}
		if !ip.Is6() && !local.Allows(ip) {
			t.Errorf("local does not deliver to its own address %s", ip)
		}
	}
	if err := uat.CheckHost("93.184.216.34"); err != delivery.ErrNotAllowed {
		t.Errorf("check of a host: got %v, want %v", err, delivery.ErrNotAllowed)
	}
	if !uat.Allows(netip.MustParseAddr("93.184.216.35")) {
		t.Error("a neighbour is refused")
	}
	uat.SetInterfaceAddrs(func() ([]net.Addr, error) { return nil, os.ErrPermission })
	if uat.Allows(netip.MustParseAddr("1.1.1.1")) {
		t.Error("an address is dialled although the host's own addresses are unknown")
	}

	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	real := hooks.NewSender(hooks.Network{}, hooks.Signature{})
	for _, address := range interfaces {
		ip, _ := netip.AddrFromSlice(address.(*net.IPNet).IP)
		host := ip.Unmap().String()
		if ip.Unmap().Is6() {
			host = "[" + host + "]"
		}
		if got := send(t, real, host); got != "blocked_address" {
			t.Errorf("own address %s: failure %q, want blocked_address", host, got)
		}
	}
}

// TestNamesOfInwardAddressesAreNotDialled resolves a host name to addresses that the
// profile uat refuses.
func TestNamesOfInwardAddressesAreNotDialled(t *testing.T) {
	servertest.Proves(t, "Chosen, events and delivery: the IP address that is dialled is checked, not only the URL")
	t.Parallel()
	receiver := servertest.NewReceiver(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(receiver.URL, "http://"), ":")
	for _, address := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "192.0.2.1", "198.18.0.1", "240.0.0.1", "0.0.0.0", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2001:db8::1", "fd00:ec2::254"} {
		sender := hooks.NewSender(hooks.Network{Resolver: servertest.Resolver(t, address)}, hooks.Signature{})
		message := delivery.Message{URL: "http://receiver.example:" + port}
		if err := sender.CheckHost("receiver.example"); err != nil {
			t.Errorf("the name is refused: %v", err)
		}
		if got := sender.Send(t.Context(), message, time.Now).Failure; got != "blocked_address" {
			t.Errorf("a name of %s: failure %q, want blocked_address", address, got)
		}
	}
	if n := len(receiver.Received()); n != 0 {
		t.Errorf("%d deliveries to loopback", n)
	}
	sender := hooks.NewSender(hooks.Network{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: servertest.Resolver(t, "127.0.0.1")}, hooks.Signature{})
	if got := sender.Send(t.Context(), delivery.Message{URL: "http://receiver.example:" + port}, time.Now); got.Status != http.StatusOK {
		t.Errorf("a name of an allowed address: %+v, want 200", got)
	}
}

// TestHostsThatLookLikeAddresses checks hosts that are neither names nor addresses, and
// names that only look like addresses.
func TestHostsThatLookLikeAddresses(t *testing.T) {
	t.Parallel()
	sender := hooks.NewSender(hooks.Network{AllowPrivate: true}, hooks.Signature{})
	for _, host := range []string{"999.1.1.1", "1.2.3.4.5", "08.8.8.8", "256.1", "4294967296", "0x100000000", "127.0.0.1..", "1..2", ".", "0x", "0x7f.1.2.3.4", "::g", "fe80::1%", "127.0.0.1%lo"} {
		if err := sender.CheckHost(host); err != delivery.ErrInvalidHost {
			t.Errorf("%s: got %v, want %v", host, err, delivery.ErrInvalidHost)
		}
	}
	for _, host := range []string{"localhost", "example.com", "1.example.com", "127.0.0.1.example", "0xabc.example", "10-0-0-1.example", "a.1.2", "beef", "service_a", "web-1"} {
		if err := sender.CheckHost(host); err != nil {
			t.Errorf("%s: got %v, want nil", host, err)
		}
	}
	uat := hooks.NewSender(hooks.Network{}, hooks.Signature{})
	for _, host := range refusedHosts(t) {
		if err := uat.CheckHost(strings.Replace(strings.Trim(host, "[]"), "%25", "%", 1)); !errors.Is(err, delivery.ErrNotAllowed) {
			t.Errorf("%s: got %v, want %v", host, err, delivery.ErrNotAllowed)
		}
	}
	if hosts := refusedHosts(t); len(slices.Compact(slices.Sorted(slices.Values(hosts)))) != len(hosts) {
		t.Error("a host is listed twice")
	}
}
