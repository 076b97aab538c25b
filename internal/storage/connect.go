package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	connectTimeout = 3 * time.Second
	// hostTimeout applies to each host if the URL names several, so that a host that
	// does not respond delays a failover only a little.
	hostTimeout = time.Second
)

// maxStatements is the maximum number of statements that pgx remembers for a connection. It
// reserves memory for all of them.
const maxStatements = 256

// connector prepares the connections to one database. It applies their settings, which
// is done differently if a pooler such as PgBouncer is between, and closes the
// connections to the earlier primary after a failover.
type connector struct {
	hosts   int  // in the URL
	primary bool // the URL restricts connections to the primary, by target_session_attrs

	checked atomic.Bool  // it is known whether there is a pooler
	pooled  atomic.Bool  // there is a pooler
	full    *atomic.Bool // PostgreSQL had no disk space

	mu      sync.Mutex
	host    string // of the newest connection
	suspect bool   // host did not respond since, or is not the primary
	open    map[*hostConn]struct{}
}

// useConnector makes the connections of the pool connect with a new connector.
func useConnector(config *pgxpool.Config) *connector {
	c := &connector{primary: config.ConnConfig.ValidateConnect != nil, full: new(atomic.Bool), open: map[*hostConn]struct{}{}}
	hosts := map[string]bool{}
	for _, host := range hostsOf(config.ConnConfig) {
		hosts[hostName(host)] = true
	}
	c.hosts = len(hosts)
	config.ConnConfig.ConnectTimeout = connectTimeout
	if c.hosts > 1 {
		config.ConnConfig.ConnectTimeout = hostTimeout
	}
	config.BeforeConnect = c.prepare
	return c
}

// errPooler is the error of a connection that has turned out to use a pooler.
var errPooler = errors.New("a connection pooler is between the server and PostgreSQL: connect again")

// prepare changes the configuration of a single connection. Its run-time parameters
// become settings of the session or, if the session belongs to a pooler that shares it
// with other clients, of each transaction. A pooler would reject most of them when the
// connection starts.
func (c *connector) prepare(ctx context.Context, config *pgx.ConnConfig) error {
	settings := takeSettings(config.RuntimeParams)
	c.followHost(config)
	if !c.checked.Load() {
		c.check(ctx, config)
	}
	config.OnPgError = noteFull(c.full, dropUnusable(config.OnPgError))
	config.OnNotice = rejectUnreplicated
	host := c.trackHost(config)
	statements := min(config.StatementCacheCapacity, maxStatements)
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = statements, 0
	if config.DefaultQueryExecMode == pgx.QueryExecModeExec || config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // Values needs results in binary form
		config.DescriptionCacheCapacity = statements
	}
	if c.pooled.Load() {
		config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, statements
		// The session's socket belongs to the pooler.
		maps.DeleteFunc(settings, func(name, _ string) bool { return strings.HasPrefix(name, "tcp_") })
		settings[pooledSetting] = "on"
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // no prepared statements
		var transactions *transactionSettings
		config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
			transactions = newTransactionSettings(r, w, settingsQuery(settings, true))
			return pgproto3.NewFrontend(transactions, transactions)
		}
		config.AfterConnect = func(context.Context, *pgconn.PgConn) error {
			transactions.begin()
			c.connected(host())
			return nil
		}
		return nil
	}
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		ours, err := onOwnSession(ctx, conn, settingsQuery(settings, false))
		if err != nil {
			return err
		}
		if !ours {
			c.pooled.Store(true)
			return errPooler
		}
		// This ends long queries of a server that has disconnected. It is not set like the
		// other settings because some operating systems do not support it, and PostgreSQL
		// rejects it there.
		_ = conn.Exec(ctx, "set client_connection_check_interval = '5s'").Close()
		c.connected(host())
		return nil
	}
	return nil
}

// check finds out on a connection of its own whether there is a pooler. It does nothing
// if the database is unreachable: then the caller's connection fails too.
func (c *connector) check(ctx context.Context, config *pgx.ConnConfig) {
	conn, err := pgconn.ConnectConfig(ctx, &config.Copy().Config)
	if err != nil {
		return
	}
	defer conn.Close(ctx)
	if ours, err := onOwnSession(ctx, conn, "select 1"); err == nil {
		c.pooled.Store(!ours)
		c.checked.Store(true)
	}
}

// onOwnSession runs the query if the session belongs to the connection alone. It returns
// false if a pooler is between: a pooler gives each client a process ID of its own, with
// which it recognises requests for cancellation.
func onOwnSession(ctx context.Context, conn *pgconn.PgConn, query string) (bool, error) {
	results, err := conn.Exec(ctx, fmt.Sprintf("%s where pg_backend_pid() = %d", query, conn.PID())).ReadAll()
	if err != nil {
		return false, err
	}
	return len(results) == 1 && len(results[0].Rows) > 0, nil
}

// trackedByPoolers are the run-time parameters that PgBouncer accepts when a connection
// starts, and then restores for each transaction.
var trackedByPoolers = []string{"application_name", "client_encoding", "datestyle", "timezone", "standard_conforming_strings", "options"}

// takeSettings removes the parameters that a pooler does not restore, and returns them.
func takeSettings(params map[string]string) map[string]string {
	settings := maps.Clone(params)
	maps.DeleteFunc(settings, func(name, _ string) bool { return slices.Contains(trackedByPoolers, strings.ToLower(name)) })
	maps.DeleteFunc(params, func(name, _ string) bool { _, taken := settings[name]; return taken })
	return settings
}

// settingsQuery returns a query that applies the settings to the session or to the
// transaction, and returns a row for each.
func settingsQuery(settings map[string]string, transaction bool) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		rows = append(rows, "("+quote(name)+", "+quote(settings[name])+")")
	}
	return fmt.Sprintf("select set_config(name, value, %t) from (values %s) as settings (name, value)", transaction, strings.Join(rows, ", "))
}

// pooledSetting is the name of a setting that is on if a pooler is between the server
// and PostgreSQL.
const pooledSetting = "understudy.pooled"

// readOnlyTransaction is the code of the error of a statement that changes rows on a
// standby, or in a database that accepts no changes.
const readOnlyTransaction = "25006"

// dropUnusable returns a handler that closes a connection to a server that accepts no
// changes, in addition to those that next closes.
func dropUnusable(next pgconn.PgErrorHandler) pgconn.PgErrorHandler {
	return func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		return next(conn, err) && err.Code != readOnlyTransaction
	}
}

// rejectUnreplicated closes the connection if PostgreSQL stops waiting for a synchronous
// standby, because somebody has cancelled the statement. PostgreSQL then reports success,
// but a failover would lose the commit.
func rejectUnreplicated(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Routine == "SyncRepWaitForLSN" {
		conn.Conn().Close()
	}
}

// connect makes a connection of its own with the configuration of a pool.
func connect(ctx context.Context, config *pgxpool.Config) (*pgx.Conn, error) {
	if err := config.BeforeConnect(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, config.ConnConfig)
}

// Listen returns a connection of its own that listens on the channel. It returns nil if
// a pooler is between the server and PostgreSQL, because it would not pass on
// notifications.
func Listen(ctx context.Context, pool *pgxpool.Pool, channel string) (*pgx.Conn, error) {
	conn, err := connect(ctx, pool.Config())
	if err != nil {
		return nil, err
	}
	var pooled bool
	err = conn.QueryRow(ctx, "select coalesce(current_setting($1, true), '') = 'on'", pooledSetting).Scan(&pooled)
	if err == nil && !pooled {
		_, err = conn.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize())
	}
	if err != nil || pooled {
		conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}
