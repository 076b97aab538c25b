package control

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
)

// SeededClock is the clock that a tenant has according to a seed.
type SeededClock struct {
	at     string
	change clockChange
}

// SeededClockFields are the keys of a clock in a seed.
var SeededClockFields = []string{"set", "frozen"}

// ParseSeededClock parses a clock at the path of a seed: `set`, `frozen` or both, as in
// the body of MoveClock. Its errors are *api.Error and contain paths.
func ParseSeededClock(at string, text json.RawMessage) (SeededClock, error) {
	object, err := api.ReadObject(at, text, SeededClockFields...)
	if err != nil {
		return SeededClock{}, err
	}
	if len(object) == 0 {
		return SeededClock{}, api.BadRequest("%s: want set, frozen or both", at)
	}
	change, err := parseClockChange(object)
	return SeededClock{at, change}, api.ErrorAt(at, err)
}

// Apply changes the tenant's clock, which the transaction has locked. It does not wait until work
// that becomes due is done: that is done as if the time had passed while no server was running.
// Only the clock of a new tenant can be moved back. The error is an *api.Error if the clock is
// the cause.
func (c SeededClock) Apply(ctx context.Context, tx pgx.Tx, gate *auth.Gate, tenant auth.Tenant, isNew bool) error {
	a := advance{db: tx, gate: gate, tenantID: tenant.ID}
	return a.changeClock(ctx, func(clock *movingClock) error {
		if c.change.frozen != nil {
			clock.frozen = *c.change.frozen
		}
		if c.change.set == nil {
			return nil
		}
		now := clock.Time(clock.now)
		by, err := c.change.distance(now, clock.ClockOffset)
		if back := now.Sub(*c.change.set); isNew && back > 0 && back <= api.MaxDuration {
			by, err = -back, nil
		}
		if err != nil {
			return api.ErrorAt(c.at, err)
		}
		return clock.advance(ctx, by)
	})
}
