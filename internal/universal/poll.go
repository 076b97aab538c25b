package universal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// endTimeout is how long a status poll waits for the end that it made due.
const endTimeout = 12 * time.Second

// poll counts a status poll of a submission whose states are advanced by polls. Once a
// state has been returned by all its polls, the next poll moves the submission. If the
// next state is the final one, the poll makes it due and waits for it, because
// processing takes time. poll returns the submission in its new state. now is real
// time.
func poll(ctx context.Context, submissions *Finder, transitions storage.DB, now time.Time, caller auth.Caller, polled submission, wake func(Work)) (submission, error) {
	counted, err := countPoll(ctx, transitions, now, caller, polled)
	if err != nil {
		return submission{}, fmt.Errorf("count poll: %w", err)
	}
	wake(counted.work)
	if !counted.endDue {
		return counted.submission, nil
	}
	return awaitEnd(ctx, submissions, counted.submission)
}

// countedPoll is a submission after a poll.
type countedPoll struct {
	submission
	endDue bool // the submission is due to be processed
	work   Work // that the poll has made due
}

// countPoll counts the poll. It locks the row, so that simultaneous polls take
// turns.
func countPoll(ctx context.Context, db storage.DB, now time.Time, caller auth.Caller, polled submission) (counted countedPoll, err error) {
	// The caller's copy of the clock may be outdated.
	err = auth.InSharedTenantTx(ctx, db, caller.TenantID, func(tx pgx.Tx, tenant auth.Tenant) error {
		row, err := storage.One[struct {
			submission
			PollsInState int
			DueAt        *time.Time
			FinishedWait *time.Duration // null before the trigger
			Traceparent  *string
		}](ctx, tx, `
			select `+submissionColumns+`, s.polls_in_state, s.due_at, s.finished_wait, s.traceparent
			from submissions s
			where s.tx_id = @tx_id
			and s.tenant_id = @tenant_id
			and s.created_at = @created_at
			for update`,
			pgx.StrictNamedArgs{"tx_id": polled.TxID, "tenant_id": tenant.ID, "created_at": polled.CreatedAt})
		if errors.Is(err, pgx.ErrNoRows) {
			return transactionNotFound() // the tenant has been reset; with an id seed, its ids recur
		}
		if err != nil {
			return err
		}
		counted = countedPoll{submission: row.submission, endDue: row.DueAt != nil && !row.DueAt.After(now)}
		if row.PollsPerState == nil || states[row.Status].final || row.DueAt != nil {
			return nil // polls do not count
		}
		next := states[row.Status].next
		switch {
		case row.PollsInState < *row.PollsPerState:
			return setPolls(ctx, tx, row.submission, row.PollsInState+1, nil)
		case next != "":
			moved, work, err := apply(ctx, tx, now, transition{
				txID: row.TxID, tenant: tenant, filename: row.Filename, from: row.Status, reached: []reached{{next, tenant.Time(now)}}, trace: orEmpty(row.Traceparent),
			})
			if err == nil && len(moved) == 1 {
				counted = countedPoll{submission: moved[0].submission, work: work}
			}
			return err
		default:
			due := tenant.DueAfter(now, *row.FinishedWait)
			counted.endDue, counted.work.Process = !due.After(now), []ProcessDue{{TenantID: tenant.ID, At: due}}
			return setPolls(ctx, tx, row.submission, row.PollsInState, &due)
		}
	})
	return counted, err
}

// setPolls records the number of polls in the state, and when the end is due.
func setPolls(ctx context.Context, tx pgx.Tx, s submission, polls int, due *time.Time) error {
	_, err := tx.Exec(ctx, `
		update submissions
		set polls_in_state = @polls, due_at = @due
		where tx_id = @tx_id`,
		pgx.StrictNamedArgs{"tx_id": s.TxID, "polls": polls, "due": due})
	return err
}

// awaitEnd returns the submission once it has ended or waits for the object store, or as
// it was last read when endTimeout has passed. Any server may process it. It polls less and less often,
// so that many waiting calls leave the database to the working ones.
func awaitEnd(ctx context.Context, submissions *Finder, seen submission) (submission, error) {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		current, err := submissions.find(ctx, seen.TenantID, seen.TxID.String())
		switch {
		case ctx.Err() != nil:
			return seen, nil
		case err != nil || states[current.Status].final || current.Parked:
			return current, err
		}
		seen = current
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return seen, nil
		}
	}
}
