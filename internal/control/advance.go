package control

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
	"understudy.example/internal/turns"
)

// maxSteps is the maximum number of due times in one advance of a clock.
const maxSteps = 100_000

// advance is one advance of a tenant's clock.
type advance struct {
	db       storage.DB
	gate     *auth.Gate
	wake     func()
	tenantID uuid.UUID
	reached  time.Time // tenant's time that the clock has reached
	pending  int       // rows that were not due yet after the last step
}

// If exactWork or more rows are pending, a step covers a range of due times: timePerWork for each
// row, but at most maxLateness. With a step for each due time, n rows would need n steps, each of
// which changes up to n rows. Work on a server is about this late even if no clock is moved.
const (
	exactWork   = 200
	timePerWork = 100 * time.Microsecond
	maxLateness = time.Second
)

// lateness returns how much later than its due time work may be done.
func (a *advance) lateness() time.Duration {
	if a.pending < exactWork {
		return 0
	}
	return min(time.Duration(a.pending)*timePerWork, maxLateness)
}

// moveTurns are the turns of tenants whose clocks move on this server. A step of a clock with much
// pending work takes long.
var moveTurns turns.SpeedQueue

// run freezes the clock or lets it run, if the change says so. Then it advances the clock
// by the duration, and returns when all work that became due is done. A clock that is
// frozen and set stops at exactly the given time.
func (a *advance) run(ctx context.Context, change clockChange, by time.Duration) error {
	if change.frozen != nil {
		if err := a.freeze(ctx, *change.frozen); err != nil {
			return err
		}
		if *change.frozen && change.set != nil {
			by = max(0, change.set.Sub(a.reached).Truncate(time.Microsecond))
		}
	}
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

// freeze freezes the clock, or lets it run.
func (a *advance) freeze(ctx context.Context, frozen bool) error {
	return a.changeClock(ctx, func(clock *movingClock) error {
		clock.frozen = frozen
		return nil
	})
}

// step advances the clock to the next time at which work is due, plus the lateness, but by at
// most limit. It returns the duration of the advance. It does not advance the clock if work
// has become due in the meantime.
func (a *advance) step(ctx context.Context, limit time.Duration) (by time.Duration, err error) {
	err = a.changeClock(ctx, func(clock *movingClock) error {
		next, err := nextDue(ctx, clock.tx, a.tenantID)
		if err != nil {
			return err
		}
		by = limit
		if next != nil {
			// Rounded up to whole microseconds, as stored in rows: otherwise the work
			// would not be due yet.
			until := (next.Sub(clock.now) + time.Microsecond - 1).Truncate(time.Microsecond)
			if until > 0 {
				until += a.lateness()
			}
			by = clamp(until, 0, limit)
		}
		return clock.advance(ctx, by)
	})
	return by, err
}

func clamp(d, low, high time.Duration) time.Duration { return max(low, min(d, high)) }

// changeClock calls change in a transaction that locks the tenant's row, so that
// servers that change the same clock take turns. While change runs, the clock is
// running, and due times are those of a running clock.
func (a *advance) changeClock(ctx context.Context, change func(*movingClock) error) error {
	var reached time.Time
	var pending int
	err := a.inTurn(ctx, func(tx pgx.Tx, tenant auth.Tenant) error {
		now := a.gate.Now().Truncate(time.Microsecond)
		if tenant.Time(now).Before(a.reached) {
			return tenantWasReset()
		}
		clock := movingClock{tx: tx, now: now, tenantID: a.tenantID, Clock: tenant.Running(now), frozen: tenant.FrozenAt != nil, pending: a.pending}
		if clock.frozen {
			if err := clock.shift(ctx, auth.FrozenWait-now.Sub(*tenant.FrozenAt)); err != nil {
				return err
			}
		}
		if err := change(&clock); err != nil {
			return err
		}
		if clock.frozen {
			if err := clock.shift(ctx, -auth.FrozenWait); err != nil {
				return err
			}
			clock.Clock = clock.Frozen(now)
		}
		reached, pending = clock.Time(now), clock.pending
		return auth.SetClock(ctx, tx, a.tenantID, clock.Clock)
	})
	if err != nil {
		return fmt.Errorf("change clock: %w", err)
	}
	a.reached, a.pending = reached, pending
	a.gate.EvictTenant(a.tenantID)
	return nil
}

// inTurn calls do in a transaction that has locked the tenant, in the tenant's turn.
func (a *advance) inTurn(ctx context.Context, do func(tx pgx.Tx, tenant auth.Tenant) error) error {
	return auth.RetryLocked(ctx, a.db, a.tenantID, func(attempt auth.Attempt) error {
		return moveTurns.Run(attempt.Context, a.tenantID, func() error { return attempt.InTx(ctx, a.db, a.tenantID, do) })
	})
}

// movingClock is a tenant's clock in the transaction that changes it.
type movingClock struct {
	auth.Clock // it runs
	tx         pgx.Tx
	now        time.Time // real time
	tenantID   uuid.UUID
	frozen     bool // it is frozen afterwards
	pending    int  // rows that the last shift changed, possibly in an earlier step
}

// advance moves the clock, and makes work that is not due yet due earlier.
func (c *movingClock) advance(ctx context.Context, by time.Duration) error {
	c.ClockOffset += by
	return c.shift(ctx, by)
}

// shift makes work that is not due yet due earlier.
func (c *movingClock) shift(ctx context.Context, by time.Duration) error {
	if by == 0 {
		return nil
	}
	c.pending = 0
	for _, p := range participants {
		if p.shift == nil {
			continue
		}
		rows, err := p.shift(ctx, c.tx, c.tenantID, c.now, by)
		if err != nil {
			return err
		}
		c.pending += rows
	}
	return nil
}

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

// effectsBetween returns what happened to the tenant after one time and until another,
// on its clock, in order.
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
