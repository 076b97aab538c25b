package storage

import (
	"sync"
	"time"
)

const (
	recentTTL = 2 * time.Second
	maxRecent = 100 // cached results
)

// Recent caches results for 2 s if reading them takes long, because open pages request
// them often. If several callers request the same result at the same time, one of them
// reads it, and the others wait for it.
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

// NewRecent returns an empty Recent. now returns the real time.
func NewRecent[K comparable, V any](now func() time.Time) *Recent[K, V] {
	return &Recent[K, V]{now: now, last: map[K]*recentResult[V]{}}
}

// Read returns the result for the key. If it is not cached, Read calls read, and caches
// the result if tookLong returns true for it.
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
