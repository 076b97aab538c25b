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
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// Trigger is `POST …/universal-submit/file/{tx_id}` (service.md, endpoint 4).
// The first call starts processing; every later one gives its answer again.
// wake tells the background steps that there is work.
func Trigger(db storage.DB, gate *auth.Gate, rt route.Route, wake func()) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		caller, err := gate.Admit(r, rt)
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
		return api.Write(w, http.StatusOK, newTriggerBody(target, caller.TenantName, *target.StartedAt))
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

func newTriggerBody(s submission, tenant string, started time.Time) triggerBody {
	return triggerBody{
		TxID:        s.TxID,
		TxStartTime: api.Time(started),
		TxEndTime:   api.Time(started), // the trigger's own work is done at once
		TenantID:    tenant,
		Status:      InProgress,
	}
}

// start moves the submission out of Pending, unless it has no file or another
// call was first. now is real time.
func start(ctx context.Context, db storage.DB, now time.Time, caller auth.Caller, triggered submission) error {
	extra, err := extraTime(ctx, db, triggered.TenantID, triggered.Filename, triggered.SHA256)
	if err != nil {
		return err
	}
	pacing := pacingFor(caller.Settings.Pacing, triggered.Filename)
	pacing.finished += extra
	t := transition{
		txID: triggered.TxID, tenant: caller.Tenant(), from: Pending, to: InProgress, at: caller.Now, pacing: pacing,
	}
	if pacing.perState == nil {
		due := caller.Real().Add(pacing.scheduled)
		t.dueAt = &due
	}
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := apply(ctx, tx, now, t)
		return err
	})
	if err != nil {
		return fmt.Errorf("start submission: %w", err)
	}
	return nil
}

// pacing is how long a submission waits before each state, or how many status
// polls it takes to leave one.
type pacing struct {
	scheduled, started, finished time.Duration

	perState *int // status polls in each state; nil = the clock moves the submission
}

// pacingFor returns the pacing of a file. With `.slow.` in its name it is ten
// times as long.
func pacingFor(chosen auth.Pacing, filename string) pacing {
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
