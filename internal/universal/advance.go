package universal

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// pollInterval is the longest time that a background step waits before it looks again
// for due rows, which another server may have written.
const pollInterval = 500 * time.Millisecond

// Advance is the background step that moves submissions to Scheduled and to
// Started when they are due. It returns how long to wait before the next call. wake
// wakes the other background steps.
func Advance(ctx context.Context, db storage.DB, now time.Time, wake func()) (time.Duration, error) {
	moved := 0
	err := storage.InTx(ctx, db, func(tx pgx.Tx) error {
		due, err := lockDue(ctx, tx, now)
		if err != nil || len(due) == 0 {
			return err
		}
		tenants, err := auth.LockFreeTenants(ctx, tx, firstTenants(due)...)
		if err != nil {
			return err
		}
		var transitions []transition
		for _, row := range due {
			if tenant, free := tenants[row.TenantID]; free {
				transitions = append(transitions, row.transition(tenant))
			}
		}
		moved = len(transitions)
		_, err = apply(ctx, tx, now, transitions...)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("advance submissions: %w", err)
	}
	if moved > 0 {
		wake()
		return 0, nil // the next state may be due now
	}
	return untilDue(ctx, db, now, InProgress, Scheduled)
}

// dueSubmission is a submission that is due to move to its next state.
type dueSubmission struct {
	TxID         uuid.UUID
	TenantID     uuid.UUID
	Status       string
	DueAt        time.Time
	StartedWait  time.Duration
	FinishedWait time.Duration
	Traceparent  *string
}

// lockDue locks a batch of due submissions that other servers have not locked.
func lockDue(ctx context.Context, tx pgx.Tx, now time.Time) ([]dueSubmission, error) {
	return storage.All[dueSubmission](ctx, tx, `
		select tx_id, tenant_id, status, due_at, started_wait, finished_wait, traceparent
		from submissions
		where due_at <= @now
		and status in (@in_progress, @scheduled)
		order by due_at
		limit 500
		for update skip locked`,
		pgx.StrictNamedArgs{"now": now, "in_progress": InProgress, "scheduled": Scheduled})
}

// firstTenants returns the tenants of the submissions, at most as many as a transaction
// can announce. The others have their turn in the next transaction, so that readers of
// their feeds do not wait for this one.
func firstTenants(due []dueSubmission) []uuid.UUID {
	var first []uuid.UUID
	for _, row := range due {
		if len(first) < storage.MaxAnnounced && !slices.Contains(first, row.TenantID) {
			first = append(first, row.TenantID)
		}
	}
	return first
}

// transition returns the move to the next state. The state counts as reached at
// its due time, however late this step runs, so that the pacing is exact.
func (d dueSubmission) transition(tenant auth.Tenant) transition {
	t := transition{txID: d.TxID, tenant: tenant, from: d.Status, to: states[d.Status].next, at: tenant.Time(d.DueAt), trace: orEmpty(d.Traceparent)}
	wait := map[string]time.Duration{Scheduled: d.StartedWait, Started: d.FinishedWait}[t.to]
	due := tenant.DueAfter(d.DueAt, wait)
	t.dueAt = &due
	return t
}

// orEmpty returns the text; "" for null.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// maxLeased is more than the number of submissions that all servers process at a time.
const maxLeased = 1000

// untilDue returns how long it is until a submission in one of the states is
// due, at most pollInterval.
func untilDue(ctx context.Context, db storage.DB, now time.Time, in ...string) (time.Duration, error) {
	var next *time.Time
	if err := db.QueryRow(ctx, `
		select min(greatest(due_at, lease_until))
		from (
			select due_at, lease_until
			from submissions
			where due_at < @horizon
			and status = any(@states)
			and not parked
			order by due_at
			limit @max
		) next`,
		pgx.StrictNamedArgs{"horizon": now.Add(pollInterval), "states": in, "max": maxLeased}).Scan(&next); err != nil {
		return 0, fmt.Errorf("find next due submission: %w", err)
	}
	if next == nil {
		return pollInterval, nil
	}
	if !next.After(now) {
		return pollInterval / 5, nil // another server is moving it
	}
	return min(max(next.Sub(now), time.Millisecond), pollInterval), nil
}
