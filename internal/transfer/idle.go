package transfer

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"runtime"
)

// callerShare is the divisor of the listener's limit that gives the number of requests that
// a caller can have in progress without losing a connection to a new one.
const callerShare = 16

// ConnState is the ConnState of an http.Server that serves a Listener, with or without
// TLS. A connection is idle until the header of a request has arrived completely, and
// during AwaitBody. After each request it lets other goroutines run, as Read does, because the
// next request can be in the buffer already.
func (l *Listener) ConnState(served net.Conn, state http.ConnState) {
	c, ok := accepted(served).(*conn)
	if !ok || state == http.StateNew { // Accept has added it
		return
	}
	c.handshake.end()
	if state == http.StateIdle {
		defer runtime.Gosched() // after the lock is released
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.peer == nil {
		return // the connection is closed
	}
	if state == http.StateIdle {
		_, secure := served.(*tls.Conn)
		l.endHead(c, secure)
	} else {
		c.headRead = true
	}
	l.setIdle(c, state == http.StateIdle)
}

// AwaitBody makes the connection of a request count as idle until done is called. It is
// for reading the body of a request whose client has not been authenticated, or whose
// authentication has failed. ctx is the context of a request whose server has
// ConnContext; otherwise nothing happens.
func AwaitBody(ctx context.Context) (done func()) {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return func() {}
	}
	set := func(idle bool) {
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		if c.peer != nil {
			c.listener.setIdle(c, idle)
		}
	}
	set(true)
	return func() { set(false) }
}

// setIdle records whether the connection is idle from now on. l.mu is held.
func (l *Listener) setIdle(c *conn, idle bool) {
	l.forget(c)
	switch {
	case !idle || c.head == 0:
		l.setWaiting(c, nil)
	case c.read == 0:
		l.setWaiting(c, &l.buffered)
	default:
		l.setWaiting(c, &l.waiting)
	}
	if idle {
		c.place, c.list = l.idle.PushBack(c), &l.idle
	} else {
		c.place, c.list = c.peer.busy.PushBack(c), &c.peer.busy
	}
}

// forget removes the connection from the list in which it is. l.mu is held.
func (l *Listener) forget(c *conn) {
	if c.list != nil {
		c.list.Remove(c.place)
		c.place, c.list = nil, nil
	}
}

// makeRoom returns the connection to close for a new one of the address; nil if there
// is none. If another address has more connections, it loses the one that has been idle
// longest or, if none is idle, the one with the oldest request. So a single address
// cannot take all connections. Otherwise, the connection that has been idle longest is
// closed, among those of addresses that do not have fewer connections. Exempt addresses
// stand for many clients, so they never count as the address with the most connections. If
// no idle connection can be closed, makeRoom returns the connection that busiestCaller
// returns. l.mu is held.
func (l *Listener) makeRoom(p *peer) *conn {
	most := p
	for _, other := range l.peers {
		if !other.exempt && other.open > most.open {
			most = other
		}
	}
	if most.open > p.open+1 {
		if c := l.longestIdle(func(owner *peer) bool { return owner == most }); c != nil {
			return c
		}
		return most.busy.Front().Value.(*conn)
	}
	if c := l.longestIdle(func(owner *peer) bool { return p.exempt || owner.open >= p.open }); c != nil {
		return c
	}
	return l.busiestCaller(max(1, l.limits.Total/callerShare))
}

// busiestCaller returns the connection with the oldest request in progress of the caller
// that has the most of them; nil if it has no more than few. l.mu is held.
func (l *Listener) busiestCaller(few int) *conn {
	var most *caller
	for _, c := range l.callers {
		if most == nil || c.requests.Len() > most.requests.Len() {
			most = c
		}
	}
	if most == nil || most.requests.Len() <= few {
		return nil
	}
	return most.requests.Front().Value.(*conn)
}

// longestIdle returns the connection that has been idle longest, of the addresses that
// are eligible; nil if there is none. l.mu is held.
func (l *Listener) longestIdle(eligible func(*peer) bool) *conn {
	for e := l.idle.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*conn); eligible(c.peer) {
			return c
		}
	}
	return nil
}

// remove undoes admit.
func (l *Listener) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(c)
	l.forgetHead(c)
	l.open--
	if c.peer.open--; c.peer.open == 0 {
		delete(l.peers, c.peer.address)
	}
	c.peer = nil
}
