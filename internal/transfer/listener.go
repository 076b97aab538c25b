package transfer

import (
	"container/list"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// sendBuffer is the size in bytes of the buffer in which the system keeps what a client has
// not received. Linux uses twice as much, and would otherwise use up to 4 MB for each
// client that reads slowly.
const sendBuffer = 64 << 10

// Listener applies limits to the connections that it accepts. The http.Server that
// serves it must have its ConnState.
type Listener struct {
	net.Listener
	limits Limits

	mu       sync.Mutex
	open     int
	heads    int64                // sum of the heads of all connections
	waiting  list.List            // of *conn: the idle ones with a head, the one that has been idle longest first
	buffered list.List            // of *conn: the idle ones of whose next request nothing has been read, but may be buffered
	ahead    int64                // sum of those bytes
	called   int64                // sum of the heads of requests whose callers are known
	callers  map[any]*caller      // with requests in progress
	idle     list.List            // of *conn: those without a request, the one that has been idle longest first
	peers    map[netip.Addr]*peer // client addresses with open connections
	loggedAt time.Time            // when a refusal was logged last
}

// peer is a client address, or a network of addressGroup, with open connections.
type peer struct {
	address netip.Addr
	exempt  bool // from the limits per address
	open    int
	busy    list.List // of *conn: those with a request in progress, the oldest request first
}

// Listen returns a listener that applies the limits to the connections of another.
func Listen(l net.Listener, limits Limits) *Listener {
	return &Listener{Listener: l, limits: limits.withDefaults(), peers: map[netip.Addr]*peer{}, callers: map[any]*caller{}}
}

// Accept implements net.Listener. It closes connections beyond the limit of their
// address. For a connection beyond the limit of the listener it closes another one, or the
// new one: see makeRoom.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, ok := accepted.(*net.TCPConn); ok {
			tcp.SetWriteBuffer(sendBuffer) // an error leaves the default
		}
		c := &conn{Conn: accepted, listener: l, limits: &l.limits, handshake: handshake{turns: l.limits.Handshakes}}
		admitted, closed := l.admit(c)
		if closed != nil {
			closed.Close()
		}
		if admitted {
			return c, nil
		}
		accepted.Close()
	}
}

// admit adds the connection, which is idle, to those of the listener, unless it exceeds a
// limit. closed, if not nil, is another connection, which the caller must close for it.
func (l *Listener) admit(c *conn) (admitted bool, closed *conn) {
	from, _ := netip.ParseAddrPort(c.RemoteAddr().String()) // the zero address if it has another form
	address := from.Addr().Unmap()
	l.mu.Lock()
	defer l.mu.Unlock()
	exempt := slices.ContainsFunc(l.limits.Exempt, func(network netip.Prefix) bool { return network.Contains(address) })
	if !exempt {
		address = addressGroup(address, clientNetwork)
	}
	p := l.peers[address]
	if p == nil {
		p = &peer{address: address, exempt: exempt}
	}
	if l.limits.PerAddress > 0 && p.open >= l.limits.PerAddress && !p.exempt && address.IsValid() {
		if l.shouldLog() {
			slog.Warn("connections refused: too many from one address", "remote_address", address, "limit", l.limits.PerAddress)
		}
		return false, nil
	}
	if l.limits.Total > 0 && l.open >= l.limits.Total {
		if l.shouldLog() {
			slog.Warn("connections closed: too many are open", "limit", l.limits.Total)
		}
		if closed = l.makeRoom(p); closed == nil {
			return false, nil
		}
	}
	l.peers[address] = p
	p.open++
	l.open++
	c.peer = p
	l.setIdle(c, true)
	return true, closed
}

// network returns the address without its port, or, if it is an IPv6 address, the prefix of the given length. It
// returns the zero value for other kinds of addresses.
func network(address net.Addr, bits int) netip.Addr {
	port, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return netip.Addr{}
	}
	return addressGroup(port.Addr().Unmap(), bits)
}

// clientNetwork is the length of the IPv6 prefix that is usually assigned to a single client.
const clientNetwork = 64

// addressGroup returns the address itself if it is an IPv4 address, and the first address of the prefix of the given
// length if it is an IPv6 address.
func addressGroup(address netip.Addr, bits int) netip.Addr {
	if address.Is6() {
		network, _ := address.WithZone("").Prefix(bits) // fails only for more bits than an address has
		return network.Addr()
	}
	return address
}

// shouldLog returns true at most once per minute. l.mu is held.
func (l *Listener) shouldLog() bool {
	now := time.Now()
	if now.Sub(l.loggedAt) <= time.Minute {
		return false
	}
	l.loggedAt = now
	return true
}
