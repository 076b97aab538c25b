package storage_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
)

// TestInTxRepeatsAfterADeadlock makes two transactions lock the same rows in opposite
// orders: both commit.
func TestInTxRepeatsAfterADeadlock(t *testing.T) {
	t.Parallel()
	db := storagetest.DB(t)
	if _, err := db.Exec(t.Context(), "create table pair (id int primary key, n int); insert into pair values (1, 0), (2, 0)"); err != nil {
		t.Fatal(err)
	}
	var running, first sync.WaitGroup // first is done when both transactions have locked their first row
	first.Add(2)
	tries := [2]int{}
	for i, order := range [][]int{{1, 2}, {2, 1}} {
		running.Go(func() {
			err := storage.InTx(t.Context(), db, func(tx pgx.Tx) error {
				tries[i]++
				for n, id := range order {
					if _, err := tx.Exec(t.Context(), "update pair set n = n + 1 where id = $1", id); err != nil {
						return err
					}
					if n == 0 && tries[i] == 1 {
						first.Done()
						first.Wait()
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	var sum int
	if err := db.QueryRow(t.Context(), "select sum(n) from pair").Scan(&sum); err != nil || sum != 4 {
		t.Errorf("got %d, %v, want 4 updates", sum, err)
	}
	if tries[0]+tries[1] < 3 {
		t.Errorf("tries %v: there was no deadlock", tries)
	}
}

// TestInTxRepeatsAfterAMigration changes the columns of a statement that a connection has
// prepared. PostgreSQL refuses the next use of the statement.
func TestInTxRepeatsAfterAMigration(t *testing.T) {
	t.Parallel()
	config := storagetest.DB(t).Config()
	config.MaxConns = 1
	db, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	const prepared = "select * from changed where id = $1"
	for _, migration := range []string{"create table changed (id int)", "alter table changed add n int"} {
		if _, err := db.Exec(t.Context(), migration); err != nil {
			t.Fatal(err)
		}
		err := storage.InTx(t.Context(), db, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), prepared, 1)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if _, err := db.Exec(t.Context(), "alter table changed drop n"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), prepared, 1); !storage.Unavailable(err) {
		t.Errorf("%v does not count as unavailable", err)
	}
}

// TestRetryEnds checks which errors Retry does not repeat, and when it gives up.
func TestRetryEnds(t *testing.T) {
	t.Parallel()
	collision := &pgconn.PgError{Code: "40P01"}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx   context.Context
		err   error
		calls int
	}{
		"no error":          {t.Context(), nil, 1},
		"another error":     {t.Context(), errors.New("refused"), 1},
		"endless conflicts": {t.Context(), collision, 9},
		"the context ends":  {cancelled, collision, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			err := storage.Retry(test.ctx, func() error { calls++; return test.err })
			if !errors.Is(err, test.err) || calls != test.calls {
				t.Errorf("%d calls, error %v, want %d calls", calls, err, test.calls)
			}
			if test.err == collision && !storage.Unavailable(err) {
				t.Error("the response does not ask the client to retry")
			}
		})
	}
}

// TestStalePlanInAnotherLanguage checks that the error which a statement gets after a migration is
// recognised whatever the language of the server's messages is.
func TestStalePlanInAnotherLanguage(t *testing.T) {
	t.Parallel()
	stale := &pgconn.PgError{Code: "0A000", Message: "gespeicherter Plan darf den Ergebnistyp nicht ändern", Routine: "RevalidateCachedQuery"}
	if storage.UnavailableReason(fmt.Errorf("list: %w", stale)) == "" {
		t.Error("not recognised")
	}
	if other := (&pgconn.PgError{Code: "0A000", Message: "not implemented", Routine: "transformStmt"}); storage.UnavailableReason(other) != "" {
		t.Errorf("%v is reported as temporary", other)
	}
}
