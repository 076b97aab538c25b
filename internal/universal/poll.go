package universal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// patience is how long a poll that makes the end due waits for it.
const patience = 12 * time.Second

// final tells whether nothing follows the state.
func final(state string) bool { return state == Completed || state == Failed }

// poll counts a status poll of a submission that is moved by polls, moves it
// when this was the last one in its state, and returns the submission as it is
// then. For the end it waits, since a document takes its time. now is real
// time.
func poll(ctx context.Context, db storage.DB, now time.Time, caller auth.Caller, target submission, wake func()) (submission, error) {
	polled, due, told, err := countPoll(ctx, db, now, caller, target)
	if err != nil {
		return submission{}, fmt.Errorf("count poll: %w", err)
	}
	ends := due != nil && !due.After(now)
	if told || ends {
		wake()
	}
	if !ends {
		return polled, nil
	}
	return awaitEnd(ctx, db, polled)
}

// countPoll counts the poll and returns the submission as it is afterwards,
// with the real time at which its end is due, once it is, and whether there is
// an event to deliver. The row's lock makes polls at once take turns.
func countPoll(ctx context.Context, db storage.DB, now time.Time, caller auth.Caller, target submission) (polled submission, due *time.Time, told bool, err error) {
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		row, err := storage.One[struct {
			Status        string
			Polls         int
			PollsPerState int
			DueAt         *time.Time
			FinishedWait  time.Duration
		}](ctx, tx, `
			select status, polls, polls_per_state, due_at, finished_wait
			from submissions
			where tx_id = @tx_id
			for update`,
			pgx.StrictNamedArgs{"tx_id": target.TxID})
		if errors.Is(err, pgx.ErrNoRows) {
			return transactionNotFound() // the tenant was reset
		}
		if err != nil {
			return err
		}
		next, polls := row.Status, row.Polls+1
		due = row.DueAt
		switch {
		case final(row.Status) || due != nil:
			polls = row.Polls
		case polls < row.PollsPerState:
		case row.Status == Started:
			polls = 0
			end := now.Add(row.FinishedWait)
			due = &end
		default:
			next, polls = map[string]string{InProgress: Scheduled, Scheduled: Started}[row.Status], 0
		}
		polled, err = storage.One[submission](ctx, tx, `
			update submissions
			set status = @status, polls = @polls, due_at = @due
			where tx_id = @tx_id
			returning `+submissionColumns,
			pgx.StrictNamedArgs{"tx_id": target.TxID, "status": next, "polls": polls, "due": due})
		if err != nil || next == row.Status {
			return err
		}
		if err := note(ctx, tx, reached{target.TenantID, target.TxID, next, caller.Now}); err != nil {
			return err
		}
		told = true
		return tell(ctx, tx, map[uuid.UUID]auth.Tenant{caller.TenantID: caller.Tenant()}, []submission{polled}, now)
	})
	return polled, due, told, err
}

// awaitEnd returns the submission once it has ended, or as it was last seen
// when the patience is over. Any server may have the work: it looks, less and
// less often, so that many who wait leave the database to those who work.
func awaitEnd(ctx context.Context, db storage.DB, seen submission) (submission, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		current, err := find(ctx, db, seen.TenantID, seen.TxID.String())
		switch {
		case ctx.Err() != nil:
			return seen, nil
		case err != nil || final(current.Status):
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
