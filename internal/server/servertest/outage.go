package servertest

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Outage is a switch that makes a server's database unreachable.
type Outage struct {
	Active  atomic.Bool
	Refused atomic.Int64 // connections refused
}

// Option returns the option of a server whose database the switch controls.
func (o *Outage) Option(t *testing.T) func(*Options) {
	return func(options *Options) {
		dialThrough(t, options, func(dial pgconn.DialFunc) pgconn.DialFunc {
			return func(ctx context.Context, network, address string) (net.Conn, error) {
				if o.Active.Load() {
					o.Refused.Add(1)
					return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("outage")}
				}
				return dial(ctx, network, address)
			}
		})
		options.DB.Each(func(pool **pgxpool.Pool) {
			config := (*pool).Config()
			config.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) { return !o.Active.Load(), nil }
			replacePool(t, pool, config)
		})
	}
}

// dialThrough makes the server's pools connect through another function.
func dialThrough(t *testing.T, options *Options, wrap func(pgconn.DialFunc) pgconn.DialFunc) {
	options.DB.Each(func(pool **pgxpool.Pool) {
		config := (*pool).Config()
		config.ConnConfig.DialFunc = wrap(config.ConnConfig.DialFunc)
		replacePool(t, pool, config)
	})
}

func replacePool(t *testing.T, pool **pgxpool.Pool, config *pgxpool.Config) {
	(*pool).Close()
	var err error
	if *pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		t.Fatal(err)
	}
}
