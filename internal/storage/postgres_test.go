//go:build linux || darwin

package storage_test

import (
	"bufio"
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

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// serverDirectory names the variable that makes this test binary a server on
// a data directory, for tests that kill it.
const serverDirectory = "STORAGE_TEST_SERVER_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serverDirectory); dir != "" {
		serve(dir)
	}
	storagetest.Main(m)
}

// serve starts Postgres, keeps one more row, says so, and goes on for ever.
func serve(dir string) {
	fmt.Println("starting")
	p, err := storage.StartPostgres(context.Background(), dir, slog.New(slog.DiscardHandler))
	if err == nil {
		var pool *pgxpool.Pool
		if pool, err = pgxpool.New(context.Background(), p.URL()); err == nil {
			_, err = pool.Exec(context.Background(), "create table if not exists kept (id serial); insert into kept default values")
		}
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {}
}

// startServer runs serve in a process of its own until it says the word.
func startServer(t *testing.T, dir, word string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverDirectory+"="+dir)
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if lines.Text() == word {
			return cmd
		}
		if strings.HasPrefix(lines.Text(), "error: ") {
			break
		}
	}
	t.Fatalf("the server said %q, want %q", lines.Text(), word)
	return nil
}

func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func startPostgres(t *testing.T, dir string) *storage.Postgres {
	t.Helper()
	p, err := storage.StartPostgres(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	return p
}

func connect(t *testing.T, p *storage.Postgres) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), p.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func query[T any](t *testing.T, pool *pgxpool.Pool, sql string) T {
	t.Helper()
	var value T
	if err := pool.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// postmaster is the process number of the Postgres that runs in dir.
func postmaster(t *testing.T, dir string) int {
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

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not so after a minute", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestPostgresKeepsItsData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startPostgres(t, dir)
	pool := connect(t, p)
	for sql, want := range map[string]string{
		"show listen_addresses": "", "show fsync": "on", "show server_encoding": "UTF8",
		"show timezone": "UTC", "select current_database()": "understudy",
		"select datcollate from pg_database where datname = current_database()": "C",
	} {
		if got := query[string](t, pool, sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	if _, err := pool.Exec(t.Context(), "create table kept as select 42 as n"); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("the second stop: %v", err)
	}
	if got := query[int](t, connect(t, startPostgres(t, dir)), "select n from kept"); got != 42 {
		t.Errorf("after a restart: %d, want 42", got)
	}
}

func TestPostgresSurvivesKillOfItsServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 3 { // at once each time: the old Postgres is still on its way down
		kill(startServer(t, dir, "ready"))
	}
	p := startPostgres(t, dir)
	if got := query[int](t, connect(t, p), "select count(*) from kept"); got != 3 {
		t.Errorf("%d rows, want one from each killed server, 3", got)
	}
}

func TestKilledServerLeavesNoPostgres(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, dir, "ready")
	left := postmaster(t, dir)
	kill(server)
	if _, err := os.Stat("/proc/self"); err != nil {
		startPostgres(t, dir) // without such a kernel, the next start stops it
	}
	eventually(t, "the Postgres of the killed server is gone", func() bool {
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", left))
		return syscall.Kill(left, 0) == syscall.ESRCH || err == nil && len(command) == 0 // ended, if not yet reaped
	})
}

func TestKillDuringFirstStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, dir, "starting")
	eventually(t, "the cluster is being made", func() bool {
		made, _ := filepath.Glob(filepath.Join(dir, "postgres-new-*", "*"))
		return len(made) > 0
	})
	kill(server)
	startPostgres(t, dir)
	// What the killed initdb still wrote goes at the next start at the latest.
	left, _ := filepath.Glob(filepath.Join(dir, "postgres-new-*", "PG_VERSION"))
	if len(left) > 0 {
		t.Errorf("half made and still there: %v", left)
	}
}

func TestSecondServerIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	startPostgres(t, dir)
	_, err := storage.StartPostgres(t.Context(), dir, slog.New(slog.DiscardHandler))
	want := fmt.Sprintf("data directory %s is in use by another server (pid %d); give each its own --data-dir", dir, os.Getpid())
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLongPrivateDirectory(t *testing.T) {
	t.Parallel()
	private := filepath.Join(t.TempDir(), "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	p := startPostgres(t, filepath.Join(private, "with, comma and 'quote'", strings.Repeat("long", 40)))
	query[int](t, connect(t, p), "select 1")
}

// TestDirectoryOfAnyName: with a short path the socket is in the directory
// itself, and so its name in the address.
func TestDirectoryOfAnyName(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "a b+c%20,é'")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	query[int](t, connect(t, startPostgres(t, dir)), "select 1")
}

func TestKilledPostgresIsStartedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := connect(t, startPostgres(t, dir))
	if _, err := pool.Exec(t.Context(), "create table kept as select 42 as n"); err != nil {
		t.Fatal(err)
	}
	killed := postmaster(t, dir)
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "another Postgres answers", func() bool {
		var n int
		err := pool.QueryRow(t.Context(), "select n from kept").Scan(&n)
		return err == nil && n == 42 && postmaster(t, dir) != killed
	})
}

func TestStaleProcessNumber(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startPostgres(t, dir)
	content, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	// After a reboot the number may be another process's.
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
	startPostgres(t, dir)
}

// A cancelled start gives its directory up at once, also while another thread
// is starting a process, which holds a copy of every open file for a moment.
func TestCancelledStart(t *testing.T) {
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
		_, err := storage.StartPostgres(ctx, dir, slog.New(slog.DiscardHandler))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled start says %v", err)
			break
		}
	}
	done()
	<-stopped
	startPostgres(t, dir)
}

func TestNoPostgresFound(t *testing.T) {
	t.Setenv("PG_BIN", t.TempDir())
	_, err := storage.StartPostgres(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
	for _, want := range []string{"install", "DATABASE_URL", "docker compose", "PG_BIN"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %q", err, want)
		}
	}
}
