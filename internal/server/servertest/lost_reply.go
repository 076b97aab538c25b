package servertest

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// LostReply breaks a connection between a server and its database after PostgreSQL has
// executed a statement, so that the server does not learn that it was committed.
type LostReply struct {
	parameter atomic.Pointer[string]
	Lost      atomic.Int64 // replies
}

// To loses the reply to the next statement that has a parameter which contains the text.
func (l *LostReply) To(parameter string) { l.parameter.Store(&parameter) }

// Option returns the option of a server whose replies are lost.
func (l *LostReply) Option(t *testing.T) func(*Options) {
	return func(options *Options) {
		dialThrough(t, options, func(dial pgconn.DialFunc) pgconn.DialFunc {
			return func(ctx context.Context, network, address string) (net.Conn, error) {
				connection, err := dial(ctx, network, address)
				return &losingConnection{Conn: connection, replies: l}, err
			}
		})
	}
}

// losingConnection is a connection whose replies can be lost.
type losingConnection struct {
	net.Conn
	replies *LostReply
	losing  atomic.Bool
}

func (c *losingConnection) Write(p []byte) (int, error) {
	if text := c.replies.parameter.Load(); text != nil && bytes.Contains(p, []byte(*text)) && c.replies.parameter.CompareAndSwap(text, nil) {
		c.losing.Store(true)
	}
	return c.Conn.Write(p)
}

func (c *losingConnection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && c.losing.Load() {
		// PostgreSQL sends the reply after the commit.
		c.replies.Lost.Add(1)
		c.Conn.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}
