package storage_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// pooledEnvironments returns pools of two environments that use one PgBouncer with two
// connections to PostgreSQL, and the URL of the database through it. Each environment has
// a table "own" with a single row, its name.
func pooledEnvironments(t *testing.T) (pools []*pgxpool.Pool, pooledURL string) {
	t.Helper()
	directURL := storagetest.URL(t)
	pooledURL = storagetest.PgBouncer(t, directURL, 2)
	for _, environment := range []string{"first", "Second-one"} {
		pool, err := storage.Open(t.Context(), pooledURL, environment)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		schema := pgx.Identifier{environment}.Sanitize()
		for _, sql := range []string{"create schema " + schema, "create table " + schema + ".own (name text, n int)"} {
			if _, err := pool.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := pool.Exec(t.Context(), "insert into own values ($1)", environment); err != nil {
			t.Fatal(err)
		}
		pools = append(pools, pool)
	}
	return pools, pooledURL
}

// TestPgBouncerKeepsEnvironmentsApart runs statements of two environments and of an
// unrelated client at the same time. Each finds only its own table, although all of them
// share two sessions of PostgreSQL.
func TestPgBouncerKeepsEnvironmentsApart(t *testing.T) {
	t.Parallel()
	pools, pooledURL := pooledEnvironments(t)
	var running sync.WaitGroup
	for _, pool := range pools {
		var environment string
		if err := pool.QueryRow(t.Context(), "select name from own").Scan(&environment); err != nil {
			t.Fatal(err)
		}
		for worker := range 6 {
			running.Go(func() {
				for i := range 40 {
					if err := useEnvironment(t.Context(), pool, environment, worker*1000+i); err != nil {
						t.Errorf("%s: %v", environment, err)
						return
					}
				}
			})
		}
	}
	running.Go(func() {
		config, err := pgx.ParseConfig(pooledURL)
		if err != nil {
			t.Error(err)
			return
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		stranger, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Error(err)
			return
		}
		defer stranger.Close(t.Context())
		for range 200 {
			var path, timeout string
			if err := stranger.QueryRow(t.Context(), "select current_setting('search_path'), current_setting('statement_timeout')").Scan(&path, &timeout); err != nil {
				t.Error(err)
				return
			}
			if path != `"$user", public` || timeout != "0" {
				t.Errorf("another client has search_path %s and statement_timeout %s", path, timeout)
				return
			}
		}
	})
	running.Wait()
	for _, pool := range pools {
		if n := storagetest.QueryValue[int](t, pool, "select count(*) from own where n is not null"); n != 6*40*4 {
			t.Errorf("%d rows, want %d", n, 6*40*4)
		}
	}
}

// useEnvironment adds four rows to the table own in different ways, and checks that it is
// that of the environment.
func useEnvironment(ctx context.Context, pool *pgxpool.Pool, environment string, n int) error {
	check := func(db storage.DB) error {
		var name, timeout string
		err := db.QueryRow(ctx, "select name, current_setting('statement_timeout') from own where n is null and name = any($1)", []string{environment}).Scan(&name, &timeout)
		if err == nil && (name != environment || timeout != "15s") {
			err = fmt.Errorf("name %s, timeout %s", name, timeout)
		}
		return err
	}
	_, err := pool.Exec(ctx, "insert into own (n) values ($1)", n)
	batch := &pgx.Batch{}
	batch.Queue("insert into own (n) values ($1)", n)
	batch.Queue("select count(*) from own where n = $1", n).QueryRow(func(row pgx.Row) error {
		var count int
		return row.Scan(&count)
	})
	err = errors.Join(err, pool.Ping(ctx), check(pool), pool.SendBatch(ctx, batch).Close())
	if _, syntax := pool.Exec(ctx, "select from nowhere where n = $1", n); syntax == nil || !strings.Contains(syntax.Error(), "nowhere") {
		err = errors.Join(err, fmt.Errorf("unknown table: %v", syntax))
	}
	return errors.Join(err, storage.InTx(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "insert into own (n) values ($1)", n); err != nil {
			return err
		}
		// A savepoint after an error continues the transaction with its settings.
		failed := storage.InTx(ctx, tx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "select 1 / ($1::int - $1)", n)
			return err
		})
		if failed == nil {
			return errors.New("division by zero succeeded")
		}
		copied, err := tx.CopyFrom(ctx, pgx.Identifier{"own"}, []string{"n"}, pgx.CopyFromRows([][]any{{n}}))
		if err == nil && copied != 1 {
			err = fmt.Errorf("%d rows copied", copied)
		}
		return errors.Join(err, check(tx))
	}))
}

