package universal

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// idle is how long a step may wait before it looks again for work that another
// server left.
const idle = 500 * time.Millisecond

// Advance is the background step that moves submissions to Scheduled and to
// Started when their waits are over. It returns how long until more is due.
// wake tells the other steps that there is work.
func Advance(ctx context.Context, db storage.DB, now time.Time, wake func()) (time.Duration, error) {
	const batch = 500
	moved := 0
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		due, err := storage.All[dueRow](ctx, tx, `
			select tx_id, tenant_id, status, due_at, started_wait, finished_wait
			from submissions
			where due_at <= @now
			and status in (@in_progress, @scheduled)
			order by due_at
			limit @batch
			for update skip locked`,
			pgx.StrictNamedArgs{"now": now, "in_progress": InProgress, "scheduled": Scheduled, "batch": batch})
		if err != nil || len(due) == 0 {
			return err
		}
		moved = len(due)
		return move(ctx, tx, due, now)
	})
	if err != nil {
		return 0, fmt.Errorf("advance submissions: %w", err)
	}
	if moved > 0 {
		wake()
		return 0, nil // the next state may be due already
	}
	return untilDue(ctx, db, now, InProgress, Scheduled)
}

type dueRow struct {
	TxID         uuid.UUID
	TenantID     uuid.UUID
	Status       string
	DueAt        time.Time
	StartedWait  time.Duration
	FinishedWait time.Duration
}

// move moves each locked row one state on. The state was reached when it was
// due, however late this step came to it, so that a pace is kept exactly; what
// tells of it is due now, in real time.
func move(ctx context.Context, tx pgx.Tx, rows []dueRow, now time.Time) error {
	ids := make([]uuid.UUID, len(rows))
	tenantIDs := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i], tenantIDs[i] = row.TxID, row.TenantID
	}
	tenants, err := auth.Tenants(ctx, tx, tenantIDs)
	if err != nil {
		return err
	}
	states, dues := make([]string, len(rows)), make([]time.Time, len(rows))
	moves := make([]reached, len(rows))
	for i, row := range rows {
		states[i], dues[i] = Scheduled, row.DueAt.Add(row.StartedWait)
		if row.Status == Scheduled {
			states[i], dues[i] = Started, row.DueAt.Add(row.FinishedWait)
		}
		moves[i] = reached{row.TenantID, row.TxID, states[i], tenants[row.TenantID].Time(row.DueAt)}
	}
	moved, err := storage.All[submission](ctx, tx, `
		update submissions s
		set status = next.state, due_at = next.due
		from unnest(@ids::uuid[], @states::text[], @dues::timestamptz[]) next (id, state, due)
		where s.tx_id = next.id
		returning `+submissionColumns,
		pgx.StrictNamedArgs{"ids": ids, "states": states, "dues": dues})
	if err != nil {
		return err
	}
	if err := note(ctx, tx, moves...); err != nil {
		return err
	}
	return tell(ctx, tx, tenants, moved, now)
}

// untilDue is how long until a submission in one of the states is due, at
// most the idle time.
func untilDue(ctx context.Context, db storage.DB, now time.Time, states ...string) (time.Duration, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(greatest(due_at, lease_until))
		from submissions
		where due_at < @horizon
		and status = any(@states)`,
		pgx.StrictNamedArgs{"horizon": now.Add(idle), "states": states}).Scan(&next); err != nil {
		return 0, fmt.Errorf("look for due submissions: %w", err)
	}
	if next == nil {
		return idle, nil
	}
	if !next.After(now) {
		return idle / 5, nil // another has it in hand
	}
	return min(max(next.Sub(now), time.Millisecond), idle), nil
}
