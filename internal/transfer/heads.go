package transfer

import (
	"container/list"
	"context"
	"log/slog"
	"runtime"
	"time"
)

const (
	// allHeads limits the heads of all requests, those that are being read and those in
	// progress, in bytes. net/http needs up to 30 times as much memory for heads of very
	// short lines.
	allHeads = 8 << 20
	// largeHeads is the size in bytes of the heads of one address from which on its connections are closed
	// first.
	largeHeads = allHeads / 8
	// headTime is the time within which the head of a request arrives from an ordinary client.
	headTime = time.Second
)

// A request can arrive together with the head of the next one, which is then in buffers.
const (
	plainBuffer = 4 << 10        // bytes that net/http reads at once
	tlsBuffer   = 16<<10 + 4<<10 // and of a record of TLS
)

const tooManyHeads = "the heads of the requests in progress are too large"

// Read implements net.Conn. If the heads of all connections together exceed allHeads, it closes a
// connection: see longestHead. During a TLS handshake, it waits for a turn after it has read a record. After each
// read it lets other goroutines run. Otherwise a goroutine that reads a body which always has
// more data would run for a whole time slice of the scheduler (10 ms), and a short call would wait for the
// slices of all such goroutines.
func (c *conn) Read(p []byte) (int, error) {
	c.handshake.pass()
	n, err := c.Conn.Read(p)
	if n == 0 {
		return n, err
	}
	if err := c.handshake.begin(c.Conn, p[:n]); err != nil {
		return 0, err
	}
	if closed := c.listener.readHead(c, int64(n)); closed != nil {
		closed.mu.Lock()
		closed.end(tooManyHeads)
		closed.mu.Unlock()
	}
	runtime.Gosched()
	return n, err
}

// readHead counts bytes that have been read from the connection, if they belong to the
// head of a request. If all heads together are too large, it returns the connection that
// the caller must close.
func (l *Listener) readHead(c *conn, n int64) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.read += n
	if c.peer == nil || c.headRead {
		return nil
	}
	c.head += n
	l.heads += n
	if c.caller != nil { // a handler named the caller after the previous request had ended
		c.caller.heads += n
		l.called += n
	}
	l.setWaiting(c, &l.waiting)
	if l.heads <= allHeads {
		return nil
	}
	closed := l.longestHead()
	if l.shouldLog() {
		slog.Warn("connections closed: "+tooManyHeads, "remote_address", closed.peer.address, "limit", allHeads)
	}
	l.forgetHead(closed)
	return closed
}

// longestHead returns the connection to close because all heads together are too large: usually the one that
// longestOfLargest returns. An ordinary head arrives quickly, so if none has been waiting for long, the place
// of most of the bytes decides: if they belong to requests in progress whose callers are known, the
// caller with the most bytes loses its oldest request; if they are in buffers, a connection whose next
// request may be buffered is closed.
// l.mu is held, and a connection is waiting.
func (l *Listener) longestHead() *conn {
	oldest := l.waiting.Front().Value.(*conn)
	if others := l.heads - l.called - l.ahead; time.Since(oldest.waitingSince) >= headTime || others > max(l.called, l.ahead) {
		return l.longestOfLargest(oldest)
	}
	if l.ahead > l.called {
		return l.buffered.Front().Value.(*conn)
	}
	var most *caller
	for _, c := range l.callers {
		if most == nil || c.heads > most.heads {
			most = c
		}
	}
	return most.requests.Front().Value.(*conn)
}

// longestOfLargest finds the address whose waiting heads have the most bytes, and returns its connection that
// has been waiting longest. If that address has less than largeHeads bytes, it returns oldest. Addresses that
// are exempt from limits do not count, because they stand for many clients. l.mu is held.
func (l *Listener) longestOfLargest(oldest *conn) *conn {
	sums, first := map[*peer]int64{}, map[*peer]*conn{}
	most := oldest.peer
	for e := l.waiting.Front(); e != nil; e = e.Next() {
		c := e.Value.(*conn)
		if c.peer.exempt {
			continue
		}
		if first[c.peer] == nil {
			first[c.peer] = c
		}
		if sums[c.peer] += c.head; sums[c.peer] > sums[most] {
			most = c.peer
		}
	}
	if sums[most] < largeHeads {
		return oldest
	}
	return first[most]
}

// caller is who makes requests, such as a tenant.
type caller struct {
	id       any
	heads    int64     // sum of the heads of its requests
	requests list.List // of *conn: those with a request in progress, the oldest request first
}

// RequestOf attributes the request to the caller until the request ends. Call it after the
// client has been authenticated. id must be comparable. ctx is the context of a request whose
// server has ConnContext; with another context, RequestOf does nothing.
func RequestOf(ctx context.Context, id any) {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return
	}
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.peer == nil || c.caller != nil { // the connection is closed, or the caller is known
		return
	}
	if c.caller = l.callers[id]; c.caller == nil {
		c.caller = &caller{id: id}
		l.callers[id] = c.caller
	}
	c.request = c.caller.requests.PushBack(c)
	c.caller.heads += c.head
	l.called += c.head
}

// forgetCaller undoes RequestOf. l.mu is held.
func (l *Listener) forgetCaller(c *conn) {
	if c.caller == nil {
		return
	}
	c.caller.requests.Remove(c.request)
	if c.caller.requests.Len() == 0 {
		delete(l.callers, c.caller.id)
	}
	c.caller.heads -= c.head
	l.called -= c.head
	c.caller, c.request = nil, nil
}

// setWaiting puts the connection into one of the lists of idle connections with a head; nil
// for neither. l.mu is held.
func (l *Listener) setWaiting(c *conn, in *list.List) {
	if c.waitingIn == in {
		return
	}
	if c.waitingIn != nil {
		c.waitingIn.Remove(c.waiting)
		l.ahead -= c.ahead
		c.ahead = 0
	}
	if c.waitingIn = in; in != nil {
		c.waiting, c.waitingSince = in.PushBack(c), time.Now()
	}
	if in == &l.buffered {
		c.ahead = c.head
		l.ahead += c.ahead
	}
}

// endHead replaces the head of the request that has ended by what can be buffered of the
// next one. secure reports whether the connection has TLS. l.mu is held.
func (l *Listener) endHead(c *conn, secure bool) {
	l.forgetHead(c)
	buffer := int64(plainBuffer)
	if secure {
		buffer = tlsBuffer
	}
	c.head, c.read = min(c.read, buffer), 0
	l.heads += c.head
}

// forgetHead removes the head of the connection's last request from the sum. l.mu is held.
func (l *Listener) forgetHead(c *conn) {
	l.forgetCaller(c)
	l.heads -= c.head
	c.head, c.headRead = 0, false
	l.setWaiting(c, nil)
}
