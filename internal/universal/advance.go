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
	"understudy.example/internal/universal/pacing"
	"understudy.example/internal/universal/schedule"
)

// Advancer is the background step that moves submissions to Scheduled and to Started when
// they are due.
type Advancer struct {
	DB   storage.DB
	Now  func() time.Time // real time
	Wake func(Work)       // is called with what the step has made due

	schedule schedule.Schedule
}

// Add adds real times at which submissions are due.
func (a *Advancer) Add(times ...time.Time) { a.schedule.Add(times...) }

// Look makes the step look for due submissions at once.
func (a *Advancer) Look() { a.schedule.Look() }

// Run moves submissions until ctx ends.
func (a *Advancer) Run(ctx context.Context) { a.schedule.Run(ctx, "advance", a.Now, a.step) }

// step moves the submissions that are due.
func (a *Advancer) step(ctx context.Context, _ int, look bool) error {
	if look {
		times, err := upcoming(ctx, a.DB, time.Time{}, a.Now().Add(schedule.Lookahead), InProgress, Scheduled)
		if err != nil {
			return err
		}
		a.schedule.Add(times...)
		if a.schedule.Take(a.Now()) == 0 {
			return nil
		}
	}
	work, err := Advance(ctx, a.DB, a.Now())
	if err != nil {
		return err
	}
	a.Wake(work)
	return nil
}

// advanceBatch is the number of submissions that Advance moves at a time.
const advanceBatch = 500

// Advance moves the submissions that are due, each to the last state that it has reached
// by now. It uses one transaction, and returns the work that follows from it. If
// submissions are left for the next transaction, the work includes now.
func Advance(ctx context.Context, db storage.DB, now time.Time) (work Work, err error) {
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		work = Work{}
		transitions, more, err := nextTransitions(ctx, tx, now)
		if err != nil || len(transitions) == 0 {
			return err
		}
		_, work, err = apply(ctx, tx, now, transitions...)
		if more {
			work.Advance = append(work.Advance, now)
		}
		return err
	})
	if err != nil {
		return Work{}, fmt.Errorf("advance submissions: %w", err)
	}
	return work, nil
}

// nextTransitions returns the transitions of a batch of due submissions, whose rows and
// tenants it locks. more reports whether others may be due. Submissions of tenants that
// another transaction has locked are left for later: if a whole batch belongs to such
// tenants, the next batch leaves these tenants out.
func nextTransitions(ctx context.Context, tx pgx.Tx, now time.Time) (transitions []transition, more bool, err error) {
	for locked := []uuid.UUID{}; ; {
		due, err := lockDue(ctx, tx, now, locked)
		if err != nil || len(due) == 0 {
			return nil, false, err
		}
		first := firstTenants(due)
		tenants, err := auth.LockFreeTenants(ctx, tx, first...)
		if err != nil {
			return nil, false, err
		}
		more = len(due) == advanceBatch
		for _, row := range due {
			if tenant, free := tenants[row.TenantID]; free {
				transitions = append(transitions, row.transition(tenant, now))
			}
			more = more || !slices.Contains(first, row.TenantID)
		}
		if len(transitions) > 0 || !more {
			return transitions, more, nil
		}
		locked = append(locked, first...)
	}
}

// dueSubmission is a submission that is due to move to its next state.
type dueSubmission struct {
	TxID         uuid.UUID
	TenantID     uuid.UUID
	Filename     string
	Status       string
	DueAt        time.Time
	StartedWait  time.Duration
	FinishedWait time.Duration
	Traceparent  *string
}

// lockDue locks a batch of due submissions that other servers have not locked, except those
// of the given tenants.
func lockDue(ctx context.Context, tx pgx.Tx, now time.Time, except []uuid.UUID) ([]dueSubmission, error) {
	return storage.All[dueSubmission](ctx, tx, `
		select tx_id, tenant_id, filename, status, due_at, started_wait, finished_wait, traceparent
		from submissions
		where due_at <= @now
		and status in (@in_progress, @scheduled)
		and tenant_id <> all(@except)
		order by due_at
		limit @batch
		for update skip locked`,
		pgx.StrictNamedArgs{"now": now, "except": except, "in_progress": InProgress, "scheduled": Scheduled, "batch": advanceBatch})
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

// transition returns the move to the last state that the submission has reached by now.
func (d dueSubmission) transition(tenant auth.Tenant, now time.Time) transition {
	t := transition{
		txID: d.TxID, tenant: tenant, filename: d.Filename, from: d.Status, dueAt: &d.DueAt, trace: orEmpty(d.Traceparent),
		pacing: pacing.Times{Started: d.StartedWait, Finished: d.FinishedWait},
	}
	t.follow(now)
	return t
}

// follow adds the states that the clock has moved the submission to by now. A state counts
// as reached at its due time, however late this is called, so that the pacing is exact.
func (t *transition) follow(now time.Time) {
	for t.dueAt != nil && !t.dueAt.After(now) && states[t.to()].next != "" {
		due, next := *t.dueAt, states[t.to()].next
		t.reached = append(t.reached, reached{next, t.tenant.Time(due)})
		wait := map[string]time.Duration{Scheduled: t.pacing.Started, Started: t.pacing.Finished}[next]
		due = t.tenant.DueAfter(due, wait)
		t.dueAt = &due
	}
}

// orEmpty returns the text; "" for null.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
