//go:build linux || darwin

package postgres_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"understudy.example/internal/postgres"
	"understudy.example/internal/storage/storagetest"
)

// refusal returns the SQLSTATE with which Postgres rejects the connection or, once
// connected, the statement. It returns "" if neither is rejected.
func refusal(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err == nil {
		defer conn.Close(t.Context())
		_, err = conn.Exec(t.Context(), sql)
	}
	var pg *pgconn.PgError
	if err != nil && !errors.As(err, &pg) {
		t.Fatalf("%s: %v", sql, err)
	}
	if err == nil {
		return ""
	}
	return pg.Code
}

func TestAccessNeedsThePassword(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := start(t, dir).URL()
	const noPassword, noRule = "28P01", "28000"
	for name, attempt := range map[string]struct{ url, want string }{
		"no password":      {strings.Replace(url, password(t, dir), "", 1), noPassword},
		"a wrong password": {strings.Replace(url, password(t, dir), "wrong", 1), noPassword},
		"the superuser":    {strings.Replace(url, "//understudy:", "//understudy_superuser:", 1), noRule},
		"another database": {strings.Replace(url, "/understudy?", "/postgres?", 1), noRule},
		"the password":     {url, ""},
	} {
		if got := refusal(t, attempt.url, "select 1"); got != attempt.want {
			t.Errorf("%s: refused with %q, want %q", name, got, attempt.want)
		}
	}
	if os.Geteuid() == 0 {
		socketDir := exec.Command("ls", filepath.Join(dir, "postgres"))
		socketDir.Dir = "/"
		socketDir.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := socketDir.CombinedOutput(); err == nil {
			t.Errorf("the user nobody can list the socket directory: %s", out)
		}
	}
	for _, path := range []string{"postgres.log", "lock"} {
		content, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || strings.Contains(string(content), password(t, dir)) {
			t.Errorf("%s contains the password (%v)", path, err)
		}
	}
	if commands, err := exec.Command("ps", "axewww").Output(); err == nil && strings.Contains(string(commands), password(t, dir)) {
		t.Error("the process list contains the password")
	}
}

// TestServersRoleIsNotASuperuser checks that the server's role cannot do what only a
// superuser can do.
func TestServersRoleIsNotASuperuser(t *testing.T) {
	t.Parallel()
	url := start(t, t.TempDir()).URL()
	for _, sql := range []string{
		"copy (select 1) to program 'true'",
		"copy (select 1) to '/tmp/understudy-test'",
		"create temp table lines (line text); copy lines from '/etc/passwd'",
		"select pg_read_file('/etc/passwd')",
		"select pg_ls_dir('/')",
		"select lo_import('/etc/passwd')",
		"create function run() returns int language c as '/lib/libc.so', 'system'",
		"alter system set shared_preload_libraries = 'x'",
		"alter role understudy superuser",
		"set session authorization understudy_superuser",
		"create role another superuser",
		"create database another",
	} {
		if got := refusal(t, url, sql); got != "42501" { // insufficient_privilege
			t.Errorf("%s: refused with %q, want 42501", sql, got)
		}
	}
}

// password returns the password in the service file, which only its owner can read.
func password(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "pg_service.conf")
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("%s: mode %v, error %v", path, info, err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(content), "\npassword=")
	if password, _, _ := strings.Cut(after, "\n"); len(password) >= 20 {
		return password
	}
	t.Fatalf("%s contains no password", path)
	return ""
}

// TestServiceFileConnects connects with psql as docs/reference.md says.
func TestServiceFileConnects(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip("psql is not installed")
	}
	dir := t.TempDir()
	start(t, dir)
	psql := exec.Command("psql", "service=understudy", "-Atc", "select current_user || ' ' || current_database()")
	psql.Env = append(os.Environ(), "PGSERVICEFILE="+filepath.Join(dir, "pg_service.conf"))
	if out, err := psql.CombinedOutput(); err != nil || string(out) != "understudy understudy\n" {
		t.Errorf("psql: %v, output %q", err, out)
	}
}

// TestLostPasswordIsReplaced starts on data directories whose service file is missing
// or has another password.
func TestLostPasswordIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	if _, err := connect(t, s).Exec(t.Context(), "create table items as select 42 as n"); err != nil {
		t.Fatal(err)
	}
	service := filepath.Join(dir, "pg_service.conf")
	for _, content := range []string{"", "[understudy]\npassword=another-password-than-before\n"} {
		s.Stop()
		if err := os.WriteFile(service, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s = start(t, dir)
		if got := storagetest.QueryValue[int](t, connect(t, s), "select n from items"); got != 42 {
			t.Errorf("got %d, want 42", got)
		}
	}
}

// TestUnreleasedClusterIsRefused checks that a cluster as servers created it before the
// first release, with a superuser whom Postgres trusts, is refused and not changed.
func TestUnreleasedClusterIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start(t, dir).Stop()
	rules := filepath.Join(dir, "postgres", "pg_hba.conf")
	const trust = "local all all trust\n"
	if err := errors.Join(os.WriteFile(rules, []byte(trust), 0o600), os.Remove(filepath.Join(dir, "pg_service.conf"))); err != nil {
		t.Fatal(err)
	}
	_, startErr := postgres.Start(t.Context(), dir, slog.New(slog.DiscardHandler))
	_, inspectErr := postgres.Inspect(t.Context(), dir)
	want := "the data directory " + dir + " was created before the first release, and this server cannot upgrade it; nothing has been changed: " +
		"use another --data-dir, or delete this one if its data is no longer needed, or keep using the older server"
	for name, err := range map[string]error{"Start": startErr, "Inspect": inspectErr} {
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if content, err := os.ReadFile(rules); err != nil || string(content) != trust {
		t.Errorf("pg_hba.conf is %q, %v", content, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pg_service.conf")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("pg_service.conf: %v, want none", err)
	}
}

// checkFacts checks what Inspect returns about a running Postgres.
func checkFacts(t *testing.T, dir string) {
	t.Helper()
	facts, err := postgres.Inspect(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	owner := os.Geteuid()
	if owner == 0 {
		info, err := os.Stat(filepath.Join(dir, "postgres", "PG_VERSION"))
		if err != nil {
			t.Fatal(err)
		}
		owner = int(info.Sys().(*syscall.Stat_t).Uid)
	}
	if facts.SocketDirMode != 0o700 || facts.SocketDirOwner != owner || owner == 0 || owner == 65534 {
		t.Errorf("socket directory %s has mode %v and owner %d", facts.SocketDir, facts.SocketDirMode, facts.SocketDirOwner)
	}
	got := fmt.Sprint(facts.Authentication, facts.Running, facts.Superuser, facts.BinDir != "", facts.ClusterVersion != "")
	if want := "[scram-sha-256] true false true true"; got != want {
		t.Errorf("authentication, running, superuser, programs, cluster: got %s, want %s", got, want)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's a directory")
	facts, err := postgres.Inspect(t.Context(), dir)
	if err != nil || facts.BinDir == "" || facts.ClusterVersion != "" {
		t.Errorf("before the first start: %+v, %v", facts, err)
	}
	s := start(t, dir)
	checkFacts(t, dir)
	s.Stop()
	facts, err = postgres.Inspect(t.Context(), dir)
	if err != nil || facts.Running || !slices.Equal(facts.Authentication, []string{"scram-sha-256"}) {
		t.Errorf("stopped: %+v, %v", facts, err)
	}
}
