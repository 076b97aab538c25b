package universal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

const (
	leaseDuration = 15 * time.Second // once it has passed without renewal, any server can claim the submission
	renewInterval = 5 * time.Second
	errorPause    = 5 * time.Second // before the retry of an attempt that ended in an error of ours
	// maxLostAttempts is the number of servers that may die while they process a
	// document before the document fails. Servers are killed for other reasons,
	// repeatedly in some tests, and that must not fail a good document.
	maxLostAttempts = 50
)

// claimed is a submission that this server has claimed in order to process it.
type claimed struct {
	TxID         uuid.UUID
	TenantID     uuid.UUID
	Filename     string
	ObjectKey    string
	Size         int64
	SHA256       []byte
	DueAt        time.Time
	Attempt      int
	OpenAttempts int           // attempts that have not ended, including this one
	Crashes      int           // worker processes that have crashed on the file
	Postponed    time.Duration // how much later it is due because of an outcome

	Traceparent    *string    // the span of the trigger
	StoreAwaySince *time.Time // real time since which the object store has been away

	auth.Clock     // of the tenant, when it was claimed
	Waiting    int // due submissions of the tenant that the claim found, at most maxCandidates
}

// underLease calls do and renews the lease until it returns. If the lease is lost,
// the context of do ends.
func underLease(ctx context.Context, db storage.DB, work claimed, now func() time.Time, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { renewLease(ctx, db, work, now, cancel) })
	defer func() { // also if do panics
		cancel(nil)
		renewing.Wait() // before the caller's transaction, which locks the row
	}()
	return do(ctx)
}

// renewLease renews the lease until ctx ends. If the lease is lost, it calls cancel.
func renewLease(ctx context.Context, db storage.DB, work claimed, now func() time.Time, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		renewed, err := updateAttempt(ctx, db, work, `lease_until = @lease`, pgx.StrictNamedArgs{"lease": now().Add(leaseDuration)})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			slog.WarnContext(ctx, "lease renewal failed", "tx_id", work.TxID, "err", err)
		} else if !renewed {
			cancel(errors.New("lease lost"))
			return
		}
	}
}

// releaseAfterError ends an attempt that failed through no fault of the document:
// it does not count as open, and the submission is retried after errorPause.
func releaseAfterError(ctx context.Context, db storage.DB, work claimed, now time.Time) error {
	_, err := updateAttempt(ctx, db, work,
		`open_attempts = open_attempts - 1, lease_until = @pause`,
		pgx.StrictNamedArgs{"pause": now.Add(errorPause)})
	return err
}

// releaseForRetry ends an attempt whose worker process has crashed or whose document was stopped for
// other tenants. The attempt no longer counts as open, and the submission can be claimed at once.
func releaseForRetry(ctx context.Context, db storage.DB, work claimed) error {
	_, err := updateAttempt(ctx, db, work,
		`open_attempts = open_attempts - 1, lease_until = null`, pgx.StrictNamedArgs{})
	return err
}

// postpone ends the attempt and makes the submission due that much later by the
// tenant's clock. It returns the real time.
func postpone(ctx context.Context, db storage.DB, work claimed, by time.Duration) (due time.Time, err error) {
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error { // the clock is read after the row is locked: a move of the clock waits for it
		if _, err := updateAttempt(ctx, tx, work, `lease_until = null`, pgx.StrictNamedArgs{}); err != nil {
			return err
		}
		tenants, err := auth.Tenants(ctx, tx, []uuid.UUID{work.TenantID})
		due = tenants[work.TenantID].DueAfter(work.DueAt, by)
		if err == nil {
			_, err = updateAttempt(ctx, tx, work,
				`due_at = @due, postponed = postponed + @by::interval, open_attempts = open_attempts - 1, store_away_since = null`,
				pgx.StrictNamedArgs{"due": due, "by": by})
		}
		return err
	})
	return due, err
}

// heldByAttempt is the condition that an attempt still holds a submission. The key of
// its file distinguishes it from another submission with the same tx_id, which a tenant
// with an id seed can have after a reset.
const heldByAttempt = `
	tx_id = @tx_id
	and attempt = @attempt
	and object_key = @object_key
	and (status = @started) is true` // see ofTenant

func (c claimed) args() pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"tx_id": c.TxID, "attempt": c.Attempt, "object_key": c.ObjectKey, "started": Started}
}

// updateAttempt updates the submission if it is still held by this attempt, and
// reports whether it was.
func updateAttempt(ctx context.Context, db storage.DB, work claimed, set string, args pgx.StrictNamedArgs) (bool, error) {
	maps.Copy(args, work.args())
	updated, err := db.Exec(ctx, `
		update submissions
		set `+set+`
		where `+heldByAttempt, args)
	if err != nil {
		return false, fmt.Errorf("update submission %s: %w", work.TxID, err)
	}
	return updated.RowsAffected() == 1, nil
}

// ReleaseLeases ends all leases, so that the submissions of servers that have died
// are processed at once and not only when their leases expire. Call it only if no
// other server uses the database.
func ReleaseLeases(ctx context.Context, db storage.DB) error {
	if _, err := db.Exec(ctx, `
		update submissions
		set lease_until = null
		where `+claimable+`
		and lease_until is not null`); err != nil {
		return fmt.Errorf("release leases of submissions: %w", err)
	}
	return nil
}
