package universal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/extract"
	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
	"understudy.example/internal/worker"
)

// Processor processes submissions that are due: worker processes extract their
// files, then it enriches the companies and ends the submissions.
type Processor struct {
	DB      storage.DB // for claims and leases
	Endings storage.DB // for everything else, so that a lock on its tables does not delay the leases
	Objects *storage.Store
	Workers *worker.Pool
	Now     func() time.Time // real time
	Share   int              // submissions of one tenant that this server processes at a time, so that other tenants are processed too
	Wake    func()           // wakes the other background steps

	Observer Observer

	mu       sync.Mutex // held while a submission is claimed
	inFlight map[uuid.UUID]int
	left     chan struct{} // closed when a document is no longer in flight; nil if nobody waits

	medium, large storage.Turns // held while a medium or a large report is made and written
}

// Process is the background step that claims one due submission and processes
// it. It returns how long to wait before the next call.
func (p *Processor) Process(ctx context.Context) (time.Duration, error) {
	work, err := p.claim(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return untilDue(ctx, p.DB, p.Now(), Started)
	}
	if err != nil {
		return 0, fmt.Errorf("claim submission: %w", err)
	}
	// A claimed submission is finished even while the server stops.
	if err := p.process(context.WithoutCancel(ctx), work); err != nil {
		return 0, err
	}
	p.Wake()
	return 0, nil
}

// process processes a submission that this server has claimed.
func (p *Processor) process(ctx context.Context, work claimed) error {
	defer p.leave(work.TenantID)
	ctx, span := tracing.Start(tracing.Continue(ctx, orEmpty(work.Traceparent)), "process submission", slog.Any("tx_id", work.TxID), slog.Int("attempt", work.Attempt))
	defer span.End()
	var end ending
	release := func() {}
	err := underLease(ctx, p.DB, work, p.Now, func(ctx context.Context) (err error) {
		end, release, err = p.prepare(ctx, work)
		return err
	})
	defer release()
	if isStoreFault(err) {
		return park(ctx, p.DB, work, p.Now(), err)
	}
	if _, crashed := errors.AsType[*worker.Crash](err); crashed {
		return releaseAfterCrash(ctx, p.DB, work)
	}
	if err == nil {
		err = p.record(ctx, work, end)
	}
	if err != nil {
		return errors.Join(err, releaseAfterError(ctx, p.DB, work, p.Now()))
	}
	return nil
}

// record ends or postpones the submission.
func (p *Processor) record(ctx context.Context, work claimed, end ending) (err error) {
	held := false
	switch {
	case end.after > 0:
		return postpone(ctx, p.DB, work, end.after)
	case end.failure != "":
		slog.InfoContext(ctx, "submission failed", "tx_id", work.TxID, "reason", end.failure)
		held, err = fail(ctx, p.Endings, work, end.failure, p.Now())
	default:
		held, err = complete(ctx, p.Endings, work, end, p.Now())
	}
	switch {
	case err != nil:
		return fmt.Errorf("finish submission %s: %w", work.TxID, err)
	case held:
		p.Observer.Ended(end.outcomeName(), end.cause)
	default:
		slog.WarnContext(ctx, "submission was claimed by another server or deleted", "tx_id", work.TxID, "attempt", work.Attempt)
	}
	return nil
}

// extractFile extracts the submission's file. The submission fails if the file cannot be
// extracted; err is an error of ours.
func (p *Processor) extractFile(ctx context.Context, work claimed) (ending, error) {
	if work.OpenAttempts > maxLostAttempts {
		return ending{failure: fmt.Sprintf("processing was interrupted %d times", maxLostAttempts), cause: causeInterrupted}, nil
	}
	extraction, err := p.openAndExtract(ctx, work)
	unreadable := new(extract.Unreadable)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isStoreFault(err):
		return ending{failure: "the uploaded file is missing", cause: causeFileMissing}, nil
	case isStoreFault(err) && work.waitedForStore(p.Now()):
		return ending{failure: storeAwayTooLong, cause: causeObjectStore}, nil
	case errors.As(err, &unreadable):
		return ending{failure: unreadable.Reason, cause: string(unreadable.Cause)}, nil
	case err != nil:
		return ending{}, fmt.Errorf("extract %s: %w", work.TxID, err)
	}
	return ending{extraction: extraction}, nil
}

// openAndExtract extracts the submission's file and counts a crash of the worker
// process.
func (p *Processor) openAndExtract(ctx context.Context, work claimed) (*extract.Extraction, error) {
	file, err := storage.OpenSized(ctx, p.Objects, work.ObjectKey, work.Size)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	extractWith := p.Workers.Extract
	if work.Crashes > 0 {
		extractWith = p.Workers.ExtractFresh
	}
	ctx, span := tracing.Start(ctx, "extract document")
	defer span.End()
	begun := p.Now()
	extraction, err := extractWith(ctx, work.TenantID.String(), work.Filename, file)
	p.Observer.Extracted(p.Now().Sub(begun), extractionCause(ctx, err))
	if err != nil {
		span.Fail(err.Error())
	}
	if crash, crashed := errors.AsType[*worker.Crash](err); crashed {
		return nil, p.countCrash(ctx, work, crash)
	}
	return extraction, err
}

// countCrash counts the crash in the submission's row. It returns the crash, or
// worker.ErrCrashes if the submission is not to be retried.
func (p *Processor) countCrash(ctx context.Context, work claimed, crash *worker.Crash) error {
	crashes := work.Crashes + 1
	slog.WarnContext(ctx, "worker process crashed", "tx_id", work.TxID, "crashes", crashes, "exit", crash.Exit, "stderr", crash.Stderr)
	if _, err := updateAttempt(ctx, p.DB, work, `crashes = @crashes`, pgx.StrictNamedArgs{"crashes": crashes}); err != nil {
		return err
	}
	if crashes >= worker.MaxCrashes {
		return worker.ErrCrashes
	}
	return crash
}

// fail ends the submission as Failed. Like finish, it reports whether this attempt still
// held the submission.
func fail(ctx context.Context, db storage.DB, work claimed, reason string, now time.Time) (held bool, err error) {
	return finish(ctx, db, work, now, Failed, func(pgx.Tx, auth.Tenant, time.Time) (result, error) {
		return result{failure: &reason}, nil
	})
}

// errTenantLocked is the error of a submission whose tenant is being deleted or reset. If
// the deletion or the reset fails, the submission is processed again.
var errTenantLocked = errors.New("the tenant is being deleted or reset")

// finish moves the submission to its final state together with what save writes, and
// reports whether this attempt still held it: another server may have claimed it, or its
// tenant may have deleted it.
func finish(ctx context.Context, db storage.DB, work claimed, now time.Time, to string, save func(tx pgx.Tx, tenant auth.Tenant, at time.Time) (result, error)) (held bool, err error) {
	err = storage.InTx(ctx, db, func(tx pgx.Tx) error {
		held = false
		free, locked, err := auth.TryLockTenants(ctx, tx, work.TenantID)
		if err != nil {
			return err
		}
		if len(locked) > 0 {
			return errTenantLocked // a wait would keep a connection from other tenants
		}
		if held, err = lockAttempt(ctx, tx, work); err != nil || !held {
			return err
		}
		tenant := free[work.TenantID]
		at := tenant.Time(now)
		result, err := save(tx, tenant, at)
		if err != nil {
			return err
		}
		_, err = apply(ctx, tx, now, transition{
			txID: work.TxID, tenant: tenant, from: Started, to: to, attempt: &work.Attempt, at: at, result: result,
		})
		return err
	})
	return held, err
}
