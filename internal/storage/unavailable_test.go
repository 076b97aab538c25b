package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestUnavailableErrors lists errors of PostgreSQL, of connections and of programs, and whether
// they mean that the database is unavailable. Calls that fail with such an error get 503, the
// others 500.
func TestUnavailableErrors(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"08000", "08003", "08006", "08P01", // connections
		"25006", "25P03", "25P04", // a read-only standby, timeouts of transactions
		"26000",                   // a prepared statement of another connection
		"40001", "40P01", "55P03", // conflicts with other transactions
		"53000", "53100", "53200", "53300", "53400", // resources
		"57000", "57014", "57P01", "57P02", "57P03", "57P04", "57P05", // shutdowns and cancellations
		"58000", "58030", "58P01", // files of the database
	} {
		if err := fmt.Errorf("load: %w", &pgconn.PgError{Code: code}); !storage.Unavailable(err) {
			t.Errorf("%s does not count as unavailable", code)
		}
	}
	for _, code := range []string{"0A000", "22P02", "23503", "23505", "25P02", "42601", "42P01", "54000", "XX000"} {
		if err := fmt.Errorf("load: %w", &pgconn.PgError{Code: code}); storage.Unavailable(err) {
			t.Errorf("%s counts as unavailable", code)
		}
	}
	for _, err := range []error{
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, &net.OpError{Op: "read", Err: syscall.ECONNRESET}, context.DeadlineExceeded, storage.ErrLocked,
	} {
		if err := fmt.Errorf("load: %w", err); !storage.Unavailable(err) {
			t.Errorf("%v does not count as unavailable", err)
		}
	}
	for _, err := range []error{nil, errors.New("wrong"), pgx.ErrNoRows, pgx.ErrTxClosed, pgx.ErrTxCommitRollback, context.Canceled} {
		if storage.Unavailable(err) {
			t.Errorf("%v counts as unavailable", err)
		}
	}
}

// TestPoolsWithoutUsableConnections causes errors that pgxpool does not export: one of a pool whose
// connections break as soon as they have started, and one of a closed pool.
func TestPoolsWithoutUsableConnections(t *testing.T) {
	t.Parallel()
	config := storagetest.DB(t).Config()
	config.MaxConns = 2
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error { return conn.PgConn().Conn().Close() }
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true }
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		_, err := pool.Exec(t.Context(), "select")
		if err == nil || !strings.Contains(err.Error(), want) || !storage.Unavailable(err) {
			t.Errorf("%v, unavailable: %t; want %q and true", err, storage.Unavailable(err), want)
		}
	}
	check("too many failed attempts")
	pool.Close()
	check("closed pool")
}
