package turns

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// TestTenantsAlternate checks that a tenant gets its turn after at most one turn of each
// other tenant, however many turns those wait for, and that a caller that no longer waits
// gets no turn.
func TestTenantsAlternate(t *testing.T) {
	tenantIDs := map[string]uuid.UUID{"A": uuid.New(), "B": uuid.New(), "C": uuid.New()}
	var turns Queue
	if err := turns.Take(t.Context(), tenantIDs["A"]); err != nil {
		t.Fatal(err)
	}
	names := []string{"A", "A", "A", "B", "B", "C"}
	taken := make(chan string)
	for i, name := range names {
		go func() {
			if turns.Take(t.Context(), tenantIDs[name]) == nil {
				taken <- name
			}
		}()
		for waits := 0; waits <= i; { // until it waits
			n, _ := turns.Waited()
			waits = int(n)
		}
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, name := range []string{"A", "C"} {
		if err := turns.Take(left, tenantIDs[name]); !errors.Is(err, context.Canceled) {
			t.Errorf("a turn that is no longer waited for: %v", err)
		}
	}
	var order []string
	for range names {
		turns.Pass()
		order = append(order, <-taken)
	}
	if want := []string{"A", "B", "C", "A", "B", "A"}; !slices.Equal(order, want) {
		t.Errorf("turns %v, want %v", order, want)
	}
	turns.Pass()
	if turns.taken != 0 || len(turns.waiting) > 0 || len(turns.order) > 0 {
		t.Errorf("after all turns: %d taken, %v waiting", turns.taken, turns.order)
	}
	if times, _ := turns.Waited(); times != 8 {
		t.Errorf("%d waits, want 8", times)
	}
}

// TestFirstTurns checks that a tenant without a recent turn goes ahead of one that has had a turn, until that turn is
// no longer recent, and that the count of priority tenants is updated when one stops waiting.
func TestFirstTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := Queue{First: 10 * time.Second}
		often, seldom := uuid.New(), uuid.New()
		if err := turns.Take(t.Context(), often); err != nil {
			t.Fatal(err)
		}
		turns.Pass()
		first := func() uuid.UUID {
			if err := turns.Take(t.Context(), uuid.Nil); err != nil {
				t.Fatal(err)
			}
			var order []uuid.UUID
			var all sync.WaitGroup
			for _, id := range []uuid.UUID{often, seldom} {
				all.Go(func() {
					if turns.Take(t.Context(), id) == nil {
						order = append(order, id)
						turns.Pass()
					}
				})
				synctest.Wait()
			}
			left, leave := context.WithCancel(t.Context())
			all.Go(func() { turns.Take(left, uuid.New()) })
			synctest.Wait()
			leave()
			synctest.Wait()
			turns.Pass()
			all.Wait()
			if turns.first != 0 {
				t.Errorf("%d tenants come first, want none", turns.first)
			}
			return order[0]
		}
		if first() != seldom {
			t.Error("a tenant with a recent turn came first")
		}
		time.Sleep(20 * time.Second)
		if first() != often {
			t.Error("a turn was remembered for too long")
		}
	})
}

// TestTurnsWithoutPriority checks that a tenant with a recent turn does not wait for all tenants that come before it.
func TestTurnsWithoutPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := Queue{First: time.Hour}
		recent := uuid.New()
		if err := turns.Take(t.Context(), recent); err != nil {
			t.Fatal(err)
		}
		turns.Pass()
		if err := turns.Take(t.Context(), uuid.New()); err != nil {
			t.Fatal(err)
		}
		var order []uuid.UUID
		var all sync.WaitGroup
		for _, id := range []uuid.UUID{recent, uuid.New(), uuid.New(), uuid.New(), uuid.New()} {
			all.Go(func() {
				if turns.Take(t.Context(), id) == nil {
					order = append(order, id)
					turns.Pass()
				}
			})
			synctest.Wait()
		}
		turns.Pass()
		all.Wait()
		if at := slices.Index(order, recent); at > 1 {
			t.Errorf("the tenant with a recent turn was number %d, want at most the second", at+1)
		}
	})
}
