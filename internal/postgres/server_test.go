//go:build linux || darwin

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/postgres"
	"understudy.example/internal/storage/storagetest"
)

// serverDirVariable is the environment variable that makes this test binary run
// a server on the data directory it names, for tests that kill the server.
const serverDirVariable = "POSTGRES_TEST_SERVER_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serverDirVariable); dir != "" {
		storagetest.RunUntilKilled(runServer(dir))
	}
	os.Exit(m.Run())
}

// runServer starts Postgres and inserts a row.
func runServer(dir string) error {
	fmt.Println("starting")
	s, err := postgres.Start(context.Background(), dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(context.Background(), s.URL())
	if err != nil {
		return err
	}
	_, err = pool.Exec(context.Background(), "create table if not exists items (id serial); insert into items default values")
	return err
}

// startServer calls runServer in a new process and returns when that has
// printed the given line.
func startServer(t *testing.T, dir, line string) *exec.Cmd {
	t.Helper()
	return storagetest.StartProcess(t, line, serverDirVariable+"="+dir)
}

func killAndWait(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func start(t *testing.T, dir string) *postgres.Server {
	t.Helper()
	s, err := postgres.Start(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	return s
}

func connect(t *testing.T, s *postgres.Server) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// postmasterPID returns the process ID of the Postgres that runs in dir.
func postmasterPID(t *testing.T, dir string) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// eventually waits until the condition holds.
func eventually(t *testing.T, description string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("timed out after a minute: %s", description)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestDataSurvivesRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	pool := connect(t, s)
	for sql, want := range map[string]string{
		"show listen_addresses": "", "show fsync": "on", "show server_encoding": "UTF8",
		"show timezone": "UTC", "select current_database()": "understudy",
		"select datcollate from pg_database where datname = current_database()": "C",
	} {
		if got := storagetest.QueryValue[string](t, pool, sql); got != want {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
	if _, err := pool.Exec(t.Context(), "create table items as select 42 as n"); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("second stop: %v", err)
	}
	if got := storagetest.QueryValue[int](t, connect(t, start(t, dir)), "select n from items"); got != 42 {
		t.Errorf("after a restart: got %d, want 42", got)
	}
}

func TestDataSurvivesServerKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 3 { // without a pause: the previous Postgres is still shutting down
		killAndWait(startServer(t, dir, "ready"))
	}
	s := start(t, dir)
	if got := storagetest.QueryValue[int](t, connect(t, s), "select count(*) from items"); got != 3 {
		t.Errorf("got %d rows, want 3, one from each killed server", got)
	}
}

func TestKilledServerLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, dir, "ready")
	orphan := postmasterPID(t, dir)
	killAndWait(server)
	if _, err := os.Stat("/proc/self"); err != nil {
		start(t, dir) // other kernels than Linux leave it to the next start
	}
	eventually(t, "the Postgres of the killed server exits", func() bool {
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", orphan))
		return syscall.Kill(orphan, 0) == syscall.ESRCH || err == nil && len(command) == 0 // exited, but maybe not reaped yet
	})
}

func TestServerKilledDuringFirstStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, dir, "starting")
	eventually(t, "initdb is running", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "postgres-new-*", "*"))
		return len(files) > 0
	})
	killAndWait(server)
	start(t, dir)
	// The next start removes what the killed initdb left.
	left, _ := filepath.Glob(filepath.Join(dir, "postgres-new-*", "PG_VERSION"))
	if len(left) > 0 {
		t.Errorf("incomplete clusters left: %v", left)
	}
}

func TestSecondServerIsRejected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, dir)
	_, err := postgres.Start(t.Context(), dir, slog.New(slog.DiscardHandler))
	want := fmt.Sprintf("data directory %s is in use by another server (pid %d); give each its own --data-dir", dir, os.Getpid())
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLongPathInPrivateDirectory(t *testing.T) {
	t.Parallel()
	private := filepath.Join(t.TempDir(), "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, filepath.Join(private, "with, comma and 'quote'", strings.Repeat("long", 40)))
	storagetest.QueryValue[int](t, connect(t, s), "select 1")
}

// TestSpecialCharactersInDirectoryName uses a path short enough for the socket
// to be in the directory itself, so its name is part of the connection string.
func TestSpecialCharactersInDirectoryName(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "a b+c%20,é'")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	storagetest.QueryValue[int](t, connect(t, start(t, dir)), "select 1")
}

func TestKilledPostgresIsRestarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := connect(t, start(t, dir))
	if _, err := pool.Exec(t.Context(), "create table items as select 42 as n"); err != nil {
		t.Fatal(err)
	}
	killed := postmasterPID(t, dir)
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a new Postgres process accepts queries", func() bool {
		var n int
		err := pool.QueryRow(t.Context(), "select n from items").Scan(&n)
		return err == nil && n == 42 && postmasterPID(t, dir) != killed
	})
}

func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	content, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	// After a reboot, another process may have the ID.
	_, rest, _ := strings.Cut(string(content), "\n")
	other := exec.Command("cat")
	input, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Wait()
	defer input.Close()
	for _, name := range []string{"postmaster.pid", ".s.PGSQL.5432.lock"} {
		stale := fmt.Appendf(nil, "%d\n%s", other.Process.Pid, rest)
		if err := os.WriteFile(filepath.Join(dir, "postgres", name), stale, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start(t, dir)
}

// TestCancelledStartReleasesDirectory checks that a cancelled start unlocks its
// directory at once, even while another goroutine starts child processes, each
// of which briefly holds a copy of every open file.
func TestCancelledStartReleasesDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	starting, done := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for starting.Err() == nil {
			exec.Command("true").Run()
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		_, err := postgres.Start(ctx, dir, slog.New(slog.DiscardHandler))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled start: got %v, want context.Canceled", err)
			break
		}
	}
	done()
	<-stopped
	start(t, dir)
}

func TestPostgresNotFound(t *testing.T) {
	t.Setenv("PG_BIN", t.TempDir())
	_, err := postgres.Start(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	for _, want := range []string{"install", "DATABASE_URL", "docker compose", "PG_BIN"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that mentions %q", err, want)
		}
	}
}
