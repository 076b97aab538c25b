package api

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// ErrBusy is returned by Budget.Reserve if not enough memory for a response becomes
// free in time. Serve responds to it with 503 and Retry-After.
var ErrBusy = errors.New("too many large responses at once")

// smallResponse is the size in bytes up to which a response reserves nothing: it is no
// larger than what its request uses.
const smallResponse = 64 << 10

// Budget limits the memory of large responses, per tenant and in all. A response counts
// from before its rows are read until the client has read it. A call that would exceed
// a limit waits, and holds no resources except its request.
type Budget struct {
	total, perTenant int64 // bytes
	wait             time.Duration

	mu       sync.Mutex
	used     int64
	byTenant map[uuid.UUID]int64
	waiting  []*Room // in the order of their calls
}

// Room is the memory that is reserved for a response. The zero value reserves nothing.
type Room struct {
	budget   *Budget
	tenantID uuid.UUID
	bytes    int64
	granted  chan struct{} // closed when the call need not wait any longer
}

// NewBudget returns a budget with the given limits in bytes, in all and for each
// tenant. A call waits for memory at most for the given duration.
func NewBudget(total, perTenant int64, wait time.Duration) *Budget {
	return &Budget{total: total, perTenant: perTenant, wait: wait, byTenant: map[uuid.UUID]int64{}}
}

// Reserve reserves the given bytes of memory for a response of the tenant, and waits
// until they are free. A response that needs more than the limit of a tenant reserves
// the whole limit. The caller must release the room. The error is ErrBusy, or that of
// ctx.
func (b *Budget) Reserve(ctx context.Context, tenantID uuid.UUID, bytes int64) (*Room, error) {
	if bytes <= smallResponse {
		return &Room{}, nil
	}
	room := &Room{b, tenantID, min(bytes, b.perTenant), make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, room)
	b.grant()
	b.mu.Unlock()
	timer := time.NewTimer(b.wait)
	defer timer.Stop()
	var err error
	select {
	case <-room.granted:
		return room, nil
	case <-timer.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := slices.Index(b.waiting, room); at >= 0 {
		b.waiting = slices.Delete(b.waiting, at, at+1)
		b.grant() // calls behind this one may fit now
		return nil, err
	}
	return room, nil // granted just before the timeout
}

// grant reserves memory for the waiting calls, in their order. A call waits behind a
// call of another tenant only if that call waits for the total limit: otherwise small
// responses could delay a large one forever. b.mu is held.
func (b *Budget) grant() {
	full := false
	b.waiting = slices.DeleteFunc(b.waiting, func(room *Room) bool {
		if full || b.byTenant[room.tenantID]+room.bytes > b.perTenant {
			return false
		}
		if b.used+room.bytes > b.total {
			full = true
			return false
		}
		b.add(room.tenantID, room.bytes)
		close(room.granted)
		return true
	})
}

// add changes what a tenant uses. b.mu is held.
func (b *Budget) add(tenantID uuid.UUID, bytes int64) {
	b.used += bytes
	if b.byTenant[tenantID] += bytes; b.byTenant[tenantID] == 0 {
		delete(b.byTenant, tenantID)
	}
}

// Resize corrects the estimated size of the response. It never waits: if the limit is
// exceeded, only other responses are delayed.
func (r *Room) Resize(bytes int64) {
	if r.budget == nil {
		return
	}
	r.budget.mu.Lock()
	defer r.budget.mu.Unlock()
	r.budget.add(r.tenantID, bytes-r.bytes)
	r.bytes = bytes
	r.budget.grant()
}

// Release frees the reserved memory. It can be called twice.
func (r *Room) Release() { r.Resize(0) }

// Total returns how many bytes can be reserved.
func (b *Budget) Total() int64 { return b.total }

// Used returns how many bytes are reserved.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
