// Package storagetest gives each test a migrated database of its own, on a
// real Postgres that is started once per test process.
package storagetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
)

// Environment is the one whose schema the databases hold.
const Environment = "sandbox"

// Main runs the tests, stops Postgres, removes its data and exits. Call it from
// TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main without the exit: it returns the exit code.
func Run(m *testing.M) int {
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "storagetest:", err)
		code = max(code, 1)
	}
	return code
}

// DB returns connections to a fresh copy of the migrated database; both go
// when the test ends.
func DB(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := open(t.Context(), URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// URL is that of a fresh copy of the migrated database, which goes when the
// test ends.
func URL(t testing.TB) string {
	t.Helper()
	s, err := started()
	if err != nil {
		t.Fatal("storagetest: ", err)
	}
	name := s.template + "_" + strings.ToLower(rand.Text()[:10])
	// Copying files beats the log here, since nothing waits for the disk.
	if _, err := s.admin.Exec(t.Context(), "create database "+name+" template "+s.template+" strategy file_copy"); err != nil {
		t.Fatal("storagetest: ", err)
	}
	t.Cleanup(func() {
		if _, err := s.admin.Exec(context.Background(), "drop database if exists "+name+" with (force)"); err != nil {
			t.Error("storagetest: ", err)
		}
	})
	return s.database(name)
}

// server is the Postgres that all tests of this process share.
type server struct {
	url      string
	admin    *pgxpool.Pool
	template string
	stop     func() error
}

var (
	starting sync.Once
	running  *server
	failed   error
)

func started() (*server, error) {
	starting.Do(func() { running, failed = start(context.Background()) })
	return running, failed
}

func stop() error {
	starting.Do(func() {}) // from now on none starts
	if running == nil {
		return nil
	}
	return running.stop()
}

func start(ctx context.Context) (_ *server, err error) {
	s := &server{url: os.Getenv("TEST_DATABASE_URL"), stop: func() error { return nil }}
	if s.url == "" {
		if err := s.startPostgres(ctx); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if s.admin, err = open(ctx, s.url); err != nil {
		return nil, err
	}
	s.template = "test_" + strings.ToLower(rand.Text()[:10])
	if _, err = s.admin.Exec(ctx, "create database "+s.template); err != nil {
		return nil, err
	}
	stopServer := s.stop
	s.stop = func() error {
		s.admin.Exec(ctx, "drop database if exists "+s.template+" with (force)")
		s.admin.Close()
		return stopServer()
	}
	pool, err := open(ctx, s.database(s.template))
	if err != nil {
		return nil, err
	}
	defer pool.Close() // none may be connected to what is copied
	return s, storage.Migrate(ctx, pool, Environment)
}

func (s *server) startPostgres(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "storagetest-")
	if err != nil {
		return err
	}
	// Postgres may run as another user, who must get there.
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	postgres, err := storage.StartPostgres(ctx, dir, slog.New(slog.DiscardHandler),
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "max_connections=300")
	if err != nil {
		os.RemoveAll(dir)
		return err
	}
	s.url = postgres.URL()
	s.stop = func() error {
		defer os.RemoveAll(dir)
		return postgres.Stop()
	}
	return nil
}

// database is the URL of another database on the same server.
func (s *server) database(name string) string {
	u, err := url.Parse(s.url)
	if err != nil {
		panic(err) // open has parsed it
	}
	u.Path = "/" + name
	return u.String()
}

// open connects with few connections, so that many tests at once fit.
func open(ctx context.Context, address string) (*pgxpool.Pool, error) {
	u, err := url.Parse(address)
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
