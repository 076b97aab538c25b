// Package timing reads and shifts the times at which submissions reach their states, for the
// clocks of tenants and for the metrics.
package timing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// NextDue returns the real time at which the tenant's next submission is due; nil
// if none is. A submission that is being processed counts as due, but not one that waits
// for the object store, which takes real time.
func NextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(due_at)
		from submissions
		where tenant_id = @tenant_id
		and due_at is not null
		and not parked`,
		pgx.StrictNamedArgs{"tenant_id": tenantID}).Scan(&next); err != nil {
		return nil, fmt.Errorf("find next due submission: %w", err)
	}
	return next, nil
}

// Due is a submission that time moves to its next state.
type Due struct {
	TxID   uuid.UUID
	Status string    // the next state; "" if it ends, since the document decides how
	DueAt  time.Time // real time
}

// NextDues returns those of the tenant's submissions that are due next, the first ones
// first, at most limit.
func NextDues(ctx context.Context, db storage.DB, tenantID uuid.UUID, limit int) ([]Due, error) {
	due, err := storage.All[Due](ctx, db, `
		select
			tx_id, due_at,
			case status when '`+universal.InProgress+`' then '`+universal.Scheduled+`' when '`+universal.Scheduled+`' then '`+universal.Started+`' else '' end as status
		from submissions
		where tenant_id = @tenant_id
		and due_at is not null
		and not parked
		order by due_at, tx_id
		limit @limit`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("list due submissions: %w", err)
	}
	return due, nil
}

// Backlog describes the submissions of all tenants that time moves to their next state.
type Backlog struct {
	ByState map[string]int // number of submissions in each state that time ends
	Parked  int            // that wait for the object store, and are in Started
	Lag     time.Duration  // how long the oldest one that is due has waited for a server
}

// ReadBacklog returns the backlog. now is real time.
func ReadBacklog(ctx context.Context, db storage.DB, now time.Time) (Backlog, error) {
	rows, err := storage.All[struct {
		Status string
		Count  int
		Parked int
		DueAt  *time.Time
	}](ctx, db, `
		select
			status, count(*), count(*) filter (where parked) as parked,
			min(due_at) filter (where not parked and (lease_until is null or lease_until <= @now)) as due_at
		from submissions
		where due_at is not null
		group by status`,
		pgx.StrictNamedArgs{"now": now})
	if err != nil {
		return Backlog{}, fmt.Errorf("read backlog of submissions: %w", err)
	}
	backlog := Backlog{ByState: map[string]int{universal.InProgress: 0, universal.Scheduled: 0, universal.Started: 0}}
	for _, row := range rows {
		backlog.ByState[row.Status] = row.Count
		backlog.Parked += row.Parked
		if row.DueAt != nil {
			backlog.Lag = max(backlog.Lag, now.Sub(*row.DueAt))
		}
	}
	return backlog, nil
}

// Shift makes those of the tenant's submissions that are due after a real time due
// earlier by a duration, or later if it is negative, because the tenant's clock was
// moved. It returns their number. It waits for transactions that are moving submissions to
// their next states, because these compute due times from the clock as it was.
func Shift(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, after time.Time, by time.Duration) (rows int, err error) {
	if _, err := tx.Exec(ctx, `
		select
		from submissions
		where tenant_id = @tenant_id
		and due_at <= @after
		and (status in (@in_progress, @scheduled) or lease_until is not null)
		for update`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "in_progress": universal.InProgress, "scheduled": universal.Scheduled}); err != nil {
		return 0, fmt.Errorf("lock submissions: %w", err)
	}
	tag, err := tx.Exec(ctx, `
		update submissions
		set due_at = due_at - @by::interval
		where tenant_id = @tenant_id
		and due_at > @after`,
		pgx.StrictNamedArgs{"tenant_id": tenantID, "after": after, "by": by})
	if err != nil {
		return 0, fmt.Errorf("shift submissions: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
