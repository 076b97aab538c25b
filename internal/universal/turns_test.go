package universal

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
	ids := map[string]uuid.UUID{}
	for _, name := range []string{"A", "B", "C"} {
		ids[name] = uuid.New()
	}
	var all turns
	type turn struct {
		name string
		end  func()
	}
	taken := make(chan turn)
	take := func(ctx context.Context, name string) error {
		end, err := all.take(ctx, ids[name])
		if err == nil {
			taken <- turn{name, end}
		}
		return err
	}
	waiting := 0
	wait := func(name string) {
		go take(t.Context(), name)
		waiting++
		for n := 0; n < waiting; {
			all.mu.Lock()
			n = len(all.waiting)
			all.mu.Unlock()
		}
	}
	end, err := all.take(t.Context(), ids["A"])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "A", "A", "B", "B", "C"} {
		wait(name)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := take(left, "C"); !errors.Is(err, context.Canceled) {
		t.Errorf("a turn that is no longer waited for: %v", err)
	}
	var order []string
	for range waiting {
		end()
		next := <-taken
		order, end = append(order, next.name), next.end
	}
	if want := []string{"B", "C", "A", "B", "A", "A"}; !slices.Equal(order, want) {
		t.Errorf("turns %v, want %v", order, want)
	}
	end()
	if all.taken || len(all.waiting) > 0 {
		t.Errorf("after all turns: %v", all.waiting)
	}
}
