package storage

import (
	"sync"
	"time"
)

const (
	recentTTL = 2 * time.Second
	maxRecent = 100 // results that are remembered
)

// Recent remembers results that take long to read for 2 s, because open pages request
// them often. Callers that request the same one at the same time wait for one of them to
// read it.
type Recent[K comparable, V any] struct {
	now  func() time.Time
	mu   sync.Mutex
	last map[K]*recentResult[V]
}

type recentResult[V any] struct {
	mu    sync.Mutex
	value V
	until time.Time // real time
}

// NewRecent returns a Recent that remembers nothing yet. now returns the real time.
func NewRecent[K comparable, V any](now func() time.Time) *Recent[K, V] {
	return &Recent[K, V]{now: now, last: map[K]*recentResult[V]{}}
}

// Read returns the result of the key, which read reads unless it is remembered. It is
// remembered if tookLong returns true for it.
func (r *Recent[K, V]) Read(key K, read func() (V, error), tookLong func(V) bool) (V, error) {
	r.mu.Lock()
	result := r.last[key]
	if result == nil {
		if len(r.last) >= maxRecent {
			clear(r.last)
		}
		result = &recentResult[V]{}
		r.last[key] = result
	}
	r.mu.Unlock()
	result.mu.Lock()
	defer result.mu.Unlock()
	begun := r.now()
	if begun.Before(result.until) {
		return result.value, nil
	}
	value, err := read()
	if result.until = (time.Time{}); err == nil && tookLong(value) {
		result.value, result.until = value, begun.Add(recentTTL)
	}
	return value, err
}
