package storage

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// hostConn is a connection to one of the hosts.
type hostConn struct {
	net.Conn
	connector *connector
	host      string
}

// Close closes the connection.
func (h *hostConn) Close() error {
	h.connector.mu.Lock()
	delete(h.connector.open, h)
	h.connector.mu.Unlock()
	return h.Conn.Close()
}

// followHost makes the connection try the host of the newest connection first or, if
// that is suspect, last.
func (c *connector) followHost(config *pgx.ConnConfig) {
	c.mu.Lock()
	defer c.mu.Unlock()
	hosts := hostsOf(config)
	rank := func(host *pgconn.FallbackConfig) int {
		if (hostName(host) == c.host) == c.suspect {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(hosts, func(a, b *pgconn.FallbackConfig) int { return rank(a) - rank(b) })
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = hosts[0].Host, hosts[0].Port, hosts[0].TLSConfig, hosts[1:]
}

func hostsOf(config *pgx.ConnConfig) []*pgconn.FallbackConfig {
	return append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
}

// hostName returns the address of the host, with its name in place of its IP address.
func hostName(host *pgconn.FallbackConfig) string {
	_, address := pgconn.NetworkAddress(host.Host, host.Port)
	return address
}

// trackHost returns a function that returns the host to which the connection was made. It
// is called when the connection is ready.
func (c *connector) trackHost(config *pgx.ConnConfig) (host func() string) {
	var current string
	var ready atomic.Bool
	names := map[string]string{} // by IP address
	lookup, dial := config.LookupFunc, config.DialFunc
	config.LookupFunc = func(ctx context.Context, name string) ([]string, error) {
		addresses, err := lookup(ctx, name)
		for _, address := range addresses {
			names[address] = name
		}
		return addresses, err
	}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		host := address
		if ip, port, err := net.SplitHostPort(address); err == nil && !filepath.IsAbs(address) {
			host = net.JoinHostPort(names[ip], port)
		}
		// A connection that is ready dials again to cancel its statement.
		if ready.Load() && c.outdated(host) {
			return nil, fmt.Errorf("%s is no longer the primary", host)
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if !ready.Load() {
			current = host
		}
		tracked := &hostConn{conn, c, host}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[tracked] = struct{}{}
		return tracked, nil
	}
	return func() string {
		ready.Store(true)
		return current
	}
}

// outdated reports whether the primary is another host.
func (c *connector) outdated(host string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.primary && c.host != host
}

// connected records that a connection to the host is ready to be used. If the host is
// a new primary, connected closes the connections to the earlier one, on which
// statements would fail, or wait if the earlier primary does not respond.
func (c *connector) connected(host string) {
	c.mu.Lock()
	moved := c.host != host && c.host != ""
	c.host, c.suspect = host, false
	var outdated []*hostConn
	for conn := range c.open {
		if moved && c.primary && conn.host != host {
			outdated = append(outdated, conn)
		}
	}
	c.mu.Unlock()
	for _, conn := range outdated {
		conn.Close()
	}
	if moved {
		slog.Info("connected to another database host", "host", host, "count", len(outdated))
	}
}

// watchInterval is the time between checks of the primary, and the time in which it must
// respond to one.
const watchInterval = 500 * time.Millisecond

// watch checks repeatedly, on a connection of its own, that the host of the connections is
// still the primary, until ctx ends. Otherwise statements of background work would wait
// for a primary that does not respond until TCP gives up.
func (c *connector) watch(ctx context.Context, config *pgxpool.Config) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	var conn *pgx.Conn
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			if conn != nil {
				conn.Close(ctx)
			}
			return
		}
		if conn == nil {
			conn, _ = connect(ctx, config.Copy()) // after an error, the next check tries again
		} else if !isPrimary(ctx, conn) {
			c.mu.Lock()
			c.suspect = true
			c.mu.Unlock()
			conn.Close(ctx)
			conn = nil
		}
	}
}

// isPrimary reports whether the connection's server responds and accepts changes.
func isPrimary(ctx context.Context, conn *pgx.Conn) bool {
	ctx, cancel := context.WithTimeout(ctx, watchInterval)
	defer cancel()
	return pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, conn.PgConn()) == nil
}
