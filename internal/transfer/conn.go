package transfer

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// writeBytes is the number of bytes that are written at once. It is small, so that a
// large response makes visible progress on systems that do not report how much the
// client has received.
const writeBytes = 64 << 10

// conn is a client's connection. While the client has not received all that was
// written, conn checks several times per stall timeout whether the client received more.
// This includes what was written before but is still in the system's buffers: a client
// that reads slowly empties them in large steps, and one that has stopped reading may
// never fill them.
type conn struct {
	net.Conn
	listener  *Listener
	limits    *Limits
	handshake handshake
	closing   sync.Once
	peer      *peer         // nil once it is closed
	list      *list.List    // the list in which it is: idle of the listener, or busy of its peer
	place     *list.Element // in the list
	head      int64         // bytes of the head of the request, at least
	headRead  bool          // the head has arrived completely
	read      int64         // bytes since the end of the previous request
	caller    *caller       // of the request in progress; nil if it is unknown
	request   *list.Element // in the caller's list

	waiting      *list.Element // in the list below; nil if it is not idle, or has no head
	waitingIn    *list.List    // waiting or buffered of the listener
	waitingSince time.Time
	ahead        int64 // bytes of the next request that may be buffered, while it is in buffered

	mu       sync.Mutex
	watching bool // a check is due
	timer    *time.Timer
	writing  bool
	accepted int64 // bytes that the system has accepted
	ended    string

	received    int64     // bytes that the client had received at the last check
	progressAt  time.Time // of the last check that found progress
	windowAt    time.Time // start of the window of the minimum rate
	windowStart int64     // received at that time
}

type connKey struct{}

// ConnContext is the ConnContext of an http.Server that serves a Listener, with or
// without TLS. Ended needs it.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, accepted(c))
}

// accepted returns the connection that the Listener returned, which may have TLS on it.
func accepted(c net.Conn) net.Conn {
	if secure, ok := c.(*tls.Conn); ok {
		return secure.NetConn()
	}
	return c
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (written int, err error) {
	c.handshake.wrote(len(p))
	c.watch()
	for written < len(p) && err == nil {
		var n int
		n, err = c.Conn.Write(p[written:min(len(p), written+writeBytes)])
		written += n
		c.mu.Lock()
		c.accepted += int64(n)
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.writing = false
	c.mu.Unlock()
	return written, err
}

// CloseWrite closes the connection for writing. net/http calls it, so that a client
// that is still sending can read the response.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.handshake.end()
	c.closing.Do(func() { c.listener.remove(c) })
	c.mu.Lock()
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

// watch begins a write, and schedules the first check unless one is due already.
func (c *conn) watch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writing = true
	if c.watching {
		return
	}
	c.watching = true
	now := time.Now()
	c.received, _ = c.progress()
	c.progressAt, c.windowAt, c.windowStart = now, now, c.received
	if c.timer == nil {
		c.timer = time.AfterFunc(c.limits.Stall/4, c.check)
	} else {
		c.timer.Reset(c.limits.Stall / 4)
	}
}

// progress returns how many bytes the client has received, and whether it has not
// received all yet. c.mu is held.
func (c *conn) progress() (received int64, more bool) {
	if received, unsent, ok := acknowledged(c.Conn); ok {
		return received, unsent || c.writing
	}
	return c.accepted, c.writing
}

// check closes the connection if the client receives too little.
func (c *conn) check() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	received, more := c.progress()
	if !more {
		c.watching = false
		return
	}
	if received > c.received {
		c.received, c.progressAt = received, now
	}
	window := now.Sub(c.windowAt)
	switch {
	case now.Sub(c.progressAt) >= c.limits.Stall:
		c.end(c.limits.stalled("read"))
		return
	case window < c.limits.Window:
	case received-c.windowStart < c.limits.minimum(window):
		c.end(c.limits.tooSlow("read"))
		return
	default:
		c.windowAt, c.windowStart = now, received
	}
	c.timer.Reset(c.limits.Stall / 4)
}

// end closes the connection and discards its buffers. Later reads and writes of the
// handler fail. c.mu is held.
func (c *conn) end(reason string) {
	c.ended = reason
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0) // discards what the client does not read
	}
	c.Conn.Close() // net/http calls Close of conn
}

func (c *conn) whyEnded() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}
