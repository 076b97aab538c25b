package transfer

import (
	"container/list"
	"log/slog"
	"time"
)

const (
	// allHeads limits the heads of all requests, those that are being read and those in
	// progress, in bytes. net/http needs up to 30 times as much memory for heads of very
	// short lines.
	allHeads = 8 << 20
	// headTime is the time within which the head of a request arrives from an ordinary client.
	headTime = time.Second
	// headBodies is the number of bodies that a sender can send at a time without the risk that
	// one of its connections is closed to make room for the heads of others.
	headBodies = 32
)

// A request can arrive together with the head of the next one, which is then in buffers.
const (
	plainBuffer = 4 << 10        // bytes that net/http reads at once
	tlsBuffer   = 16<<10 + 4<<10 // and of a record of TLS
)

const tooManyHeads = "the heads of the requests in progress are too large"

// Read implements net.Conn. If the heads of all connections together exceed allHeads, it closes a
// connection: see longestHead.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n == 0 {
		return n, err
	}
	if closed := c.listener.readHead(c, int64(n)); closed != nil {
		closed.mu.Lock()
		closed.end(tooManyHeads)
		closed.mu.Unlock()
	}
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

// longestHead returns the connection to close because all heads together are too large:
// the one that has been idle longest since the first byte of a head. An ordinary head
// arrives quickly, so if none has been waiting for long, it is a connection of the sender
// with the most awaited bodies, if these are more than headBodies, or one whose next
// request may be buffered, if these are most of all heads. l.mu is held, and a connection
// is waiting.
func (l *Listener) longestHead() *conn {
	oldest := l.waiting.Front().Value.(*conn)
	if time.Since(oldest.waitingSince) < headTime {
		if c := l.longestBody(headBodies); c != nil {
			return c
		}
		if l.ahead > allHeads/2 {
			return l.buffered.Front().Value.(*conn)
		}
	}
	return oldest
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
	l.heads -= c.head
	c.head, c.headRead = 0, false
	l.setWaiting(c, nil)
}
