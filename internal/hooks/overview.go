package hooks

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// Counter counts the deliveries and events of tenants. The counts of a tenant with many
// of them can be up to 2 s old.
type Counter struct {
	deliveries *storage.Recent[uuid.UUID, []DeliveryCounts]
	events     *storage.Recent[uuid.UUID, []EventCount]
}

const (
	manyDeliveries   = 10_000 // from this number on, counts are cached
	manyEvents       = 1_000
	maxCountedEvents = 10_000 // the newest ones
)

// NewCounter returns a counter whose cache is empty. now returns the real time.
func NewCounter(now func() time.Time) *Counter {
	return &Counter{storage.NewRecent[uuid.UUID, []DeliveryCounts](now), storage.NewRecent[uuid.UUID, []EventCount](now)}
}

// DeliveryCounts is the number of deliveries to a subscription by state.
type DeliveryCounts struct {
	HookID    uuid.UUID
	Pending   int // including those that wait for a retry
	Retrying  int // pending, after at least one attempt that failed
	Delivered int
	Dead      int
	Dropped   int
	Collected int
}

// Total returns the number of deliveries in all states.
func (c DeliveryCounts) Total() int {
	return c.Pending + c.Delivered + c.Dead + c.Dropped + c.Collected
}

// Deliveries counts the deliveries to each of the tenant's subscriptions.
func (c *Counter) Deliveries(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]DeliveryCounts, error) {
	return c.deliveries.Read(tenantID, func() ([]DeliveryCounts, error) {
		ids, err := storage.IDs(ctx, db, `
			select id
			from hooks
			where tenant_id = @tenant_id`,
			pgx.StrictNamedArgs{"tenant_id": tenantID})
		if err != nil {
			return nil, fmt.Errorf("list subscriptions: %w", err)
		}
		return countDeliveries(ctx, db, ids)
	}, func(counts []DeliveryCounts) bool {
		total := 0
		for _, count := range counts {
			total += count.Total()
		}
		return total >= manyDeliveries
	})
}

// countDeliveries counts the deliveries to each of the subscriptions. It reads indexes,
// and the rows of pending deliveries.
func countDeliveries(ctx context.Context, db storage.DB, hookIDs []uuid.UUID) ([]DeliveryCounts, error) {
	counts, err := storage.All[DeliveryCounts](ctx, db, `
		select hook.id as hook_id, pending, retrying, total - pending - dead - dropped - collected as delivered, dead, dropped, collected
		from unnest(@hook_ids::uuid[]) hook (id)
		cross join lateral (
			select count(*) as pending, count(*) filter (where attempt > 0) as retrying
			from deliveries
			where hook_id = hook.id
			and state = 'pending'
		) waiting
		cross join lateral (
			select
				count(*) filter (where state = 'dead') as dead,
				count(*) filter (where state = 'dropped') as dropped,
				count(*) filter (where state = 'collected') as collected
			from deliveries
			where hook_id = hook.id
			and state in ('dead', 'dropped', 'collected')
		) ended
		cross join lateral (
			select count(*) as total
			from deliveries
			where hook_id = hook.id
		) everything`,
		pgx.StrictNamedArgs{"hook_ids": hookIDs})
	if err != nil {
		return nil, fmt.Errorf("count deliveries: %w", err)
	}
	return counts, nil
}

// EventCount is how often an event was published to subscriptions. Times are the
// tenant's.
type EventCount struct {
	Event   string // subject:action
	Events  int64
	FirstAt time.Time
	LastAt  time.Time
}

// Events counts the newest of the tenant's stored events, at most maxCountedEvents, by
// name.
func (c *Counter) Events(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]EventCount, error) {
	return c.events.Read(tenantID, func() ([]EventCount, error) { return countEvents(ctx, db, tenantID) }, func(counts []EventCount) bool {
		total := int64(0)
		for _, count := range counts {
			total += count.Events
		}
		return total >= manyEvents
	})
}

func countEvents(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]EventCount, error) {
	counts, err := storage.All[EventCount](ctx, db, `
		select event, count(*) as events, min(created_at) as first_at, max(created_at) as last_at
		from (
			select event, created_at
			from events
			where tenant_id = @tenant_id
			order by id desc
			limit @max
		) newest
		group by event
		order by event`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "max": maxCountedEvents})
	if err != nil {
		return nil, fmt.Errorf("count events: %w", err)
	}
	return counts, nil
}