// TestPgBouncerAppliesTimeouts checks that the timeouts of the pools limit statements, and
// that connections work after errors and cancellations.
func TestPgBouncerAppliesTimeouts(t *testing.T) {
	t.Parallel()
	directURL := storagetest.URL(t)
	pools := openPools(t, storagetest.PgBouncer(t, directURL, 3), storage.Limits{
		Connections: storage.MinConnections, Calls: storage.Timeouts{Lock: 50 * time.Millisecond, Statement: 2 * time.Second},
	})
	holder, err := storagetest.Open(t, directURL).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Rollback(context.Background())
	if _, err := holder.Exec(t.Context(), "lock table submissions"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, test := range []struct{ sql, reason string }{
			{"select from submissions", "lock"},
			{"select from submissions where $1::bool", "lock"},
			{"select pg_sleep(60)", "statement"},
			{"select pg_sleep(60) where $1::bool", "statement"},
		} {
			var args []any
			if strings.Contains(test.sql, "$1") {
				args = append(args, true)
			}
			_, err := pools.Company.Exec(t.Context(), test.sql, args...)
			if reason := storage.UnavailableReason(err); !strings.Contains(reason, test.reason) {
				t.Errorf("%s: %v", test.sql, err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := pools.Long.Exec(ctx, "select pg_sleep(60)"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled statement: %v", err)
	}
	if got := storagetest.QueryValue[string](t, pools.Long, "show idle_in_transaction_session_timeout"); got != "10s" {
		t.Errorf("idle_in_transaction_session_timeout is %s", got)
	}
	if others, err := storage.OtherServers(t.Context(), pools.Long, storagetest.Environment); err != nil || !others {
		t.Errorf("other servers: %v, %v; PgBouncer hides them, so there may be some", others, err)
	}
	if conn, err := storage.Listen(t.Context(), pools.Long, "channel"); err != nil || conn != nil {
		t.Errorf("listen: %v, %v; want no connection", conn, err)
	}
}

// TestServersMigrateThroughPgBouncer lets more servers migrate a new environment at the
// same time than PgBouncer has connections to PostgreSQL.
func TestServersMigrateThroughPgBouncer(t *testing.T) {
	t.Parallel()
	url := storagetest.PgBouncer(t, storagetest.URL(t), 3)
	var running sync.WaitGroup
	for range 6 {
		running.Go(func() {
			pool, err := storage.Open(t.Context(), url, "new")
			if err != nil {
				t.Error(err)
				return
			}
			defer pool.Close()
			if err := storage.Migrate(t.Context(), pool, "new"); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
}

// TestSlowStartIsLogged checks that a start logs that it is waiting for a connection of the pooler.
// It changes the output of the log, so it runs alone.
func TestSlowStartIsLogged(t *testing.T) {
	url := storagetest.PgBouncer(t, storagetest.URL(t), 1)
	pool, err := storage.Open(t.Context(), url, "new")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	storage.SetMigrationPatience(t, 100*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	logged := make(chan string, 100)
	log.SetOutput(lines(logged)) // of the default slog.Logger too
	defer log.SetOutput(os.Stderr)
	go func() {
		select {
		case <-ctx.Done():
		case line := <-logged:
			if !strings.Contains(line, "waiting for the lock of the migrations") {
				t.Errorf("logged %s", line)
			}
			cancel()
		}
	}()
	if err := storage.Migrate(ctx, pool, "new"); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the wait after the log line", err)
	}
}

// lines receives what is written.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
