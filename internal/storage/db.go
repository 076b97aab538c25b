// Package storage is where things are kept: rows in Postgres, files in an
// object store. It knows nothing of what they mean.
package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is a pool or a transaction.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Begin(ctx context.Context) (pgx.Tx, error)
}

var environmentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// Open connects to the database at url, where the environment's tables live in
// a schema of its name, so that several environments can share a database and
// none sees another. It does not fail while the database is away: the first
// query does.
func Open(ctx context.Context, url, environment string) (*pgxpool.Pool, error) {
	if !environmentName.MatchString(environment) || strings.HasPrefix(environment, "pg_") {
		return nil, fmt.Errorf("environment name %q: want a letter, then up to 39 letters, digits, - or _", environment)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = 16
	}
	config.ConnConfig.ConnectTimeout = 3 * time.Second
	params := config.ConnConfig.RuntimeParams
	params["search_path"] = pgx.Identifier{environment}.Sanitize()
	params["timezone"] = "UTC"
	params["statement_timeout"] = "15s"
	params["idle_in_transaction_session_timeout"] = "60s"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
		return nil
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// One returns the row that the query must find, or pgx.ErrNoRows.
func One[T any](ctx context.Context, db DB, sql string, args pgx.StrictNamedArgs) (T, error) {
	rows, err := db.Query(ctx, sql, args)
	if err != nil {
		var zero T
		return zero, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
}

// All returns the rows that the query finds.
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

// Distinct returns the ids, each once and in order: rows that are locked in the
// order of their ids are never waited for in a ring.
func Distinct(ids []uuid.UUID) []uuid.UUID {
	sorted := slices.SortedFunc(slices.Values(ids), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(sorted)
}

// Unavailable tells whether err means that the database can't be reached or
// can't serve now, so that the same call may succeed later.
func Unavailable(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		// Connection exceptions, lack of resources, operator intervention
		// (shutdown, statement time-out), and a standby that takes no writes.
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "53") ||
			strings.HasPrefix(pg.Code, "57") || pg.Code == "25006"
	}
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

// Counts runs a query for rows of tenant_id and count, of the tenants @ids.
func Counts(ctx context.Context, db DB, sql string, tenantIDs []uuid.UUID) (map[uuid.UUID]int, error) {
	rows, err := All[struct {
		TenantID uuid.UUID
		Count    int
	}](ctx, db, sql, pgx.StrictNamedArgs{"ids": tenantIDs})
	if err != nil {
		return nil, fmt.Errorf("count: %w", err)
	}
	counts := make(map[uuid.UUID]int, len(rows))
	for _, row := range rows {
		counts[row.TenantID] = row.Count
	}
	return counts, nil
}
