//go:build linux || darwin

package storage_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// lockVariable is the environment variable that makes this test binary run holdLock
// on the database that it names.
const lockVariable = "STORAGE_TEST_LOCK"

// holdLock locks a row, prints "ready" and waits inside the transaction.
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
	server := startTestProcess(t, "ready", lockVariable+"="+url)
	if err := server.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	eventually(t, "the row is free", func() bool {
		var n int
		return pool.QueryRow(t.Context(), "select n from claimed for update skip locked").Scan(&n) == nil
	})
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
		if got := queryValue[string](t, pool, "show "+name); got != want {
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
