package servertest

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

// BytesRead counts the bytes that the server reads from the database.
type BytesRead struct{ read atomic.Int64 }

// Record is an option that counts the bytes.
func (b *BytesRead) Record(t testing.TB) func(*Options) {
	return func(o *Options) {
		o.DB.Each(func(pool **pgxpool.Pool) {
			config := (*pool).Config()
			dial := config.ConnConfig.DialFunc
			config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dial(ctx, network, address)
				return countingConn{conn, &b.read}, err
			}
			(*pool).Close()
			var err error
			if *pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Take returns the number of bytes since the last call of Take.
func (b *BytesRead) Take() int64 { return b.read.Swap(0) }

type countingConn struct {
	net.Conn
	read *atomic.Int64
}

func (c countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.read.Add(int64(n))
	return n, err
}
