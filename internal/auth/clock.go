package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Clock is a tenant's clock. The zero value shows real time.
type Clock struct {
	ClockOffset time.Duration // tenant's time minus real time, while the clock runs
	FrozenAt    *time.Time    // real time at which the clock was frozen; nil = it runs
}

// FrozenWait is added to due times that lie ahead of a frozen clock, so that real time
// does not reach them.
const FrozenWait = 100 * 365 * 24 * time.Hour

// Time returns the tenant's time at the real time now.
func (c Clock) Time(now time.Time) time.Time { return inMicroseconds(c.passed(now).Add(c.ClockOffset)) }

// passed returns the real time until which the clock has run: now, or the time at which
// it was frozen if that is earlier.
func (c Clock) passed(now time.Time) time.Time {
	if c.FrozenAt != nil && now.After(*c.FrozenAt) {
		return *c.FrozenAt
	}
	return now
}

// DueAfter returns the real time at which work is due that waits for a duration of the
// tenant's time, counted from the real time from. Work that has to wait for a frozen
// clock is due FrozenWait later.
func (c Clock) DueAfter(from time.Time, wait time.Duration) time.Time {
	due := c.passed(from).Add(wait)
	if c.FrozenAt != nil && due.After(*c.FrozenAt) {
		return due.Add(FrozenWait)
	}
	return due
}

// TimeDue returns the tenant's time at which work becomes due that is stored as due at a
// real time. See DueAfter.
func (c Clock) TimeDue(due time.Time) time.Time {
	if c.FrozenAt != nil && due.After(*c.FrozenAt) {
		due = due.Add(-FrozenWait)
	}
	return inMicroseconds(due.Add(c.ClockOffset))
}

// Frozen returns the clock, frozen at the time that it shows at the real time now.
func (c Clock) Frozen(now time.Time) Clock { return Clock{c.Running(now).ClockOffset, &now} }

// Running returns the clock, running from the time that it shows at the real time now.
func (c Clock) Running(now time.Time) Clock {
	if c.FrozenAt != nil {
		return Clock{ClockOffset: c.ClockOffset - now.Sub(*c.FrozenAt)}
	}
	return c
}

// SetClock replaces the clock of a tenant that the transaction has locked. The caller
// must move the tenant's due times in the same transaction.
func SetClock(ctx context.Context, tx pgx.Tx, id uuid.UUID, clock Clock) error {
	if _, err := tx.Exec(ctx, `
		update tenants
		set clock_offset = @offset, frozen_at = @frozen_at
		where id = @id`,
		pgx.StrictNamedArgs{"id": id, "offset": clock.ClockOffset, "frozen_at": clock.FrozenAt}); err != nil {
		return fmt.Errorf("set clock: %w", err)
	}
	return nil
}
