package universal

import (
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// turns are taken one at a time. Tenants alternate: the next turn goes to the waiting
// tenant whose last turn was longest ago. The zero value is ready for use.
type turns struct {
	mu      sync.Mutex
	taken   bool
	holder  uuid.UUID // tenant that has taken the turn last
	waiting []waiter  // in the order in which they get their turns, except that holder comes last
}

type waiter struct {
	tenantID uuid.UUID
	granted  chan struct{} // closed when its turn has come
}

// take waits for a turn of the tenant. The caller must call end when the turn is over.
// The error is that of ctx.
func (t *turns) take(ctx context.Context, tenantID uuid.UUID) (end func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.taken {
		t.taken, t.holder = true, tenantID
		return t.pass, nil
	}
	w := waiter{tenantID, make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.mu.Unlock()
	select {
	case <-w.granted:
	case <-ctx.Done():
	}
	t.mu.Lock()
	if at := slices.Index(t.waiting, w); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
		return nil, ctx.Err()
	}
	return t.pass, nil
}

// pass ends a turn and begins the next one.
func (t *turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var others, own []waiter
	for _, w := range t.waiting {
		if w.tenantID == t.holder {
			own = append(own, w)
		} else {
			others = append(others, w)
		}
	}
	t.waiting = append(others, own...)
	if t.taken = len(t.waiting) > 0; t.taken {
		next := t.waiting[0]
		t.holder, t.waiting = next.tenantID, t.waiting[1:]
		close(next.granted)
	}
}
