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

// Listener applies limits to the connections that it accepts. The http.Server that
// serves it must have its ConnState.
type Listener struct {
	net.Listener
	limits Limits

	mu        sync.Mutex
	open      int
	idle      list.List          // of *conn: those without a request, the one that has been idle longest first
	byAddress map[netip.Addr]int // number of open connections; nil = they are not counted
	loggedAt  time.Time          // when a refusal was logged last
}

// Listen returns a listener that applies the limits to the connections of another.
func Listen(l net.Listener, limits Limits) *Listener {
	limited := &Listener{Listener: l, limits: limits.withDefaults()}
	if limits.PerAddress > 0 {
		limited.byAddress = map[netip.Addr]int{}
	}
	return limited
}

// Accept implements net.Listener. It closes connections beyond the limit of their
// address. For a connection beyond the limit of the listener it closes the one that has
// been idle longest, or the new one if none is idle.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		release, ok := l.admit(accepted)
		if !ok {
			accepted.Close()
			continue
		}
		if !l.makeRoom() {
			release()
			accepted.Close()
			continue
		}
		c := &conn{Conn: accepted, limits: &l.limits}
		c.release = func() { l.remove(c); release() }
		l.add(c)
		return c, nil
	}
}

// admit counts a connection until release is called. ok is false if its address already
// has as many as the limit allows.
func (l *Listener) admit(c net.Conn) (release func(), ok bool) {
	from, err := netip.ParseAddrPort(c.RemoteAddr().String())
	address := from.Addr().Unmap()
	exempt := slices.ContainsFunc(l.limits.Exempt, func(network netip.Prefix) bool { return network.Contains(address) })
	if l.byAddress == nil || err != nil || exempt {
		return func() {}, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byAddress[address] >= l.limits.PerAddress {
		if l.shouldLog() {
			slog.Warn("connections refused: too many from one address", "remote_address", address, "limit", l.limits.PerAddress)
		}
		return nil, false
	}
	l.byAddress[address]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.byAddress[address]--; l.byAddress[address] == 0 {
			delete(l.byAddress, address)
		}
	}, true
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
