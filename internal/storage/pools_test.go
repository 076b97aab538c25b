package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

func openPools(t *testing.T, url string, limits storage.Limits) *storage.Pools {
	t.Helper()
	pools, err := storage.OpenPools(t.Context(), url, storagetest.Environment, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pools.Close)
	return pools
}

// TestPoolsShareTheConnections checks that all pools together, and the connection on
// which the dispatcher listens, stay within the limit.
func TestPoolsShareTheConnections(t *testing.T) {
	t.Parallel()
	for limit := range 200 {
		for _, url := range []string{"postgres://127.0.0.1/x", fmt.Sprintf("postgres://127.0.0.1/x?pool_max_conns=%d", limit+1)} {
			limits := storage.Limits{Connections: limit + 1}
			if strings.Contains(url, "?") {
				limits.Connections = 1000 // the URL takes precedence
			}
			total := 1
			openPools(t, url, limits).Each(func(pool **pgxpool.Pool) { total += int((*pool).Config().MaxConns) })
			if allowed := max(limit+1, storage.MinConnections); total > allowed || total < allowed*2/3 {
				t.Errorf("%s with a limit of %d: %d connections", url, limit+1, total)
			}
		}
	}
}

// TestPoolsLimitWaiting checks the error of a statement that waits too long for a lock or
// for a connection, or takes too long, and that the next one succeeds.
func TestPoolsLimitWaiting(t *testing.T) {
	t.Parallel()
	url := storagetest.URL(t)
	db := storagetest.Open(t, url)
	pools := openPools(t, url, storage.Limits{
		Connections: storage.MinConnections, Calls: storage.Timeouts{Lock: 50 * time.Millisecond, Statement: 3 * time.Second},
	})
	holder, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Rollback(context.Background())
	if _, err := holder.Exec(t.Context(), "lock table submissions"); err != nil {
		t.Fatal(err)
	}
	query := func(sql string) error {
		_, err := pools.Company.Exec(t.Context(), sql)
		return err
	}
	if reason := storage.UnavailableReason(query("select from submissions")); !strings.Contains(reason, "lock") {
		t.Errorf("lock: %q", reason)
	}
	if reason := storage.UnavailableReason(query("select pg_sleep(60)")); !strings.Contains(reason, "statement") {
		t.Errorf("statement: %q", reason)
	}
	only, err := pools.Company.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if reason := storage.UnavailableReason(query("select")); !strings.Contains(reason, "connection") {
		t.Errorf("connection: %q", reason)
	}
	only.Release()
	if err := query("select"); err != nil {
		t.Error(err)
	}
	if calls, long := storage.LockTimeout(pools.Company), storage.LockTimeout(pools.Long); calls != 50*time.Millisecond || long != 0 {
		t.Errorf("statements wait %v and %v for a lock, want 50ms and 0s", calls, long)
	}
	// A caller of the pool Long waits as long as it wants to.
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := pools.Long.Exec(ctx, "select from submissions"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a limit: %v", err)
	}
}

// TestPlansUseIndexes checks that statements on submissions and reports are planned once and
// without JIT compilation. The plans must use an index even while the table is empty, because it
// grows.
func TestPlansUseIndexes(t *testing.T) {
	t.Parallel()
	pools := openPools(t, storagetest.URL(t), storage.Limits{Connections: storage.MinConnections})
	for name, pool := range map[string]*pgxpool.Pool{
		"submissions": pools.Submissions, "transitions": pools.Transitions, "background": pools.Background, "endings": pools.Endings, "data": pools.Data,
	} {
		var jit, plans, plan string
		if err := pool.QueryRow(t.Context(), "select current_setting('jit'), current_setting('plan_cache_mode')").Scan(&jit, &plans); err != nil || jit != "off" || plans != "force_generic_plan" {
			t.Errorf("%s: jit %q, plan_cache_mode %q (%v)", name, jit, plans, err)
		}
		err := pool.QueryRow(t.Context(), "explain select from submissions where tx_id in (select gen_random_uuid() from generate_series(1, 100))").Scan(&plan)
		if err != nil || !strings.HasPrefix(plan, "Nested Loop") {
			t.Errorf("%s: plan %q (%v), want a nested loop", name, plan, err)
		}
	}
}
