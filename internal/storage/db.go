// Package storage keeps rows in Postgres and uploaded files in an object
// store. It does not know what the rows and files mean.
package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// DB is a connection pool or a transaction.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Begin(ctx context.Context) (pgx.Tx, error)
}

var environmentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// Open returns a connection pool for the database at url. The tables of an
// environment live in a schema of that name, so several environments can share
// a database without seeing each other's rows. Open does not connect: if the
// database is unreachable, the first query fails.
func Open(ctx context.Context, url, environment string) (*pgxpool.Pool, error) {
	config, _, err := parseConfig(url, environment)
	if err != nil {
		return nil, err
	}
	if !setInURL(url) {
		config.MaxConns = 16
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// setInURL reports whether the URL sets the number of connections.
func setInURL(url string) bool { return strings.Contains(url, "pool_max_conns") }

func parseConfig(url, environment string) (*pgxpool.Config, *connector, error) {
	if !environmentName.MatchString(environment) || strings.HasPrefix(environment, "pg_") {
		return nil, nil, fmt.Errorf("environment name %q is invalid: it must start with a letter, followed by up to 39 letters, digits, - or _, and must not start with pg_", environment)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, nil, fmt.Errorf("database URL: %w", err)
	}
	params := config.ConnConfig.RuntimeParams
	params["search_path"] = pgx.Identifier{environment}.Sanitize()
	params["timezone"] = "UTC"
	if params["application_name"] == "" {
		params["application_name"] = applicationName(environment)
	}
	params["statement_timeout"] = "15s"
	detectStoppedPeers(config.ConnConfig)
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		pgxuuid.Register(conn.TypeMap()) // pgx alone would convert each uuid.UUID to text
		return nil
	}
	return config, useConnector(config), nil
}

// process distinguishes the connections of this process.
var process = rand.Text()[:8]

// applicationName is how PostgreSQL lists the connections of this process. It has at
// most 63 bytes.
func applicationName(environment string) string { return serversOf(environment) + process }

// serversOf is the beginning of the names of all servers of an environment.
func serversOf(environment string) string { return "understudy " + environment + " " }

// OtherServers reports whether other processes use the environment's database. It
// returns true if a pooler hides them.
func OtherServers(ctx context.Context, db DB, environment string) (found bool, err error) {
	err = db.QueryRow(ctx, `
		select exists (
			select from pg_stat_activity
			where datname = current_database()
			and starts_with(application_name, @servers)
			and application_name <> @own
		) or coalesce(current_setting(@pooled, true), '') = 'on'`,
		pgx.StrictNamedArgs{"servers": serversOf(environment), "own": applicationName(environment), "pooled": pooledSetting}).Scan(&found)
	return found, err
}

// One runs a query that must return exactly one row, and returns that row. The
// error is pgx.ErrNoRows if there is none, pgx.ErrTooManyRows if there are
// more.
func One[T any](ctx context.Context, db DB, sql string, args pgx.StrictNamedArgs) (T, error) {
	rows, err := db.Query(ctx, sql, args)
	if err != nil {
		var zero T
		return zero, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
}

// All runs a query and returns all its rows.
func All[T any](ctx context.Context, db DB, sql string, args pgx.StrictNamedArgs) ([]T, error) {
	rows, err := db.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// IDs returns the ids that the query finds in its only column.
func IDs(ctx context.Context, db DB, sql string, args pgx.StrictNamedArgs) ([]uuid.UUID, error) {
	rows, err := db.Query(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// MaxAnnounced is the maximum number of tenants that the SQL function announce_tenants
// announces: a transaction that names more of them delays the readers of all feeds.
const MaxAnnounced = 50

// InLockOrder returns the ids sorted and without duplicates. Transactions that
// lock rows in this order cannot deadlock with each other.
func InLockOrder(ids []uuid.UUID) []uuid.UUID {
	sorted := slices.SortedFunc(slices.Values(ids), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(sorted)
}

// Unavailable reports whether err means that the database is unreachable or
// temporarily unable to serve, so that the same call may succeed later.
func Unavailable(err error) bool { return UnavailableReason(err) != "" }

// lockNotAvailable is PostgreSQL's error code of a lock timeout.
const lockNotAvailable = "55P03"

// ErrLocked is the error of a transaction that ended because another transaction held a lock
// for too long.
var ErrLocked = errors.New("another transaction holds a lock")

// IsLocked reports whether err means that a statement waited too long for a lock.
func IsLocked(err error) bool { return errorCode(err) == lockNotAvailable }

// UnavailableReason returns the reason why the database is unavailable, or "" if err
// does not mean that it is.
func UnavailableReason(err error) string {
	const unavailable = "the database is unavailable: retry"
	code := errorCode(err)
	switch {
	case isA[*pgconn.ConnectError](err):
		return unavailable
	case errors.Is(err, context.DeadlineExceeded):
		return "no database connection was free in time, or the call took too long: retry"
	case code == lockNotAvailable || errors.Is(err, ErrLocked):
		return "a lock in the database was not free in time: retry"
	case code == "57014":
		return "a database statement took too long: retry"
	case code == diskFull:
		return "the database is unavailable: its disk is full: retry later"
	case collided(err):
		return "the call conflicted with other calls in the database too often: retry"
	case code != "":
		// Connection exceptions, insufficient resources, operator intervention (such as
		// a shutdown), system errors (such as failed reads of its files), statements that the
		// connection to a pooler or to a promoted standby has not prepared, a read-only standby,
		// and the end of a transaction in which this server was frozen for too long.
		if slices.Contains([]string{"08", "26", "53", "57", "58"}, code[:2]) || slices.Contains([]string{readOnlyTransaction, "25P03", "25P04"}, code) {
			return unavailable
		}
		return ""
	case isA[*net.OpError](err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) || err != nil && noUsableConnection(err):
		return unavailable
	}
	return ""
}

// noUsableConnection reports whether pgxpool gave up because all connections that it tried were
// broken, or because the pool is closed. It does not export these errors.
func noUsableConnection(err error) bool {
	text := err.Error()
	return strings.Contains(text, "too many failed attempts acquiring connection") || strings.HasSuffix(text, "closed pool")
}
