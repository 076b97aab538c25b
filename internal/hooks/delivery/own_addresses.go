package delivery

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// ownAddressesTTL is how long the addresses of the host are cached.
const ownAddressesTTL = time.Second

// ownAddresses holds the addresses of this host's interfaces, which can change while
// the server runs. A nil *ownAddresses contains none.
type ownAddresses struct {
	interfaceAddrs func() ([]net.Addr, error)

	mu     sync.Mutex
	readAt time.Time
	known  map[netip.Addr]bool // nil = they could not be read
}

// contain reports whether the address is one of the host's. If they cannot be read, it
// reports true for every address, because it cannot rule them out.
func (o *ownAddresses) contain(ip netip.Addr) bool {
	if o == nil {
		return false
	}
	known := o.current()
	return known == nil || known[ip]
}

// readable reports whether the addresses of this host could be read.
func (o *ownAddresses) readable() bool { return o.current() != nil }

// current returns the addresses; nil if they could not be read.
func (o *ownAddresses) current() map[netip.Addr]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.readAt) > ownAddressesTTL {
		o.readAt, o.known = time.Now(), o.read()
	}
	return o.known
}

func (o *ownAddresses) read() map[netip.Addr]bool {
	addresses, err := o.interfaceAddrs()
	if err != nil {
		slog.Error("the addresses of this host could not be read: webhooks are delivered only to addresses that are allowed even for this host", "err", err)
		return nil
	}
	known := map[netip.Addr]bool{}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(network.IP); ok {
				known[ip.Unmap()] = true
			}
		}
	}
	return known
}
