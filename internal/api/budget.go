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

// Budget limits memory that calls use, per tenant and in all: for large responses, for
// request bodies (NewBodyBudget), or for buffers of the object store for uploads. A
// response counts from before its rows are read until the client has read it. A call that
// would exceed a limit waits, and holds no resources except its request.
//
// A quarter of the total is kept for medium responses, one of each tenant at a time. So
// clients that read large responses slowly do not delay clients of other tenants.
type Budget struct {
	total, perTenant int64 // bytes
	small            int64 // bytes up to which nothing is reserved
	kept             int64 // bytes for medium responses, in addition to total
	wait             time.Duration

	mu         sync.Mutex
	used       int64
	usedMedium int64
	heldBytes  int64 // of the waiting responses that are in memory already
	byTenant   map[uuid.UUID]int64
	medium     map[uuid.UUID]bool // tenants with a response in the kept memory
	waiting    []*Room            // in the order of their calls
}

// Room is the memory that is reserved for a response. The zero value reserves nothing.
type Room struct {
	budget   *Budget
	tenantID uuid.UUID
	bytes    int64
	medium   bool          // in the memory that is kept for medium responses
	granted  chan struct{} // closed when the call need not wait any longer
}

// NewBudget returns a budget with the given limits in bytes, in all and for each
// tenant. A call waits for memory at most for the given duration.
func NewBudget(total, perTenant int64, wait time.Duration) *Budget {
	kept := total / 4
	return &Budget{total: total - kept, perTenant: perTenant, small: smallResponse, kept: kept, wait: wait, byTenant: map[uuid.UUID]int64{}, medium: map[uuid.UUID]bool{}}
}

// fitsKept reports whether the room can use the memory that is kept for medium responses.
// b.mu is held.
func (b *Budget) fitsKept(room *Room) bool {
	return room.bytes <= b.kept/8 && !b.medium[room.tenantID] && b.usedMedium+room.bytes <= b.kept
}

// Reserve reserves the given bytes of memory for a response of the tenant, and waits
// until they are free. A response that needs more than the limit of a tenant reserves
// the whole limit. The caller must release the room. The error is ErrBusy, or that of
// ctx.
func (b *Budget) Reserve(ctx context.Context, tenantID uuid.UUID, bytes int64) (*Room, error) {
	return b.reserve(ctx, tenantID, bytes, 0)
}

// ReserveHeld is Reserve for a response that is in memory already. It returns ErrBusy
// at once if the response would have to wait while others of this kind wait, and all of
// them together exceed the limit of a tenant.
func (b *Budget) ReserveHeld(ctx context.Context, tenantID uuid.UUID, bytes int64) (*Room, error) {
	return b.reserve(ctx, tenantID, bytes, bytes)
}

// reserve implements Reserve and ReserveHeld. held is 0 for Reserve, and the size of
// the response for ReserveHeld.
func (b *Budget) reserve(ctx context.Context, tenantID uuid.UUID, bytes, held int64) (*Room, error) {
	if bytes <= b.small {
		return &Room{}, nil
	}
	room := &Room{budget: b, tenantID: tenantID, bytes: min(bytes, b.perTenant), granted: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, room)
	b.grant()
	waits := slices.Contains(b.waiting, room)
	if waits && held > 0 && b.heldBytes > 0 && b.heldBytes+held > b.perTenant {
		b.waiting = slices.DeleteFunc(b.waiting, func(waiting *Room) bool { return waiting == room })
		b.mu.Unlock()
		return nil, ErrBusy
	}
	if waits {
		b.heldBytes += held
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.heldBytes -= held
		}()
	}
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

// grant reserves memory for the waiting calls, in their order. A call that does not fit
// into the kept memory waits behind a call of another tenant only if that call waits
// for the total limit: otherwise many responses could delay a large one forever. b.mu is
// held.
func (b *Budget) grant() {
	full := false
	b.waiting = slices.DeleteFunc(b.waiting, func(room *Room) bool {
		if b.fitsKept(room) {
			room.medium = true
			b.medium[room.tenantID] = true
			b.usedMedium += room.bytes
			close(room.granted)
			return true
		}
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
	if r.medium {
		r.budget.usedMedium += bytes - r.bytes
		if bytes == 0 {
			r.medium = false
			delete(r.budget.medium, r.tenantID)
		}
	} else {
		r.budget.add(r.tenantID, bytes-r.bytes)
	}
	r.bytes = bytes
	r.budget.grant()
}

// Release frees the reserved memory. It can be called twice.
func (r *Room) Release() { r.Resize(0) }

// Total returns how many bytes can be reserved.
func (b *Budget) Total() int64 { return b.total + b.kept }

// Wait returns how long a call waits at most.
func (b *Budget) Wait() time.Duration { return b.wait }

// Used returns how many bytes are reserved.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used + b.usedMedium
}
