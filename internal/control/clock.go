package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// maxSteps is the maximum number of due times in one advance of a clock.
const maxSteps = 100_000

// clockBody is a tenant's clock: its time and its offset from real time.
type clockBody struct {
	Now    api.Time `json:"now"`
	Offset string   `json:"offset"`
}

func newClockBody(tenant auth.Tenant, now time.Time) clockBody {
	return clockBody{api.Time(tenant.Time(now)), tenant.ClockOffset.String()}
}

// Clock is `GET /tenants/{t}/clock`.
func Clock(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, newClockBody(tenant, gate.Now()))
	}
}

// AdvanceClock is `POST /tenants/{t}/clock`: it advances the tenant's clock from one
// time at which work of the tenant is due to the next, waits at each until the work is
// done, and returns what happened. Any server may do the work; wake wakes the
// background steps of this one.
func AdvanceClock(db storage.DB, gate *auth.Gate, wake func()) api.Handler {
	type response struct {
		Now     api.Time `json:"now"`
		Effects []effect `json:"effects"`
	}
	var queue tenantLocks
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := auth.TenantInPath(r, db)
		if err != nil {
			return err
		}
		body, err := api.ReadFields(r, "advance")
		if err != nil {
			return err
		}
		by, err := api.ReadDuration("advance", body["advance"])
		if err != nil {
			return err
		}
		if by <= 0 || tenant.ClockOffset+by > api.MaxDuration {
			return api.BadRequest("advance: want more than 0, and in all at most %s", api.MaxDuration)
		}
		ctx := r.Context()
		unlock, err := queue.lock(ctx, tenant.ID)
		if err != nil {
			return err
		}
		defer unlock()
		if tenant, err = auth.TenantInPath(r, db); err != nil { // again, since the previous advance has changed it
			return err
		}
		before := tenant.Time(gate.Now())
		a := advance{db: db, gate: gate, wake: wake, tenantID: tenant.ID, offset: tenant.ClockOffset}
		if err := a.run(ctx, by); err != nil {
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
				return workNotDone()
			}
			return err
		}
		after := gate.Now().Add(a.offset)
		effects, err := effectsBetween(ctx, db, tenant.ID, before, after)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, response{api.Time(after), effects})
	}
}

// advance is one advance of a tenant's clock.
type advance struct {
	db       storage.DB
	gate     *auth.Gate
	wake     func()
	tenantID uuid.UUID
	offset   time.Duration // current offset of the clock
}

// run advances the clock by the duration and returns when all work that became due is
// done.
func (a *advance) run(ctx context.Context, by time.Duration) error {
	for range maxSteps {
		if err := a.waitUntilIdle(ctx); err != nil || by == 0 {
			return err
		}
		moved, err := a.step(ctx, by)
		if err != nil {
			return err
		}
		by -= moved
	}
	return tooManySteps()
}

// waitUntilIdle waits until no work of the tenant is due. It polls less and less often,
// so that many waiting calls do not slow the database down.
func (a *advance) waitUntilIdle(ctx context.Context) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		next, err := nextDue(ctx, a.db, a.tenantID)
		if err != nil {
			return err
		}
		if next == nil || next.After(a.gate.Now()) {
			return nil
		}
		if pause == time.Millisecond {
			a.wake()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// step advances the clock to the next time at which work is due, by at most limit, and
// returns by how much it did. It does not advance the clock if work has become due in
// the meantime. It locks the tenant's row, so that servers which advance the same
// clock take turns.
func (a *advance) step(ctx context.Context, limit time.Duration) (by time.Duration, err error) {
	err = pgx.BeginFunc(ctx, a.db, func(tx pgx.Tx) error {
		tenant, err := auth.LockTenant(ctx, tx, a.tenantID)
		if errors.Is(err, pgx.ErrNoRows) {
			return auth.TenantNotFound()
		}
		if err != nil {
			return err
		}
		if tenant.ClockOffset < a.offset {
			return tenantWasReset()
		}
		next, err := nextDue(ctx, tx, a.tenantID)
		if err != nil {
			return err
		}
		by = limit
		if next != nil {
			// Rounded up to whole microseconds, as stored in rows: otherwise the work
			// would not be due yet.
			until := next.Sub(a.gate.Now()) + time.Microsecond - 1
			by = clamp(until.Truncate(time.Microsecond), 0, limit)
		}
		if by == 0 {
			return nil
		}
		a.offset = tenant.ClockOffset + by
		if err := auth.AdvanceClock(ctx, tx, a.tenantID, by); err != nil {
			return err
		}
		for _, p := range participants {
			if p.shift == nil {
				continue
			}
			if err := p.shift(ctx, tx, a.tenantID, by); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("advance clock: %w", err)
	}
	a.gate.Refresh(a.tenantID)
	return by, nil
}

func clamp(d, low, high time.Duration) time.Duration { return max(low, min(d, high)) }

// nextDue returns the real time at which the next work of the tenant is due; nil if
// there is none.
func nextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	var first *time.Time
	for _, p := range participants {
		if p.nextDue == nil {
			continue
		}
		next, err := p.nextDue(ctx, db, tenantID)
		if err != nil {
			return nil, err
		}
		if next != nil && (first == nil || next.Before(*first)) {
			first = next
		}
	}
	return first, nil
}

// effectsBetween returns the events of the tenant after one time and until another, on
// its clock, in order.
func effectsBetween(ctx context.Context, db storage.DB, tenantID uuid.UUID, after, until time.Time) ([]effect, error) {
	effects := []effect{}
	for _, p := range participants {
		if p.effects == nil {
			continue
		}
		more, err := p.effects(ctx, db, tenantID, after, until)
		if err != nil {
			return nil, err
		}
		effects = append(effects, more...)
	}
	sortEffects(effects)
	return effects, nil
}
