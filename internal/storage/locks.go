package storage

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// Locks serializes callers with the same id, for example of a tenant, in this process.
// The zero value is ready.
type Locks struct {
	mu    sync.Mutex
	locks map[uuid.UUID]*idLock
}

type idLock struct {
	free  chan struct{} // holds a token while the lock is free
	users int           // callers that hold the lock or wait for it
}

// Lock waits for the lock of the id, or until ctx ends.
func (l *Locks) Lock(ctx context.Context, id uuid.UUID) (unlock func(), err error) {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = map[uuid.UUID]*idLock{}
	}
	own := l.locks[id]
	if own == nil {
		own = &idLock{free: make(chan struct{}, 1)}
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
