package turns

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Slow remembers tenants whose work was slow lately. The zero value is ready to use.
type Slow struct {
	mu    sync.Mutex
	until map[uuid.UUID]time.Time
}

// Mark makes the tenant count as slow for the duration.
func (s *Slow) Mark(tenantID uuid.UUID, now time.Time, duration time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil {
		s.until = map[uuid.UUID]time.Time{}
	}
	s.forget(now)
	s.until[tenantID] = now.Add(duration)
}

// Has reports whether the tenant counts as slow.
func (s *Slow) Has(tenantID uuid.UUID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.until[tenantID])
}

// Tenants returns the slow tenants in the order in which they stop being slow.
func (s *Slow) Tenants(now time.Time) []uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now)
	return slices.SortedFunc(maps.Keys(s.until), func(a, b uuid.UUID) int {
		return cmp.Or(s.until[a].Compare(s.until[b]), slices.Compare(a[:], b[:]))
	})
}

// forget removes the tenants that are no longer slow.
func (s *Slow) forget(now time.Time) {
	for tenantID, until := range s.until {
		if !now.Before(until) {
			delete(s.until, tenantID)
		}
	}
}
