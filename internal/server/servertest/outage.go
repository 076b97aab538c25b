package servertest

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
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
		options.DB.Each(func(pool **pgxpool.Pool) {
			config := (*pool).Config()
			dial := config.ConnConfig.DialFunc
			config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				if o.Active.Load() {
					o.Refused.Add(1)
					return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("outage")}
				}
				return dial(ctx, network, address)
			}
			config.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) { return !o.Active.Load(), nil }
			(*pool).Close()
			var err error
			if *pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
				t.Fatal(err)
			}
		})
	}
}
