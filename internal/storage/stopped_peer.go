package storage

import (
	"net"
	"time"

	"github.com/jackc/pgx/v5"
)

// detectStoppedPeers makes PostgreSQL end the transactions of a server that is frozen
// or unreachable, and release its row locks, before the lease of 15 s ends and another
// server takes over its work. It also makes this server detect in that time that
// PostgreSQL is unreachable.
func detectStoppedPeers(config *pgx.ConnConfig) {
	params := config.RuntimeParams
	// A transaction waits for the server only while the server computes, never for a
	// document, a delivery or another server.
	params["idle_in_transaction_session_timeout"] = "10s"
	// These have no effect on Unix sockets.
	params["tcp_keepalives_idle"] = "4s"
	params["tcp_keepalives_interval"] = "2s"
	params["tcp_keepalives_count"] = "3"
	params["tcp_user_timeout"] = "10s"
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 4 * time.Second, Interval: 2 * time.Second, Count: 3}}
	config.DialFunc = dialer.DialContext
}
