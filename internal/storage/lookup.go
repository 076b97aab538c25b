package storage

import (
	"context"
	"sync"
	"time"
)

const (
	lookupQueries = 3                    // of one Lookup at a time
	lookupUsual   = 5 * time.Millisecond // if a query takes longer, the next one does not wait for it
	lookupKeys    = 500                  // per query
	lookupTimeout = 15 * time.Second
)

// Lookup finds rows by their keys. Keys that arrive while a query runs are found together by
// the next query, so that many calls at the same time need few queries. A query begins after
// its keys have arrived, so a caller finds what was committed before it called.
type Lookup[K comparable, V any] struct {
	query func(ctx context.Context, keys []K) (map[K]V, error)

	mu      sync.Mutex
	running int                  // queries
	begun   time.Time            // of the newest of them
	waiting []*lookupGroup[K, V] // the next one first
}

// lookupGroup is the keys of a query, and its result.
type lookupGroup[K comparable, V any] struct {
	ctx   context.Context // of the first caller
	keys  []K
	done  chan struct{} // closed when found and err are set
	found map[K]V
	err   error
}

// NewLookup returns a Lookup that finds rows with the query, which returns the rows that
// exist by their keys.
func NewLookup[K comparable, V any](query func(ctx context.Context, keys []K) (map[K]V, error)) *Lookup[K, V] {
	return &Lookup[K, V]{query: query}
}

// Find returns the row with the key, and whether it exists.
func (l *Lookup[K, V]) Find(ctx context.Context, key K) (row V, exists bool, err error) {
	group := l.join(ctx, key)
	select {
	case <-group.done:
		row, exists = group.found[key]
		return row, exists, group.err
	case <-ctx.Done():
		return row, false, ctx.Err()
	}
}

// join adds the key to the group that is queried next.
func (l *Lookup[K, V]) join(ctx context.Context, key K) *lookupGroup[K, V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	var group *lookupGroup[K, V]
	if n := len(l.waiting); n > 0 && len(l.waiting[n-1].keys) < lookupKeys {
		group = l.waiting[n-1]
		group.keys = append(group.keys, key)
	} else {
		group = &lookupGroup[K, V]{ctx: ctx, keys: []K{key}, done: make(chan struct{})}
		l.waiting = append(l.waiting, group)
	}
	if l.running == 0 || l.running < lookupQueries && time.Since(l.begun) > lookupUsual {
		l.running++
		l.begun = time.Now()
		go l.run()
	}
	return group
}

// run runs queries until no group waits.
func (l *Lookup[K, V]) run() {
	for {
		l.mu.Lock()
		if len(l.waiting) == 0 {
			l.running--
			l.mu.Unlock()
			return
		}
		group := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.begun = time.Now()
		l.mu.Unlock()
		// The first caller may disconnect, but the others need the result.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(group.ctx), lookupTimeout)
		group.found, group.err = l.query(ctx, group.keys)
		cancel()
		close(group.done)
	}
}
