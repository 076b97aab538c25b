package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// maxSteps bounds how many moments one move of a clock passes through.
const maxSteps = 100_000

// clockAnswer is a tenant's clock: its time, and how far it is ahead.
type clockAnswer struct {
	Now    api.Time `json:"now"`
	Offset string   `json:"offset"`
}

func newClockAnswer(tenant auth.Tenant, now time.Time) clockAnswer {
	return clockAnswer{api.Time(tenant.Time(now)), tenant.ClockOffset.String()}
}

// Clock is `GET /tenants/{t}/clock`.
func Clock(db storage.DB, gate *auth.Gate) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, newClockAnswer(tenant, gate.Now()))
	}
}

// MoveClock is `POST /tenants/{t}/clock`: it moves the tenant's time forward
// through each moment at which something of it falls due, has that done, and
// answers with what happened. Any server may do the work. wake tells the
// background steps of this one.
func MoveClock(db storage.DB, gate *auth.Gate, wake func(), rooms []Room) api.Handler {
	type answer struct {
		Now     api.Time `json:"now"`
		Effects []Effect `json:"effects"`
	}
	moving := &turns{taken: map[uuid.UUID]*turn{}}
	return func(w http.ResponseWriter, r *http.Request) error {
		tenant, err := tenantOf(r, db)
		if err != nil {
			return err
		}
		body, err := readBody(r, "advance")
		if err != nil {
			return err
		}
		by, err := readDuration("advance", body["advance"])
		if err != nil {
			return err
		}
		if by <= 0 || tenant.ClockOffset+by > longest {
			return badRequest("advance: want more than 0, and in all at most %s", longest)
		}
		ctx := r.Context()
		done, err := moving.take(ctx, tenant.ID)
		if err != nil {
			return err
		}
		defer done()
		if tenant, err = tenantOf(r, db); err != nil { // as whoever had the turn before has left it
			return err
		}
		before := tenant.Time(gate.Now())
		m := mover{db: db, gate: gate, wake: wake, rooms: rooms, tenantID: tenant.ID, offset: tenant.ClockOffset}
		if err := m.move(ctx, by); err != nil {
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
				return notSettled()
			}
			return err
		}
		after := gate.Now().Add(m.offset)
		effects, err := effectsOf(ctx, db, rooms, tenant.ID, before, after)
		if err != nil {
			return err
		}
		return api.Write(w, http.StatusOK, answer{api.Time(after), effects})
	}
}

// mover moves the clock of one tenant.
type mover struct {
	db       storage.DB
	gate     *auth.Gate
	wake     func()
	rooms    []Room
	tenantID uuid.UUID
	offset   time.Duration // of the clock, as far as it has come
}

// move moves the clock by as much as is given, and returns once all that fell
// due is done.
func (m *mover) move(ctx context.Context, by time.Duration) error {
	for range maxSteps {
		if err := m.settle(ctx); err != nil || by == 0 {
			return err
		}
		moved, err := m.step(ctx, by)
		if err != nil {
			return err
		}
		by -= moved
	}
	return tooManySteps()
}

// settle waits until nothing of the tenant is due. Any server may do the work:
// it looks, less and less often, so that many who wait leave the database to
// those who work.
func (m *mover) settle(ctx context.Context) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		next, err := m.nextDue(ctx, m.db)
		if err != nil {
			return err
		}
		if next == nil || next.After(m.gate.Now()) {
			return nil
		}
		if pause == time.Millisecond {
			m.wake()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// nextDue is the real time at which the first of the tenant's rows is due; nil
// when none is.
func (m *mover) nextDue(ctx context.Context, db storage.DB) (*time.Time, error) {
	var first *time.Time
	for _, room := range m.rooms {
		if room.NextDue == nil {
			continue
		}
		next, err := room.NextDue(ctx, db, m.tenantID)
		if err != nil {
			return nil, err
		}
		if next != nil && (first == nil || next.Before(*first)) {
			first = next
		}
	}
	return first, nil
}

// step moves the clock to the next moment at which something is due, at most
// by as much as is given, and returns by how much. When something has become
// due meanwhile, it does not move at all. The tenant's row is held, so that
// servers that move one clock take turns.
func (m *mover) step(ctx context.Context, most time.Duration) (by time.Duration, err error) {
	err = pgx.BeginFunc(ctx, m.db, func(tx pgx.Tx) error {
		tenant, err := auth.HoldTenant(ctx, tx, m.tenantID)
		if errors.Is(err, pgx.ErrNoRows) {
			return tenantNotFound()
		}
		if err != nil {
			return err
		}
		if tenant.ClockOffset < m.offset {
			return wasReset()
		}
		next, err := m.nextDue(ctx, tx)
		if err != nil {
			return err
		}
		by = most
		if next != nil {
			// Rows hold whole microseconds: rounded down, the moment would
			// still be to come.
			until := next.Sub(m.gate.Now()) + time.Microsecond - 1
			by = max(0, min(most, until.Truncate(time.Microsecond)))
		}
		if by == 0 {
			return nil
		}
		m.offset = tenant.ClockOffset + by
		if err := auth.MoveClock(ctx, tx, m.tenantID, by); err != nil {
			return err
		}
		for _, room := range m.rooms {
			if room.Shift == nil {
				continue
			}
			if err := room.Shift(ctx, tx, m.tenantID, by); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("move clock: %w", err)
	}
	m.gate.Forget(m.tenantID)
	return by, nil
}

// effectsOf is what happened in all rooms, in order.
func effectsOf(ctx context.Context, db storage.DB, rooms []Room, tenantID uuid.UUID, after, until time.Time) ([]Effect, error) {
	effects := []Effect{}
	for _, room := range rooms {
		if room.Effects == nil {
			continue
		}
		more, err := room.Effects(ctx, db, tenantID, after, until)
		if err != nil {
			return nil, err
		}
		effects = append(effects, more...)
	}
	inOrder(effects)
	return effects, nil
}

// inOrder sorts by time; what happened at one moment stays in its order.
func inOrder(effects []Effect) {
	slices.SortStableFunc(effects, func(a, b Effect) int { return time.Time(a.At).Compare(time.Time(b.At)) })
}

// turns let one at a time do something for a tenant.
type turns struct {
	mu    sync.Mutex
	taken map[uuid.UUID]*turn
}

type turn struct {
	free  chan struct{} // holds one token while nobody has the turn
	users int
}

// take waits for the tenant's turn; done gives it on.
func (t *turns) take(ctx context.Context, id uuid.UUID) (done func(), err error) {
	t.mu.Lock()
	own := t.taken[id]
	if own == nil {
		own = &turn{free: make(chan struct{}, 1)}
		own.free <- struct{}{}
		t.taken[id] = own
	}
	own.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(t.taken, id)
		}
	}
	select {
	case <-own.free:
		return func() { own.free <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
