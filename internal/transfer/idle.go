package transfer

import (
	"log/slog"
	"net"
	"net/http"
)

// ConnState is the ConnState of an http.Server that serves a Listener, with or without
// TLS. A connection is idle until the header of a request has arrived completely.
func (l *Listener) ConnState(served net.Conn, state http.ConnState) {
	c, ok := accepted(served).(*conn)
	if !ok || state == http.StateNew { // Accept has added it
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.setIdle(c, state == http.StateIdle)
}

// setIdle records whether the connection is idle from now on. l.mu is held.
func (l *Listener) setIdle(c *conn, idle bool) {
	if c.idle != nil {
		l.idle.Remove(c.idle)
		c.idle = nil
	}
	if idle {
		c.idle = l.idle.PushBack(c)
	}
}

// makeRoom closes the connection that has been idle longest if the listener has as many
// as it may have. It returns false if none is idle.
func (l *Listener) makeRoom() bool {
	l.mu.Lock()
	if l.limits.Total == 0 || l.open < l.limits.Total {
		l.mu.Unlock()
		return true
	}
	oldest := l.idle.Front()
	if l.shouldLog() {
		slog.Warn("connections closed: too many are open", "limit", l.limits.Total)
	}
	l.mu.Unlock()
	if oldest == nil {
		return false
	}
	oldest.Value.(*conn).Close()
	return true
}

// add counts an open connection, which is idle.
func (l *Listener) add(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	l.setIdle(c, true)
}

// remove undoes add.
func (l *Listener) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	l.setIdle(c, false)
}
