package universal

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/outcome"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal/pacing"
)

// Trigger is `POST …/universal-submit/file/{tx_id}` (service.md, endpoint 4).
// The first call starts processing; later calls return the same response. wake
// wakes the background steps. If processor has a free worker process, the transaction of the
// trigger claims the submission for it.
func Trigger(db storage.DB, gate *auth.Gate, rt route.Route, processor *Processor, wake func(Work)) api.Handler {
	submissions := NewFinder(db)
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
		if err != nil {
			return err
		}
		ctx := r.Context()
		submission, err := submissions.find(ctx, caller.TenantID, r.PathValue("tx_id"))
		if err != nil {
			return err
		}
		if submission.Status == Pending {
			started, work, err := startProcessing(ctx, db, gate.Now(), caller, submission, processor)
			if err != nil {
				return err
			}
			wake(work)
			if started != nil {
				submission = *started
			} else if submission, err = submissions.find(ctx, caller.TenantID, submission.TxID.String()); err != nil {
				return err // another of several simultaneous calls has started it
			}
		}
		if submission.StartedAt == nil {
			return notUploaded()
		}
		return api.Write(w, http.StatusOK, newTriggerBody(submission.TxID, caller.TenantName, *submission.StartedAt))
	}
}

// triggerBody is the universal submit response (service.md, "Resources").
type triggerBody struct {
	TxID             uuid.UUID `json:"tx_id"`
	TxStartTime      api.Time  `json:"tx_start_time"`
	TxEndTime        api.Time  `json:"tx_end_time"`
	ResponseTimeSecs float64   `json:"response_time_secs"`
	TenantID         string    `json:"tenant_id"`
	Status           string    `json:"status"`
}

func newTriggerBody(txID uuid.UUID, tenant string, started time.Time) triggerBody {
	return triggerBody{
		TxID:        txID,
		TxStartTime: api.Time(started),
		TxEndTime:   api.Time(started), // the trigger's own work is done at once
		TenantID:    tenant,
		Status:      InProgress,
	}
}

// startProcessing moves the submission out of Pending, and through all further states that
// it reaches without a wait. It returns the submission, and what is due after the commit.
// It returns nil if the submission has no file, or if another call was first. The submission
// is claimed if processor, which can be nil, has a free worker process; then db must not be a
// transaction. now is real time.
func startProcessing(ctx context.Context, db storage.DB, now time.Time, caller auth.Caller, triggered submission, processor *Processor) (started *submission, work Work, err error) {
	// Outcomes with a company name can be matched only after the document has been
	// extracted.
	extra, err := outcome.AfterFile(ctx, db, triggered.TenantID, triggered.Filename, triggered.SHA256)
	if err != nil {
		return nil, Work{}, err
	}
	times := pacing.For(caller.Settings.Pacing, triggered.Filename)
	times.Finished += extra
	reserved := false
	defer func() {
		if reserved && (len(work.Process) == 0 || work.Process[0].claim == nil) {
			processor.unreserve(triggered.TenantID)
		}
	}()
	// The caller's copy of the clock can be half a second old, and another server may have
	// frozen or moved the clock since.
	err = auth.InSharedTenantTx(ctx, db, triggered.TenantID, func(tx pgx.Tx, tenant auth.Tenant) error {
		t := transition{
			txID: triggered.TxID, tenant: tenant, filename: triggered.Filename, from: Pending, reached: []reached{{InProgress, tenant.Time(now)}}, pacing: times,
		}
		if times.PerState == nil {
			due := tenant.DueAfter(now, times.Scheduled)
			t.dueAt = &due
			t.follow(now)
		}
		if t.to() == Started && !t.dueAt.After(now) {
			if reserved = reserved || processor.reserve(triggered.TenantID); reserved {
				lease := processor.Now().Add(leaseDuration) // not now, which is from before the wait for the tenant
				t.lease = &lease
			}
		}
		var moved []movedRow
		started = nil
		if moved, work, err = apply(ctx, tx, now, t); len(moved) > 0 {
			started = &moved[0].submission
		}
		return err
	})
	if err != nil {
		return nil, Work{}, fmt.Errorf("start submission: %w", err)
	}
	return started, work, nil
}
