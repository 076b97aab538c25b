// Package turns makes callers wait for their turn, so that only one or a few proceed at a time and
// tenants alternate. It does not know what the callers do.
package turns

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Queue limits how many callers proceed at the same time. Waiting tenants alternate: each tenant
// gets a turn after at most one turn of every other tenant, however many of their callers wait, unless First is set.
// Callers of one tenant get their turns in the order of arrival. The zero value has one turn.
type Queue struct {
	Size int // callers at a time; 0 = 1
	// First, if not 0, gives priority to tenants that have had no turn for a while: a tenant goes ahead of those with
	// a recent turn. A turn stops being recent after First to 3×First; if turns are frequent, after at most about
	// 2×First.
	First time.Duration

	mu        sync.Mutex
	taken     int
	waiting   map[uuid.UUID][]chan struct{} // by tenant; a channel is closed when its turn has come
	order     []uuid.UUID                   // the waiting tenants, the next one first
	first     int                           // how many of them have priority
	preferred bool                          // the last turn was for a tenant with priority, although tenants without it waited
	// had holds the tenants with a turn since the time `since` (had[0]) and in the period before that (had[1]).
	had   [2]map[uuid.UUID]struct{}
	since time.Time

	waits  int64 // how often a caller had to wait
	waited time.Duration
}

// Take waits for a turn of the tenant, or until ctx ends. Callers without a tenant together count
// as one tenant. If Take returns nil, the caller must call Pass when its turn is over. The error
// is that of ctx.
func (t *Queue) Take(ctx context.Context, tenantID uuid.UUID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken < max(t.Size, 1) {
		t.taken++
		t.remember(tenantID)
		return nil
	}
	if t.waiting == nil {
		t.waiting = map[uuid.UUID][]chan struct{}{}
	}
	came := make(chan struct{})
	begun := time.Now()
	if len(t.waiting[tenantID]) == 0 {
		t.enqueue(tenantID)
	}
	t.waiting[tenantID] = append(t.waiting[tenantID], came)
	t.waits++
	t.mu.Unlock()
	select {
	case <-came:
	case <-ctx.Done():
	}
	t.mu.Lock()
	t.waited += time.Since(begun)
	at := slices.Index(t.waiting[tenantID], came)
	if at < 0 {
		return nil
	}
	t.setWaiting(tenantID, slices.Delete(t.waiting[tenantID], at, at+1))
	if t.waiting[tenantID] == nil {
		t.dequeue(slices.Index(t.order, tenantID))
	}
	return ctx.Err()
}

// Pass ends a turn, and starts the turn of the next caller.
func (t *Queue) Pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.order) == 0 {
		t.taken--
		return
	}
	at := t.nextPlace()
	next := t.order[at]
	t.dequeue(at)
	close(t.waiting[next][0])
	t.setWaiting(next, t.waiting[next][1:])
	t.remember(next)
	if t.waiting[next] != nil {
		t.enqueue(next)
	}
}

// nextPlace returns the place of the next tenant. Every second turn is for the tenants without priority, so that a steady
// stream of tenants with priority does not keep them waiting.
func (t *Queue) nextPlace() int {
	both := t.first > 0 && t.first < len(t.order)
	t.preferred = both && !t.preferred
	if both && !t.preferred {
		return t.first
	}
	return 0
}

// enqueue adds a waiting tenant to the end of the queue, or, if First is set and it has had no recent turn, to the end
// of the priority group.
func (t *Queue) enqueue(tenantID uuid.UUID) {
	at := len(t.order)
	if t.First > 0 && !t.hadTurn(tenantID) {
		at = t.first
		t.first++
	}
	t.order = slices.Insert(t.order, at, tenantID)
}

// dequeue removes the waiting tenant at a place of the order.
func (t *Queue) dequeue(at int) {
	t.order = slices.Delete(t.order, at, at+1)
	if at < t.first {
		t.first--
	}
}

// hadTurn reports whether the tenant has had a turn recently.
func (t *Queue) hadTurn(tenantID uuid.UUID) bool {
	t.forget()
	_, now := t.had[0][tenantID]
	_, before := t.had[1][tenantID]
	return now || before
}

// remember records that the tenant has a turn.
func (t *Queue) remember(tenantID uuid.UUID) {
	if t.First > 0 {
		t.forget()
		t.had[0][tenantID] = struct{}{}
	}
}

// forget forgets turns that are no longer recent.
func (t *Queue) forget() {
	age := time.Since(t.since)
	switch {
	case age < t.First:
		return
	case age < 2*t.First:
		t.had[1] = t.had[0]
	default:
		t.had[1] = nil
	}
	t.had[0], t.since = map[uuid.UUID]struct{}{}, time.Now()
}

func (t *Queue) setWaiting(tenantID uuid.UUID, queue []chan struct{}) {
	if len(queue) == 0 {
		delete(t.waiting, tenantID)
	} else {
		t.waiting[tenantID] = queue
	}
}

// Waited returns how often and how long callers had to wait, in all.
func (t *Queue) Waited() (times int64, duration time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waits, t.waited
}

// SpeedQueue lets two callers proceed at the same time: one of a tenant with slow turns, and one of
// any other tenant. Tenants with slow turns wait only for each other, and do not delay other
// tenants. The zero value is ready to use.
type SpeedQueue struct {
	quick, slow Queue
	tenants     Slow // the tenants with slow turns
}

const (
	slowTurn = 50 * time.Millisecond
	slowFor  = 5 * time.Second // how long a tenant counts as slow after a slow turn
)

// Run waits for a turn of the tenant, or until ctx ends, and then calls do.
func (t *SpeedQueue) Run(ctx context.Context, tenantID uuid.UUID, do func() error) error {
	turns, err := t.take(ctx, tenantID)
	if err != nil {
		return err
	}
	defer turns.Pass()
	begun := time.Now()
	defer func() {
		if time.Since(begun) >= slowTurn {
			t.tenants.Mark(tenantID, time.Now(), slowFor)
		}
	}()
	return do()
}

// take waits for a turn of the tenant, and returns the Queue that it belongs to.
func (t *SpeedQueue) take(ctx context.Context, tenantID uuid.UUID) (*Queue, error) {
	if !t.tenants.Has(tenantID, time.Now()) {
		if err := t.quick.Take(ctx, tenantID); err != nil {
			return nil, err
		}
		if !t.tenants.Has(tenantID, time.Now()) {
			return &t.quick, nil
		}
		t.quick.Pass() // another turn of the tenant was slow during the wait
	}
	return &t.slow, t.slow.Take(ctx, tenantID)
}
