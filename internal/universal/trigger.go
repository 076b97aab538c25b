package universal

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// Trigger is `POST …/universal-submit/file/{tx_id}` (service.md, endpoint 4).
// The first call starts processing; every later one gives its answer again.
// wake tells the background steps that there is work.
func Trigger(db storage.DB, gate *auth.Gate, version Version, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Caller(r, version.permission("post"))
		if err != nil {
			return err
		}
		ctx := r.Context()
		target, err := find(ctx, db, caller.TenantID, r.PathValue("tx_id"))
		if err != nil {
			return err
		}
		if target.Status == Pending {
			if err := start(ctx, db, gate.Now(), caller, target); err != nil {
				return err
			}
			wake()
			// Of several calls at once one has started it: read what it wrote.
			if target, err = find(ctx, db, caller.TenantID, target.TxID.String()); err != nil {
				return err
			}
		}
		if target.StartedAt == nil {
			return notUploaded()
		}
		return api.Write(w, http.StatusOK, newTriggerAnswer(target, caller.TenantName, *target.StartedAt))
	}
}

// triggerAnswer is the universal submit response (service.md, "Resources").
type triggerAnswer struct {
	TxID             uuid.UUID `json:"tx_id"`
	TxStartTime      api.Time  `json:"tx_start_time"`
	TxEndTime        api.Time  `json:"tx_end_time"`
	ResponseTimeSecs float64   `json:"response_time_secs"`
	TenantID         string    `json:"tenant_id"`
	Status           string    `json:"status"`
}

func newTriggerAnswer(s submission, tenant string, started time.Time) triggerAnswer {
	return triggerAnswer{
		TxID:        s.TxID,
		TxStartTime: api.Time(started),
		TxEndTime:   api.Time(started), // the trigger's own work is done at once
		TenantID:    tenant,
		Status:      InProgress,
	}
}

// start moves the submission out of Pending, unless it has no file or another
// call was first. now is real time.
func start(ctx context.Context, db storage.DB, now time.Time, caller auth.Caller, target submission) error {
	extra, err := extraTime(ctx, db, target.TenantID, target.Filename, target.SHA256)
	if err != nil {
		return err
	}
	pace := paceOf(caller.Settings.Pacing, target.Filename)
	pace.finished += extra
	var due *time.Time
	if pace.perState == nil {
		first := caller.Real().Add(pace.scheduled)
		due = &first
	}
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		moved, err := storage.All[submission](ctx, tx, `
			update submissions
			set status = @in_progress, started_at = @at, due_at = @due, polls_per_state = @per_state,
				scheduled_wait = @scheduled, started_wait = @started, finished_wait = @finished
			where tx_id = @tx_id
			and status = @pending
			and object_key is not null
			returning `+submissionColumns,
			pgx.StrictNamedArgs{
				"tx_id": target.TxID, "pending": Pending, "in_progress": InProgress,
				"at": caller.Now, "due": due, "per_state": pace.perState,
				"scheduled": pace.scheduled, "started": pace.started, "finished": pace.finished,
			})
		if err != nil || len(moved) == 0 {
			return err
		}
		if err := note(ctx, tx, reached{caller.TenantID, target.TxID, InProgress, caller.Now}); err != nil {
			return err
		}
		return tell(ctx, tx, map[uuid.UUID]auth.Tenant{caller.TenantID: caller.Tenant()}, moved, now)
	})
	if err != nil {
		return fmt.Errorf("start submission: %w", err)
	}
	return nil
}

// pacing is what a submission waits for before each step.
type pacing struct {
	scheduled, started, finished time.Duration

	perState *int // status polls in each state; nil = it is moved by time
}

// paceOf is a tenant's pacing; a file name with `.slow.` makes it ten times as
// long.
func paceOf(chosen auth.Pacing, filename string) pacing {
	factor := 1
	if strings.Contains(filename, ".slow.") {
		factor = 10
	}
	switch chosen.Mode {
	case "immediate":
		return pacing{}
	case "polls":
		perState := factor * max(1, chosen.PerState)
		return pacing{perState: &perState}
	}
	times := time.Duration(factor)
	return pacing{
		scheduled: times * wait(chosen.Scheduled, 500*time.Millisecond),
		started:   times * wait(chosen.Started, time.Second),
		finished:  times * wait(chosen.Finished, 2*time.Second),
	}
}

// wait reads a wait of the settings, which were checked when they were set.
func wait(text string, otherwise time.Duration) time.Duration {
	if given, err := time.ParseDuration(text); err == nil {
		return given
	}
	return otherwise
}
