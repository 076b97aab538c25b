package storage_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/call"
	"understudy.example/internal/storage"
)

// TestLookupSharesQueries checks that keys which arrive while a query runs are found by one
// further query, that a slow query does not delay them for long, and that the other callers
// get the result if one of them leaves.
func TestLookupSharesQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var queried [][]int
		lookup := storage.NewLookup(func(ctx context.Context, keys []int) (map[int]string, error) {
			mu.Lock()
			queried = append(queried, keys)
			mu.Unlock()
			switch keys[0] {
			case -1:
				return nil, errors.New("failed")
			case -2:
				panic("failed")
			}
			if keys[0] == 100 {
				time.Sleep(time.Minute) // a table is locked
			}
			time.Sleep(time.Millisecond)
			return map[int]string{1: "one", 2: "two"}, ctx.Err()
		})
		var callers sync.WaitGroup
		find := func(ctx context.Context, key int, want string) {
			callers.Go(func() {
				row, exists, err := lookup.Find(ctx, key)
				if err != nil || exists != (want != "") || row != want {
					t.Errorf("key %d: %q, %t, %v", key, row, exists, err)
				}
			})
			synctest.Wait()
		}
		ctx, leave := context.WithCancel(t.Context())
		callers.Go(func() {
			if _, _, err := lookup.Find(ctx, 1); !errors.Is(err, context.Canceled) {
				t.Errorf("a caller that has left gets %v", err)
			}
		})
		synctest.Wait()
		find(t.Context(), 1, "one")
		find(t.Context(), 2, "two")
		find(t.Context(), 3, "")
		leave()
		callers.Wait()
		if len(queried) != 2 || len(queried[1]) != 3 {
			t.Errorf("queries %v, want one for the first key and one for the others", queried)
		}
		if _, _, err := lookup.Find(t.Context(), -1); err == nil {
			t.Error("the error of a query is not returned")
		}
		if _, _, err := lookup.Find(t.Context(), -2); err == nil {
			t.Error("the panic of a query is not returned as an error")
		}
		begun := time.Now()
		go lookup.Find(t.Context(), 100)
		synctest.Wait()
		find(t.Context(), 2, "two")
		callers.Wait()
		if took := time.Since(begun); took > time.Second {
			t.Errorf("a key was found after %v, want it found while the slow query runs", took)
		}
		time.Sleep(time.Hour)
	})
}

// TestLookupStartsAtOnce checks that a call is queried at once when no query runs, although an
// earlier group waited for a query that was not slow.
func TestLookupStartsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const query = time.Millisecond
		l := storage.NewLookup(func(context.Context, []int) (map[int]int, error) {
			time.Sleep(query)
			return map[int]int{}, nil
		})
		go l.Find(t.Context(), 1)
		synctest.Wait()
		go l.Find(t.Context(), 2)
		time.Sleep(5 * query / 2)
		synctest.Wait()
		begun := time.Now()
		l.Find(t.Context(), 3)
		if took := time.Since(begun); took != query {
			t.Errorf("took %v, want %v", took, query)
		}
	})
}

// TestLookupsHaveTheirOwnTurns checks that a query takes its turn for a connection neither as its
// caller's tenant nor as one of the calls whose tenant is not known yet.
func TestLookupsHaveTheirOwnTurns(t *testing.T) {
	caller := uuid.New()
	seen := map[uuid.UUID]bool{{}: true, caller: true}
	ctx := call.With(t.Context(), &call.Record{TenantID: caller})
	for range 2 {
		lookup := storage.NewLookup(func(ctx context.Context, _ []int) (map[int]int, error) {
			if id := call.TenantID(ctx); seen[id] {
				t.Errorf("the query takes a turn of %s", id)
			} else {
				seen[id] = true
			}
			return nil, nil
		})
		if _, _, err := lookup.Find(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
}
