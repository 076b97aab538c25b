//go:build linux || darwin

package storage_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// lockVariable is the environment variable that makes this test binary run holdLock
// on the database that it names.
const lockVariable = "STORAGE_TEST_LOCK"

func TestMain(m *testing.M) {
	if url := os.Getenv(lockVariable); url != "" {
		storagetest.RunUntilKilled(holdLock(url))
	}
	storagetest.Main(m)
}

// holdLock locks a row inside a transaction that it leaves open.
func holdLock(url string) error {
	pool, err := storage.Open(context.Background(), url, storagetest.Environment)
	if err != nil {
		return err
	}
	tx, err := pool.Begin(context.Background())
	if err != nil {
		return err
	}
	_, err = tx.Exec(context.Background(), "select from claimed for update")
	return err
}

// TestFrozenServerLosesItsLocks freezes a process inside a transaction: another process
// gets its row before the lease of 15 s would end.
func TestFrozenServerLosesItsLocks(t *testing.T) {
	t.Parallel()
	url := storagetest.URL(t)
	pool, err := storage.Open(t.Context(), url, storagetest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), "create table claimed as select 1 as n"); err != nil {
		t.Fatal(err)
	}
	server := storagetest.StartProcess(t, "ready", lockVariable+"="+url)
	if err := server.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := pool.Exec(ctx, "select from claimed for update"); err != nil {
		t.Fatalf("the row is still locked: %v", err)
	}
	t.Logf("the row was free after %v", time.Since(started))

	// On a busy machine the row may be free later, so this checks the limit itself.
	var limit time.Duration
	if err := pool.QueryRow(t.Context(), "select current_setting('idle_in_transaction_session_timeout')::interval").Scan(&limit); err != nil {
		t.Fatal(err)
	}
	if lease := 15 * time.Second; limit <= 0 || limit > lease*3/4 {
		t.Errorf("transactions may be idle for %v, too long for a lease of %v", limit, lease)
	}
}

// TestConnectionsDetectStoppedPeers checks the settings of a connection over TCP, as
// far as this Postgres supports them.
func TestConnectionsDetectStoppedPeers(t *testing.T) {
	t.Parallel()
	pool := storagetest.DB(t)
	for name, want := range map[string]string{
		"idle_in_transaction_session_timeout": "10s", "client_connection_check_interval": "5s",
	} {
		if got := storagetest.QueryValue[string](t, pool, "show "+name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	params := pool.Config().ConnConfig.RuntimeParams
	for _, name := range []string{"tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"} {
		if params[name] == "" {
			t.Errorf("%s is not set", name)
		}
	}
}
