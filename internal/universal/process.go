package universal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/extract"
	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
	"understudy.example/internal/turns"
	"understudy.example/internal/universal/schedule"
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
	Wake    func(Work)       // is called with what the step has made due

	Observer Observer

	schedule schedule.Schedule
	running  sync.WaitGroup

	mu        sync.Mutex      // held while submissions are claimed
	base      context.Context // of Run
	reserving bool            // worker processes can be reserved
	inFlight  map[uuid.UUID]int
	served    []uuid.UUID   // tenants in the order in which their documents were last begun
	preempted int           // slow documents that were stopped and have not left their worker processes yet
	claimed   int           // submissions in flight; inFlight also has documents that are viewed
	waiting   bool          // submissions may wait until one of the documents in flight is finished
	left      chan struct{} // closed when a document is no longer in flight; nil if nobody waits

	resuming sync.Mutex     // held by Resume
	resumed  schedule.Batch // of Resume

	slow          turns.Slow  // the tenants with slow documents
	medium, large turns.Queue // held while a medium or a large report is made and written
}

// Add adds submissions that become due to be processed. Those that the transaction has
// claimed are processed at once. Those of tenants that use their share wait until one of the
// tenant's documents is no longer in flight.
func (p *Processor) Add(added ...ProcessDue) {
	now := p.Now()
	var times []time.Time
	counted := p.mu.TryLock() // a claim holds the lock during its statement, for which no call waits
	for _, due := range added {
		if due.claim != nil {
			go p.processReserved(*due.claim)
		} else if counted && !due.At.After(now) && p.inFlight[due.TenantID] >= p.Share {
			p.waiting = true
		} else {
			times = append(times, due.At)
		}
	}
	if counted {
		p.mu.Unlock()
	}
	p.schedule.Add(times...)
}

// Look makes the step look for due submissions at once.
func (p *Processor) Look() { p.schedule.Look() }

// Run processes submissions until ctx ends. Then it returns when those that it has claimed
// are finished.
func (p *Processor) Run(ctx context.Context) {
	p.setReserving(ctx, true)
	p.schedule.Run(ctx, "process", p.Now, p.step)
	p.setReserving(ctx, false)
	p.running.Wait()
}

// setReserving allows or forbids that worker processes are reserved. ctx is that of Run.
func (p *Processor) setReserving(ctx context.Context, reserving bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.base, p.reserving = ctx, reserving
}

// step claims due submissions, as many as there are idle workers, and starts to process
// them. If others have to wait, it claims again when a document is no longer in flight.
func (p *Processor) step(ctx context.Context, due int, look bool) error {
	if look {
		overdue, err := isDue(ctx, p.DB, p.Now())
		if err != nil {
			return err
		}
		if overdue {
			due = max(due, 1)
		}
	}
	if idle := p.idle(due); due > 0 && idle > 0 {
		works, err := p.claim(ctx, idle, due)
		if err != nil {
			return fmt.Errorf("claim submissions: %w", err)
		}
		for _, work := range works {
			p.running.Go(func() { p.processAlone(ctx, work) })
		}
	}
	if !look {
		return nil
	}
	now := p.Now()
	times, err := upcoming(ctx, p.DB, now, now.Add(schedule.Lookahead), Started)
	p.schedule.Add(times...)
	return err
}

// processReserved is processAlone for a submission that the transaction of its trigger has
// claimed after reserve.
func (p *Processor) processReserved(work claimed) {
	defer p.running.Done()
	p.mu.Lock()
	base := p.base
	p.mu.Unlock()
	p.processAlone(base, work)
}

// processAlone is process in a goroutine of its own, whose panic must not end the server.
func (p *Processor) processAlone(ctx context.Context, work claimed) {
	defer func() {
		if cause := recover(); cause != nil {
			slog.ErrorContext(ctx, "background step panicked", "step", "process", "panic", cause, "stack", string(debug.Stack()))
		}
	}()
	switch err := p.process(ctx, work); {
	case errors.Is(err, errTenantLocked):
		slog.DebugContext(ctx, "submission not ended", "tx_id", work.TxID, "err", err)
	case err != nil:
		slog.ErrorContext(ctx, "background step failed", "step", "process", "err", err)
	}
}

// Process claims one due submission and processes it. It reports whether there was one.
func (p *Processor) Process(ctx context.Context) (found bool, err error) {
	works, err := p.claim(ctx, 1, 0)
	if err != nil || len(works) == 0 {
		return false, err
	}
	return true, p.process(ctx, works[0])
}

// process processes a submission that this server has claimed. It finishes the
// submission even if ctx ends because the server stops.
func (p *Processor) process(ctx context.Context, work claimed) error {
	defer p.end(work.TenantID)
	ctx = context.WithoutCancel(ctx)
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
	_, crashed := errors.AsType[*worker.Crash](err)
	if crashed || errors.Is(err, errPreempted) {
		defer func() { p.schedule.Add(p.Now()) }() // it can be claimed at once
		return releaseForRetry(ctx, p.DB, work)
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
	var done *Work
	switch {
	case end.after > 0:
		due, err := postpone(ctx, p.DB, work, end.after)
		p.schedule.Add(due)
		return err
	case end.failure != "":
		slog.InfoContext(ctx, "submission failed", "tx_id", work.TxID, "reason", end.failure)
		done, err = fail(ctx, p.Endings, work, end.failure, p.Now())
	default:
		done, err = complete(ctx, p.Endings, work, end, p.Now())
	}
	switch {
	case err != nil:
		return fmt.Errorf("finish submission %s: %w", work.TxID, err)
	case done != nil:
		p.Wake(*done)
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
	case errors.Is(err, fs.ErrNotExist) && (!isStoreFault(err) || errors.Is(err, storage.ErrDiffers) && work.waitedForStore(p.Now())):
		return ending{failure: "the uploaded file is missing", cause: causeFileMissing}, nil
	case errors.Is(err, storage.ErrDiffers) && work.waitedForStore(p.Now()):
		return ending{failure: differsTooLong, cause: causeObjectStore}, nil
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
	file, err := p.Objects.OpenVerified(ctx, work.ObjectKey, work.Size, work.SHA256)
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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := p.watchSpeed(work.TenantID, p.needsWorker, cancel)
	extraction, err := extractWith(ctx, work.TenantID.String(), work.Filename, file)
	stop()
	if err != nil && errors.Is(context.Cause(ctx), errPreempted) {
		slog.InfoContext(ctx, "slow document stopped: other tenants need its worker process", "tx_id", work.TxID)
		return nil, errPreempted
	}
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
