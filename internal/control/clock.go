package control

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// clockBody is a tenant's clock: its time and its offset from real time.
type clockBody struct {
	Now    api.Time `json:"now"`
	Offset string   `json:"offset"`
	Frozen bool     `json:"frozen"`
}

func newClockBody(tenant auth.Tenant, now time.Time) clockBody {
	return clockBody{api.Time(tenant.Time(now)), tenant.Running(now).ClockOffset.String(), tenant.FrozenAt != nil}
}

// Clock is `GET /tenants/{t}/clock`. With the parameter due, it also lists what happens
// next.
func Clock(db storage.DB, gate *auth.Gate) api.Handler {
	type response struct {
		clockBody
		Due []dueBody `json:"due"`
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		var withDue bool
		if err := api.ReadQuery(r.URL.Query(), map[string]func(string) bool{"due": api.ParseFlag(&withDue)}); err != nil {
			return err
		}
		now := gate.Now()
		if !withDue {
			return api.Write(w, http.StatusOK, newClockBody(tenant, now))
		}
		due, err := upcoming(r.Context(), db, tenant, now)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, response{newClockBody(tenant, now), due})
	}
}

// MoveClock is `POST /tenants/{t}/clock`: it freezes the tenant's clock or lets it run,
// and moves it forward from one time at which work of the tenant is due to the next. It
// waits at each until the work is done, and returns what happened. Any server may do
// the work; wake wakes the background steps of this one.
func MoveClock(db storage.DB, gate *auth.Gate, wake func()) api.Handler {
	type response struct {
		Now     api.Time `json:"now"`
		Effects []effect `json:"effects"`
	}
	var queue storage.Locks
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, "advance", "set", "frozen")
		if err != nil {
			return err
		}
		change, err := parseClockChange(body)
		if err != nil {
			return err
		}
		ctx := r.Context()
		unlock, err := queue.Lock(ctx, tenant.ID)
		if err != nil {
			return err
		}
		defer unlock()
		if tenant, err = auth.TenantInPath(r, db); err != nil { // again, since the previous call may have moved the clock
			return err
		}
		now := gate.Now()
		before := tenant.Time(now)
		by, err := change.distance(before, tenant.Running(now).ClockOffset)
		if err != nil {
			return err
		}
		a := advance{db: db, gate: gate, wake: wake, tenantID: tenant.ID, reached: before}
		if err := a.run(ctx, change, by); err != nil {
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
				return workNotDone()
			}
			return err
		}
		if tenant, err = auth.TenantInPath(r, db); err != nil {
			return err
		}
		after := tenant.Time(gate.Now())
		effects, err := effectsBetween(ctx, db, tenant.ID, before, after)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, response{api.Time(after), effects})
	}
}

// clockChange is the body of a call that moves a clock.
type clockChange struct {
	advance time.Duration
	set     *time.Time
	frozen  *bool // nil = no change
}

// parseClockChange parses a change of a clock, whose keys are known.
func parseClockChange(body api.Object) (change clockChange, err error) {
	advance, advances := body["advance"]
	set, sets := body["set"]
	frozen, freezes := body["frozen"]
	switch {
	case !advances && !sets && !freezes:
		return change, api.BadRequest("advance: want at least one of advance, set and frozen")
	case advances && sets:
		return change, api.BadRequest("set: want either advance or set, not both")
	}
	if advances {
		if change.advance, err = api.ReadDuration("advance", advance); err != nil {
			return change, err
		}
		if change.advance <= 0 {
			return change, api.BadRequest("advance: want more than 0")
		}
	}
	if sets {
		var at time.Time
		if string(set) == "null" || json.Unmarshal(set, &at) != nil {
			return change, api.BadRequest("set: want a time such as 2027-01-01T00:00:00Z")
		}
		change.set = &at
	}
	if freezes && (string(frozen) == "null" || json.Unmarshal(frozen, &change.frozen) != nil) {
		return change, api.BadRequest("frozen: want true or false")
	}
	return change, nil
}

// distance returns the duration by which the change moves a clock that shows now.
// offset is the clock's offset from real time.
func (c clockChange) distance(now time.Time, offset time.Duration) (time.Duration, error) {
	by, field := c.advance, "advance"
	if c.set != nil {
		by, field = c.set.Sub(now).Truncate(time.Microsecond), "set"
	}
	switch {
	case by < 0:
		return 0, clockNotMovedBack(now)
	case by > api.MaxDuration-offset:
		return 0, api.BadRequest("%s: the clock can be at most %s ahead of real time", field, api.MaxDuration)
	}
	return by, nil
}
