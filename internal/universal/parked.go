package universal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
	"understudy.example/internal/universal/schedule"
	"understudy.example/internal/worker"
)

const (
	// maxStoreWait is the real time for which a submission waits for the object store
	// before it fails.
	maxStoreWait     = 15 * time.Minute
	storeAwayTooLong = "the object store was not available for 15 minutes"
	differsTooLong   = "the object store did not return the uploaded content for 15 minutes"

	parkedInterval = time.Second // between the checks whether the object store is back
)

// isStoreFault reports whether err means that a file could not be read because of the
// object store, and not because of the file.
func isStoreFault(err error) bool {
	var store *storage.StoreError
	return errors.As(err, &store) || errors.Is(err, worker.ErrRead)
}

// waitedForStore reports whether the submission has waited for the object store for the
// maximum time.
func (c claimed) waitedForStore(now time.Time) bool {
	return c.StoreAwaySince != nil && now.Sub(*c.StoreAwaySince) >= maxStoreWait
}

// park ends an attempt that could not read the file because of the object store. The
// submission is not processed until Resume finds the store available. While the store returns
// other content, each pause is as long as the submission has waited, up to a minute.
func park(ctx context.Context, db storage.DB, work claimed, now time.Time, cause error) error {
	if work.StoreAwaySince == nil {
		slog.WarnContext(ctx, "submission waits for the object store", "tx_id", work.TxID, "err", cause)
	}
	_, err := updateAttempt(ctx, db, work,
		`parked = true, store_away_since = coalesce(store_away_since, @now), open_attempts = open_attempts - 1,
			lease_until = case when @differs then @now::timestamptz + least(greatest(@now - store_away_since, '1 s'), '1 min') end`,
		pgx.StrictNamedArgs{"now": now, "differs": errors.Is(cause, storage.ErrDiffers)})
	return err
}

// Resume is the background step that makes submissions due again that wait for the object
// store, in limited batches. It does so once the object store is available, and for
// submissions that have waited too long, which then fail if it is still unavailable. If the
// files of many submissions cannot be read, small batches leave time to process the others.
// It returns how long to wait before the next call.
func (p *Processor) Resume(ctx context.Context) (time.Duration, error) {
	p.resuming.Lock()
	defer p.resuming.Unlock()
	var parked int
	if err := p.DB.QueryRow(ctx, `select count(*) from submissions where parked`).Scan(&parked); err != nil {
		return 0, fmt.Errorf("count submissions that wait for the object store: %w", err)
	}
	if parked == 0 {
		p.resumed = schedule.Batch{}
		return parkedInterval, nil
	}
	available, batch := p.Objects.Check(ctx) == nil, p.resumed.Next(parked)
	if !available {
		p.resumed = schedule.Batch{}
	}
	resumed, err := p.DB.Exec(ctx, `
		update submissions
		set parked = false
		where tx_id in (
			select tx_id
			from submissions
			where parked
			and (lease_until is null or lease_until <= @now)
			and (@available or store_away_since <= @last)
			order by random()
			limit @most
			for update skip locked
		)`,
		pgx.StrictNamedArgs{"available": available, "now": p.Now(), "last": p.Now().Add(-maxStoreWait), "most": batch})
	if err != nil {
		return 0, fmt.Errorf("resume submissions: %w", err)
	}
	if n := resumed.RowsAffected(); n > 0 {
		slog.DebugContext(ctx, "submissions no longer wait for the object store", "count", n, "available", available)
		p.Look()
	}
	return parkedInterval, nil
}
