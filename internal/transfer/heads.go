package transfer

import (
	"errors"
	"log/slog"
)

const (
	// ordinaryHead is the size in bytes up to which a head is always read. net/http reads
	// connections in parts of this size.
	ordinaryHead = 4 << 10
	// allHeads limits the heads that are being read and those of requests in progress, in
	// bytes. net/http needs up to 20 times as much memory for a head of very short lines.
	allHeads = 8 << 20
)

var errTooManyHeads = errors.New("the heads of the requests in progress are too large")

// Read implements net.Conn. It fails if the head of a request exceeds ordinaryHead
// while the heads of all connections together exceed allHeads.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.listener.readHead(c, int64(n)) {
		return 0, errTooManyHeads
	}
	return n, err
}

// readHead counts bytes that have been read from the connection, if they belong to the
// head of a request. It reports whether the head may be that large.
func (l *Listener) readHead(c *conn, n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.peer == nil || c.headRead {
		return true
	}
	c.head += n
	l.heads += n
	if c.head <= ordinaryHead || l.heads <= allHeads {
		return true
	}
	if l.shouldLog() {
		slog.Warn("connections closed: the heads of the requests in progress are too large", "remote_address", c.peer.address, "limit", allHeads)
	}
	return false
}

// forgetHead removes the head of the connection's last request from the sum. l.mu is held.
func (l *Listener) forgetHead(c *conn) {
	l.heads -= c.head
	c.head, c.headRead = 0, false
}
