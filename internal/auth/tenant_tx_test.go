package auth_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/auth"
	"understudy.example/internal/server/servertest"
	"understudy.example/internal/storage"
)

// TestCallsOfLockedTenants makes calls of tenants whose rows are locked. Only one call waits in
// PostgreSQL's queue for the lock; the others wait without a connection. No call waits longer than
// a statement may wait for a lock.
func TestCallsOfLockedTenants(t *testing.T) {
	s := servertest.New(t)
	lock := s.Lock("select from tenants for update")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	call := func(db *pgxpool.Pool, tenant string) error {
		return auth.InTenantTx(ctx, db, s.TenantID(tenant), func(pgx.Tx, auth.Tenant) error { return nil })
	}
	var calls sync.WaitGroup
	for _, tenant := range []string{"acme", "globex"} {
		calls.Go(func() {
			if err := call(s.DB, tenant); err != nil {
				t.Errorf("%s: %v", tenant, err)
			}
		})
	}
	waiting := func() int {
		return servertest.Value[int](s, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
	}
	servertest.Until(t, "a call waits in PostgreSQL's queue", func() bool { return waiting() == 1 })
	for range 1000 {
		if n := waiting(); n > 1 {
			t.Fatalf("%d calls wait in PostgreSQL's queue, want one", n)
		}
	}

	config := s.DB.Config()
	config.ConnConfig.RuntimeParams["lock_timeout"] = "10"
	impatient, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(impatient.Close)
	for _, tenant := range []string{"acme", "globex"} {
		if err := call(impatient, tenant); !errors.Is(err, storage.ErrLocked) {
			t.Errorf("a call of %s that waits for its turn gets %v, want %v", tenant, err, storage.ErrLocked)
		}
	}
	if err := lock.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	calls.Wait()
}
