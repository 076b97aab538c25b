package storagetest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// PgBouncer starts a PgBouncer in transaction mode in front of the database, with that
// many connections to it, and returns the URL of the database through it. It skips the
// test if PgBouncer is not installed.
func PgBouncer(t testing.TB, databaseURL string, connections int) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed")
	}
	database, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pgbouncer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { // PgBouncer may run as another user
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pgbouncer.ini")
	content := fmt.Sprintf(`[databases]
%s = host=%s port=%d user=%s password='%s'
[pgbouncer]
pool_mode = transaction
default_pool_size = %d
max_client_conn = 1000
auth_type = any
listen_addr =
unix_socket_dir = %s
`, database.Database, database.Host, database.Port, database.User, database.Password, connections, dir)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-q", path)
	if os.Geteuid() == 0 {
		cmd.Args = []string{program, "-q", "-u", "postgres", path} // it does not run as root
	}
	output, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		cmd.Wait()
	}()
	log := func() string {
		content, _ := os.ReadFile(output.Name())
		return string(content)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-exited
		if t.Failed() {
			t.Logf("PgBouncer: %s", log())
		}
	})
	for {
		if conn, err := net.Dial("unix", filepath.Join(dir, ".s.PGSQL.6432")); err == nil {
			conn.Close()
			break
		}
		select {
		case <-exited:
			t.Fatalf("PgBouncer does not start: %s", log())
		case <-time.After(5 * time.Millisecond):
		}
	}
	query := url.Values{"host": {dir}, "port": {"6432"}, "sslmode": {"disable"}}
	return "postgres://" + database.User + "@/" + database.Database + "?" + query.Encode()
}
