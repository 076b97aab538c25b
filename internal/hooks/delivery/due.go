package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// NextDue returns the real time at which the tenant's next delivery is due; nil if
// there is none. A delivery in flight counts as due. A delivery whose subscription is
// inactive does not count.
func NextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(d.due_at)
		from hooks h
		cross join lateral (
			select due_at
			from deliveries
			where hook_id = h.id
			and activation = h.activation
			and state = 'pending'
			order by due_at
			limit 1
		) d
		where h.tenant_id = @tenant_id
		and h.active`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&next); err != nil {
		return nil, fmt.Errorf("find next due delivery: %w", err)
	}
	return next, nil
}

// Due is a delivery of which an attempt is due.
type Due struct {
	ID      uuid.UUID
	HookID  uuid.UUID
	Event   string
	Attempt int       // number of the attempt, counted from 1
	DueAt   time.Time // real time
}

// NextDues returns those of the tenant's deliveries that are due next, the first ones
// first, at most limit. See NextDue.
func NextDues(ctx context.Context, db storage.DB, tenantID uuid.UUID, limit int) ([]Due, error) {
	due, err := storage.All[Due](ctx, db, `
		select d.id, d.hook_id, d.event, d.attempt + 1 as attempt, d.due_at
		from hooks h
		cross join lateral (
			select id, hook_id, event, attempt, due_at
			from deliveries
			where hook_id = h.id
			and activation = h.activation
			and state = 'pending'
			order by due_at
			limit @limit
		) d
		where h.tenant_id = @tenant_id
		and h.active
		order by d.due_at, d.id
		limit @limit`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list due deliveries: %w", err)
	}
	return due, nil
}

// Backlog describes the deliveries of all tenants that are not finished.
type Backlog struct {
	Pending int           // deliveries that are not finished; at most maxBacklog are counted
	Lag     time.Duration // how long the oldest one that is due has waited for a server
}

// maxBacklog limits the rows that are read to describe the backlog.
const maxBacklog = 100_000

// ReadBacklog returns the backlog. now is real time.
func ReadBacklog(ctx context.Context, db storage.DB, now time.Time) (Backlog, error) {
	row, err := storage.One[struct {
		Pending int
		DueAt   *time.Time
	}](ctx, db, `
		select count(*) as pending, min(due_at) filter (where lease_until is null or lease_until <= @now) as due_at
		from (
			select due_at, lease_until
			from deliveries
			where state = 'pending'
			and hook_id <> all(array(select id from deleted_hooks))
			limit @max
		) pending`,
		pgx.StrictNamedArgs{"now": now, "max": maxBacklog})
	if err != nil {
		return Backlog{}, fmt.Errorf("read backlog of deliveries: %w", err)
	}
	backlog := Backlog{Pending: row.Pending}
	if row.DueAt != nil {
		backlog.Lag = max(0, now.Sub(*row.DueAt))
	}
	return backlog, nil
}

// Shift makes those of the tenant's pending deliveries that are due after a real time
// due earlier by a duration, or later if it is negative, because the tenant's clock was
// moved. It locks them in the order of sortInLockOrder, and returns their number. It waits
// for results that are being recorded, because these compute due times from the clock as it
// was.
func Shift(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, after time.Time, by time.Duration) (rows int, err error) {
	args := pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after}
	if _, err := tx.Exec(ctx, `
		select
		from hooks h
		join deliveries d on d.hook_id = h.id
		where h.tenant_id = @tenant_id
		and d.state = 'pending'
		and (d.due_at > @after or d.lease_until is not null)
		order by d.hook_id, d.id
		for update of d`, args); err != nil {
		return 0, fmt.Errorf("lock deliveries: %w", err)
	}
	args["by"] = by
	tag, err := tx.Exec(ctx, `
		update deliveries d
		set due_at = d.due_at - @by::interval
		from hooks h
		where h.tenant_id = @tenant_id
		and d.hook_id = h.id
		and d.state = 'pending'
		and d.due_at > @after`, args)
	if err != nil {
		return 0, fmt.Errorf("shift deliveries: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
