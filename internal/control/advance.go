package control

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// maxSteps is the maximum number of due times in one advance of a clock.
const maxSteps = 100_000

// together is the duration within which an advance makes the retries of deliveries at
// once. Each retry is due at a time of its own, and their waits are whole seconds.
const together = time.Second

// advance is one advance of a tenant's clock.
type advance struct {
	db       storage.DB
	gate     *auth.Gate
	wake     func()
	tenantID uuid.UUID
	reached  time.Time // tenant's time that the clock has reached
}

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

// step advances the clock to the next time at which work is due, by at most limit, and
// returns the duration of the advance. If retries of deliveries are next, it advances to
// the last one that can be made together with the first. It does not advance the clock if
// work has become due in the meantime.
func (a *advance) step(ctx context.Context, limit time.Duration) (by time.Duration, err error) {
	err = a.changeClock(ctx, func(clock *movingClock) error {
		next, err := nextStep(ctx, clock.tx, a.tenantID, clock.now)
		if err != nil {
			return err
		}
		by = limit
		if next != nil {
			// Rounded up to whole microseconds, as stored in rows: otherwise the work
			// would not be due yet.
			until := next.Sub(clock.now) + time.Microsecond - 1
			by = clamp(until.Truncate(time.Microsecond), 0, limit)
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
	err := storage.InTx(ctx, a.db, func(tx pgx.Tx) error {
		tenant, err := auth.LockTenant(ctx, tx, a.tenantID)
		if err != nil {
			return err
		}
		now := a.gate.Now().Truncate(time.Microsecond)
		if tenant.Time(now).Before(a.reached) {
			return tenantWasReset()
		}
		clock := movingClock{tx: tx, now: now, tenantID: a.tenantID, Clock: tenant.Running(now), frozen: tenant.FrozenAt != nil}
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
		reached = clock.Time(now)
		return auth.SetClock(ctx, tx, a.tenantID, clock.Clock)
	})
	if err != nil {
		return fmt.Errorf("change clock: %w", err)
	}
	a.reached = reached
	a.gate.EvictTenant(a.tenantID)
	return nil
}

// movingClock is a tenant's clock in the transaction that changes it.
type movingClock struct {
	auth.Clock // it runs
	tx         pgx.Tx
	now        time.Time // real time
	tenantID   uuid.UUID
	frozen     bool // it is frozen afterwards
}

// advance moves the clock, and makes work that is not due yet due earlier.
func (c *movingClock) advance(ctx context.Context, by time.Duration) error {
	c.ClockOffset += by
	return c.shift(ctx, by)
}

// shift makes work that is not due yet due earlier.
func (c *movingClock) shift(ctx context.Context, by time.Duration) error {
	for _, p := range participants {
		if p.shift == nil || by == 0 {
			continue
		}
		if err := p.shift(ctx, c.tx, c.tenantID, c.now, by); err != nil {
			return err
		}
	}
	return nil
}

// nextDue returns the real time at which the next work of the tenant is due; nil if
// there is none.
func nextDue(ctx context.Context, db storage.DB, tenantID uuid.UUID) (*time.Time, error) {
	dues, err := nextDues(ctx, db, tenantID)
	return earliest(dues...), err
}

// nextDues returns the real time at which the next work of each participant is due; nil if
// there is none.
func nextDues(ctx context.Context, db storage.DB, tenantID uuid.UUID) ([]*time.Time, error) {
	dues := make([]*time.Time, len(participants))
	for i, p := range participants {
		if p.nextDue == nil {
			continue
		}
		var err error
		if dues[i], err = p.nextDue(ctx, db, tenantID); err != nil {
			return nil, err
		}
	}
	return dues, nil
}

// nextStep returns the real time at which the next work of the tenant is due. If it is
// work of which more can be done together within a second, before other work is due,
// it returns the time of the last of it. now is real time.
func nextStep(ctx context.Context, db storage.DB, tenantID uuid.UUID, now time.Time) (*time.Time, error) {
	dues, err := nextDues(ctx, db, tenantID)
	if err != nil {
		return nil, err
	}
	first := earliest(dues...)
	if first == nil || !first.After(now) {
		return first, nil
	}
	for i, p := range participants {
		if p.lastTogether == nil || dues[i] != first {
			continue
		}
		until := first.Add(together)
		dues[i] = nil
		last, err := p.lastTogether(ctx, db, tenantID, *first, *earliest(append(dues, &until)...))
		return &last, err
	}
	return first, nil
}

// earliest returns the first time that is earlier than all others; nil if there is none.
func earliest(times ...*time.Time) (first *time.Time) {
	for _, at := range times {
		if at != nil && (first == nil || at.Before(*first)) {
			first = at
		}
	}
	return first
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
