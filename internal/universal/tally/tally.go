// Package tally counts the submissions of tenants.
package tally

import (
	"context"
	"fmt"
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

// Counter counts the submissions of tenants. The counts of a tenant with many submissions
// can be up to 2 s old.
type Counter struct {
	states *storage.Recent[uuid.UUID, []StateCount]
	ended  *storage.Recent[endedPeriods, []EndedCount]
}

// manySubmissions is the number of submissions from which counts are cached.
const manySubmissions = 10_000

// NewCounter returns a counter whose cache is empty. now returns the real time.
func NewCounter(now func() time.Time) *Counter {
	return &Counter{storage.NewRecent[uuid.UUID, []StateCount](now), storage.NewRecent[endedPeriods, []EndedCount](now)}
}

// States counts the tenant's submissions by state.
func (c *Counter) States(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]StateCount, error) {
	return c.states.Read(tenantID, func() ([]StateCount, error) { return countStates(ctx, db, tenantID) }, func(counts []StateCount) bool {
		total := 0
		for _, count := range counts {
			total += count.Submissions
		}
		return total >= manySubmissions
	})
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

// endedPeriods are periods in which submissions of a tenant reached a final state.
type endedPeriods struct {
	tenantID uuid.UUID
	from     time.Time
	width    time.Duration
	number   int
}

// Ended counts the tenant's submissions that reached a final state, by periods of the
// width, the first of which starts at from.
func (c *Counter) Ended(ctx context.Context, db storage.DB, tenantID uuid.UUID, from time.Time, width time.Duration, periods int) ([]EndedCount, error) {
	key := endedPeriods{tenantID, from, width, periods}
	return c.ended.Read(key, func() ([]EndedCount, error) { return countEnded(ctx, db, key) }, func(counts []EndedCount) bool {
		total := 0
		for _, count := range counts {
			total += count.Completed + count.Failed
		}
		return total >= manySubmissions
	})
}

// countEnded reads an index only.
func countEnded(ctx context.Context, db storage.DB, p endedPeriods) ([]EndedCount, error) {
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
		pgx.StrictNamedArgs{"tenant_id": p.tenantID, "from": p.from, "width": p.width, "periods": p.number})
	if err != nil {
		return nil, fmt.Errorf("count ended submissions: %w", err)
	}
	return counts, nil
}

// Usage is what the server keeps for a tenant.
type Usage struct {
	Submissions int
	StoredBytes int64 // size of the files of the submissions
}

// Usages returns the usage of each tenant that has submissions.
func Usages(ctx context.Context, db storage.DB, tenantIDs []uuid.UUID) (map[uuid.UUID]Usage, error) {
	found, err := storage.All[struct {
		TenantID uuid.UUID
		Usage
	}](ctx, db, `
		select tenant_id, count(*) as submissions, coalesce(sum(size), 0)::bigint as stored_bytes
		from submissions
		where tenant_id = any(@ids)
		group by tenant_id`,
		pgx.StrictNamedArgs{"ids": tenantIDs})
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	usages := make(map[uuid.UUID]Usage, len(found))
	for _, row := range found {
		usages[row.TenantID] = row.Usage
	}
	return usages, nil
}
