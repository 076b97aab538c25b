package control

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// tenantLocks serializes calls for the same tenant in this process. The zero value is
// ready.
type tenantLocks struct {
	mu    sync.Mutex
	locks map[uuid.UUID]*tenantLock
}

type tenantLock struct {
	free  chan struct{} // holds a token while the lock is free
	users int           // calls that hold the lock or wait for it
}

// lock waits for the tenant's lock.
func (l *tenantLocks) lock(ctx context.Context, id uuid.UUID) (unlock func(), err error) {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = map[uuid.UUID]*tenantLock{}
	}
	own := l.locks[id]
	if own == nil {
		own = &tenantLock{free: make(chan struct{}, 1)}
		own.free <- struct{}{}
		l.locks[id] = own
	}
	own.users++
	l.mu.Unlock()
	release := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(l.locks, id)
		}
	}
	select {
	case <-own.free:
		return func() { own.free <- struct{}{}; release() }, nil
	case <-ctx.Done():
		release()
		return nil, ctx.Err()
	}
}
