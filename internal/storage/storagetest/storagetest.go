// Package storagetest gives each test a migrated database of its own on a real
// Postgres, which is started once per test process. If TEST_DATABASE_URL is
// set, it uses that server instead of starting one.
package storagetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/postgres"
	"understudy.example/internal/storage"
)

// Environment is the environment whose schema the test databases contain.
const Environment = "sandbox"

// Main runs the tests, stops Postgres, removes its data and exits. Call it from
// TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main without the exit: it returns the exit code.
func Run(m *testing.M) int {
	code := m.Run()
	if err := stopServer(); err != nil {
		fmt.Fprintln(os.Stderr, "storagetest:", err)
		code = max(code, 1)
	}
	return code
}

// DB returns a connection pool for a new migrated database. The pool is closed
// and the database dropped when the test ends.
func DB(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return Open(t, URL(t))
}

// Open returns a connection pool for a database that URL returned. It is closed when the
// test ends.
func Open(t testing.TB, databaseURL string) *pgxpool.Pool {
	t.Helper()
	pool, err := openPool(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// QueryValue returns the only value of a query.
func QueryValue[T any](t testing.TB, db *pgxpool.Pool, sql string) (value T) {
	t.Helper()
	if err := db.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// URL returns the connection string of a new migrated database, which is
// dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	s, err := sharedServer()
	if err != nil {
		t.Fatal("storagetest: ", err)
	}
	name := s.template + "_" + strings.ToLower(rand.Text()[:10])
	// The strategy file_copy is faster than wal_log here, because fsync is off.
	if _, err := s.admin.Exec(t.Context(), "create database "+name+" template "+s.template+" strategy file_copy"); err != nil {
		t.Fatal("storagetest: ", err)
	}
	t.Cleanup(func() {
		if _, err := s.admin.Exec(context.Background(), "drop database if exists "+name+" with (force)"); err != nil {
			t.Error("storagetest: ", err)
		}
	})
	return s.databaseURL(name)
}

// server is the Postgres that all tests of this process share.
type server struct {
	url      string
	admin    *pgxpool.Pool
	template string // the migrated database that each test's database copies
	stop     func() error
}

var (
	startOnce sync.Once
	shared    *server
	startErr  error
)

func sharedServer() (*server, error) {
	startOnce.Do(func() { shared, startErr = startServer(context.Background()) })
	return shared, startErr
}

func stopServer() error {
	startOnce.Do(func() {}) // prevents a later start
	if shared == nil {
		return nil
	}
	return shared.stop()
}

func startServer(ctx context.Context) (_ *server, err error) {
	s := &server{url: os.Getenv("TEST_DATABASE_URL"), stop: func() error { return nil }}
	if s.url == "" {
		if s.url, s.stop, err = StartPostgres(ctx); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if s.admin, err = openPool(ctx, s.url); err != nil {
		return nil, err
	}
	s.template = "test_" + strings.ToLower(rand.Text()[:10])
	if _, err = s.admin.Exec(ctx, "create database "+s.template); err != nil {
		return nil, err
	}
	stopPostgres := s.stop
	s.stop = func() error {
		s.admin.Exec(ctx, "drop database if exists "+s.template+" with (force)")
		s.admin.Close()
		return stopPostgres()
	}
	pool, err := openPool(ctx, s.databaseURL(s.template))
	if err != nil {
		return nil, err
	}
	defer pool.Close() // a template database must have no connections
	return s, storage.Migrate(ctx, pool, Environment)
}

// StartPostgres starts a Postgres that is fast but loses data in a crash, and whose
// role may create databases. stop stops it and removes its data.
func StartPostgres(ctx context.Context) (url string, stop func() error, err error) {
	dir, err := os.MkdirTemp(memoryDir(), "storagetest-")
	if err != nil {
		return "", nil, err
	}
	// Postgres may run as another user, who must be able to traverse dir.
	if err := os.Chmod(dir, 0o711); err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	rules := filepath.Join(dir, "hba.conf")
	if err := os.WriteFile(rules, []byte("local all all trust\n"), 0o644); err != nil {
		return "", nil, err
	}
	private, err := postgres.Start(ctx, dir, slog.New(slog.DiscardHandler), "hba_file="+rules,
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "max_connections=300", "max_wal_size=256MB")
	if err != nil {
		return "", nil, err
	}
	if err := allowCreateDatabase(ctx, private.URL()); err != nil {
		return "", nil, errors.Join(err, private.Stop())
	}
	return private.URL(), func() error {
		defer os.RemoveAll(dir)
		return private.Stop()
	}, nil
}

// allowCreateDatabase lets the server's role create databases, which it cannot
// otherwise.
func allowCreateDatabase(ctx context.Context, serverURL string) error {
	u, err := url.Parse(serverURL)
	if err != nil {
		return err
	}
	role := u.User.Username()
	u.User = url.User("understudy_superuser")
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "alter role "+role+" createdb")
	return err
}

// databaseURL returns the connection string of the named database.
func (s *server) databaseURL(name string) string {
	u, err := url.Parse(s.url)
	if err != nil {
		panic(err) // cannot happen: openPool has parsed it
	}
	u.Path = "/" + name
	return u.String()
}

// openPool opens a pool of at most four connections, so that the pools of many
// parallel tests stay within the server's max_connections.
func openPool(ctx context.Context, databaseURL string) (*pgxpool.Pool, error) {
	u, err := url.Parse(databaseURL)
	if err != nil || u.Scheme == "" {
		return nil, fmt.Errorf("TEST_DATABASE_URL is not of the form postgres://…")
	}
	query := u.Query()
	query.Set("pool_max_conns", "4")
	u.RawQuery = query.Encode()
	pool, err := storage.Open(ctx, u.String(), Environment)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}
