package hooks

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// DeliveryCounts is the number of a tenant's deliveries by state.
type DeliveryCounts struct {
	Pending   int // including those that wait for a retry
	Retrying  int // pending, after at least one attempt that failed
	Delivered int
	Dead      int
	Dropped   int
	Collected int
}

// CountDeliveries counts the tenant's deliveries by state. It reads indexes, and the
// rows of pending deliveries.
func CountDeliveries(ctx context.Context, db storage.DB, tenantID uuid.UUID) (DeliveryCounts, error) {
	counts, err := storage.One[DeliveryCounts](ctx, db, `
		with owned as materialized (
			select id from hooks where tenant_id = @tenant_id
		), waiting as (
			select count(*) as pending, count(*) filter (where attempt > 0) as retrying
			from owned
			join deliveries d on d.hook_id = owned.id
			where d.state = 'pending'
		), ended as (
			select
				count(*) filter (where state = 'dead') as dead,
				count(*) filter (where state = 'dropped') as dropped,
				count(*) filter (where state = 'collected') as collected
			from owned
			join deliveries d on d.hook_id = owned.id
			where d.state in ('dead', 'dropped', 'collected')
		), everything as (
			select count(*) as total
			from owned
			join deliveries d on d.hook_id = owned.id
		)
		select pending, retrying, total - pending - dead - dropped - collected as delivered, dead, dropped, collected
		from waiting, ended, everything`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return DeliveryCounts{}, fmt.Errorf("count deliveries: %w", err)
	}
	return counts, nil
}

// maxCountedEvents is the number of a tenant's newest events that CountEvents counts.
const maxCountedEvents = 10_000

// EventCount is how often an event was published to subscriptions. Times are the
// tenant's.
type EventCount struct {
	Event   string // subject:action
	Events  int64
	FirstAt time.Time
	LastAt  time.Time
}

// CountEvents counts the newest of the tenant's stored events, at most
// maxCountedEvents, by name.
func CountEvents(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]EventCount, error) {
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
