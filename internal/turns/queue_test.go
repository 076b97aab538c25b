package turns

import (
	"context"
	"errors"
	"slices"
	"testing"

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
