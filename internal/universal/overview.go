package universal

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// StateCount is the number of a tenant's submissions in a state. Times are the
// tenant's.
type StateCount struct {
	Status        string
	Submissions   int
	Reviews       int        // of them, those that version 4 shows as Review_required
	StoredBytes   int64      // size of their files
	FirstAt       *time.Time // when the first one without review reached a final state; nil in other states
	LastAt        *time.Time
	FirstReviewAt *time.Time // the same with review
	LastReviewAt  *time.Time
}

// StateCounter counts submissions by state. It remembers the counts of tenants with
// many submissions for a moment, because counting takes long, and an open page requests
// them often.
type StateCounter struct {
	now  func() time.Time
	mu   sync.Mutex
	last map[uuid.UUID]countedStates
}

type countedStates struct {
	at     time.Time // real time
	counts []StateCount
}

const (
	manySubmissions = 10_000
	countsTTL       = 2 * time.Second // of tenants with manySubmissions
)

// NewStateCounter returns a counter that remembers nothing yet. now returns the real
// time.
func NewStateCounter(now func() time.Time) *StateCounter {
	return &StateCounter{now: now, last: map[uuid.UUID]countedStates{}}
}

// Count counts the tenant's submissions by state. The counts of a tenant with many
// submissions can be 2 s old.
func (c *StateCounter) Count(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]StateCount, error) {
	c.mu.Lock()
	last, known := c.last[tenantID]
	c.mu.Unlock()
	if known && c.now().Sub(last.at) < countsTTL {
		return last.counts, nil
	}
	at := c.now()
	counts, err := countStates(ctx, db, tenantID)
	total := 0
	for _, count := range counts {
		total += count.Submissions
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.last, tenantID)
	if total >= manySubmissions {
		c.last[tenantID] = countedStates{at, counts}
	}
	return counts, err
}

// countStates reads an index only.
func countStates(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]StateCount, error) {
	counts, err := storage.All[StateCount](ctx, db, `
		select status, count(*) as submissions, count(*) filter (where review) as reviews, coalesce(sum(size), 0)::bigint as stored_bytes,
			min(finished_at) filter (where not review) as first_at, max(finished_at) filter (where not review) as last_at,
			min(finished_at) filter (where review) as first_review_at, max(finished_at) filter (where review) as last_review_at
		from submissions
		where tenant_id = @tenant_id
		group by status -- the order of the index
		order by status`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, fmt.Errorf("count submissions: %w", err)
	}
	return counts, nil
}

// EndedCount is the number of submissions that reached a final state in a period.
type EndedCount struct{ Completed, Failed int }

// CountEnded counts the tenant's submissions that reached a final state, by periods of
// the width, the first of which starts at from. It reads an index only.
func CountEnded(ctx context.Context, db storage.DB, tenantID uuid.UUID, from time.Time, width time.Duration, periods int) ([]EndedCount, error) {
	counts, err := storage.All[EndedCount](ctx, db, `
		select completed, failed
		from generate_series(0, @periods::int - 1) period
		cross join lateral (
			select count(*) filter (where status = 'Completed') as completed, count(*) filter (where status = 'Failed') as failed
			from submissions
			where tenant_id = @tenant_id
			and status in ('Completed', 'Failed')
			and finished_at >= @from::timestamptz + period * @width::interval
			and finished_at < @from::timestamptz + (period + 1) * @width::interval
		) counted
		order by period`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "from": from, "width": width, "periods": periods})
	if err != nil {
		return nil, fmt.Errorf("count ended submissions: %w", err)
	}
	return counts, nil
}
