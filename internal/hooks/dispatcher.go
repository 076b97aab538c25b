package hooks

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	maxSending = 512 // deliveries being sent at once by one server, but for the first of each subscription
	maxSlots   = 8   // of them to one receiver, but for the same
	maxBatch   = 500 // deliveries claimed or recorded at once
	firstRoom  = 16  // deliveries held for a subscription until it shows how fast it is

	ahead   = 200 * time.Millisecond // how long what is held for a subscription should last
	idle    = 500 * time.Millisecond // how often to look for what nobody told of
	renewal = 5 * time.Second
	pause   = 200 * time.Millisecond // after an error of the database
)

// Dispatcher sends the deliveries that are due. Any number of servers can each
// run one on the same database.
type Dispatcher struct {
	shared  *pgxpool.Pool
	db      *pgxpool.Pool // its own, while it runs
	seal    *Seal
	sender  *Sender
	targets *targets
	now     func() time.Time
	waker   *waker
	idle    time.Duration
	results chan result

	writing sync.Mutex // renewing and recording touch the same rows

	mu      sync.Mutex // of all below
	lines   lines
	held    map[uuid.UUID]holding // by delivery
	working sync.WaitGroup
}

// holding is the claim on one delivery.
type holding struct {
	hookID  uuid.UUID
	attempt int
	until   time.Time
}

// NewDispatcher returns a dispatcher of the environment's deliveries. now is
// real time.
func NewDispatcher(db *pgxpool.Pool, environment string, seal *Seal, sender *Sender, now func() time.Time) *Dispatcher {
	return &Dispatcher{
		shared:  db,
		seal:    seal,
		sender:  sender,
		now:     now,
		waker:   newWaker(environment),
		idle:    idle,
		results: make(chan result, maxBatch),
		lines:   newLines(),
		held:    map[uuid.UUID]holding{},
	}
}

// Wake tells the dispatcher, and those of other servers, that deliveries may be
// due. Call it after the commit that made them so.
func (d *Dispatcher) Wake() { d.waker.Wake() }

// Run sends what is due until ctx ends; then it gives back what it has not
// begun and returns when what it has begun is done. It runs once.
func (d *Dispatcher) Run(ctx context.Context) error {
	// What was begun is finished and recorded, even while the server stops.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var err error
	if d.db, err = pgxpool.NewWithConfig(lasting, planned(d.shared.Config())); err != nil {
		return fmt.Errorf("start dispatcher: %w", err)
	}
	defer d.db.Close()
	d.targets = newTargets(d.db, d.seal, d.now)
	var recording, helping sync.WaitGroup
	recording.Go(func() { d.recorder(lasting) })
	helping.Go(func() { d.renewer(lasting) })
	helping.Go(func() { d.trimmer(lasting) })
	d.waker.Start(lasting, d.db, &helping)

	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-d.waker.woken:
		case <-timer.C:
		}
		wait := d.idle
		if err := d.fill(ctx, lasting); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "no deliveries claimed", "err", err)
			wait = pause
		}
		timer.Reset(wait)
	}
	d.stop()
	d.working.Wait()
	close(d.results)
	recording.Wait()
	end()
	helping.Wait()
	d.sender.transport.CloseIdleConnections()
	return nil
}

// planned is the configuration of the dispatcher's own connections. Postgres
// plans for the size that the tables have at the moment and keeps the plan; so
// on a fresh database it would read whole tables that soon are large. Each of
// the dispatcher's statements is good with index lookups alone, and with one
// plan: making another for each batch costs as much as ten deliveries.
func planned(config *pgxpool.Config) *pgxpool.Config {
	config.MaxConns = 5 // claim, record, read subscriptions, wake others, trim
	for _, plan := range []string{"enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"} {
		config.ConnConfig.RuntimeParams[plan] = "off"
	}
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	return config
}

// fill claims what there is room for and has it sent.
func (d *Dispatcher) fill(ctx, lasting context.Context) error {
	now := d.now()
	rooms := d.rooms(now)
	taken, err := claim(ctx, d.db, now, rooms, firstRoom)
	if err != nil {
		return err
	}
	served := slices.Collect(maps.Keys(rooms))
	for _, work := range taken {
		served = append(served, work.HookID)
	}
	receivers, err := d.targets.receivers(lasting, served)
	if err != nil {
		slog.WarnContext(ctx, "receivers not known yet", "err", err) // the workers find out
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, work := range taken {
		d.held[work.ID] = holding{work.HookID, work.Attempt, now.Add(lease)}
	}
	d.lines.add(taken, rooms, receivers)
	if len(taken) >= maxBatch {
		d.waker.self() // there may be subscriptions that had no turn
	}
	d.start(lasting)
	return nil
}

// start has all sent that has a slot. d.mu is held.
func (d *Dispatcher) start(ctx context.Context) {
	for {
		work, s, ok := d.next()
		if !ok {
			return
		}
		d.working.Go(func() { d.work(ctx, work, s) })
	}
}

// rooms is how many deliveries each subscription served can be claimed for.
func (d *Dispatcher) rooms(now time.Time) map[uuid.UUID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	rooms := d.lines.rooms(now)
	d.targets.forget(func(id uuid.UUID) bool { return d.lines.of[id] != nil })
	return rooms
}

// next takes the next delivery that has a slot. d.mu is held.
func (d *Dispatcher) next() (claimed, slot, bool) {
	for {
		work, s, ok := d.lines.take()
		if !ok {
			return claimed{}, slot{}, false
		}
		if s.line.short() {
			d.waker.self()
		}
		mine := d.held[work.ID]
		if mine.attempt == work.Attempt && d.now().Before(mine.until) {
			return work, s, true
		}
		if mine.attempt == work.Attempt {
			delete(d.held, work.ID) // the lease has ended: it may be another's
		}
		d.lines.free(s)
	}
}

// work sends the delivery, and then one after the other while there are any.
func (d *Dispatcher) work(ctx context.Context, work claimed, s slot) {
	for ok := true; ok; {
		to, err := d.targets.target(ctx, work.HookID)
		switch {
		case err != nil:
			slog.WarnContext(ctx, "delivery given back", "delivery", work.ID, "err", err)
			d.results <- givenBack(work, d.now())
		case to.receiver != s.to.name && d.elsewhere(work, s.line, to.receiver):
		default:
			d.results <- d.deliver(ctx, work, to)
		}
		d.mu.Lock()
		d.lines.free(s)
		s.line.finished++
		work, s, ok = d.next()
		d.start(ctx) // a slot given back may let two begin
		d.mu.Unlock()
	}
}

// elsewhere has the delivery wait for a slot of another receiver, because its
// subscription has moved; false when the dispatcher is about to stop.
func (d *Dispatcher) elsewhere(work claimed, l *line, receiver string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lines.closed {
		return false
	}
	l.waiting = append([]claimed{work}, l.waiting...)
	d.lines.move(l, receiver)
	return true
}

// deliver makes one attempt, unless the subscription is off.
func (d *Dispatcher) deliver(ctx context.Context, work claimed, to target) (r result) {
	begun, id := d.now(), attemptID(work.ID, work.Attempt)
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "delivery panicked", "delivery", work.ID, "panic", p, "stack", string(debug.Stack()))
			r = attempted(work, d.now(), Outcome{Failure: failedMalformed})
			r.attemptID, r.url = id, to.url
		}
	}()
	if !to.active || to.activation != work.Activation {
		return turnedOff(work, begun)
	}
	if to.collect {
		return kept(work, begun)
	}
	came := Outcome{Failure: failedSealed}
	if !to.sealed {
		came = d.sender.Send(ctx, Message{
			URL: to.url, Header: to.header, Secret: to.secret,
			Event: work.Event, EventID: work.EventID, ID: id, Body: work.Body,
		}, d.now)
	}
	slog.InfoContext(ctx, "delivery attempt",
		"delivery", work.ID, "delivery_id", id, "hook_id", work.HookID, "event", work.Event,
		"attempt", work.Attempt, "address", came.Address, "status", came.Status, "failure", came.Failure, "duration", came.Duration)
	r = attempted(work, begun, came)
	r.attemptID, r.url = id, to.url
	return r
}

// stop gives back all that waits, so that another server has it at once.
func (d *Dispatcher) stop() {
	d.mu.Lock()
	back := d.lines.close()
	d.mu.Unlock()
	for _, work := range back {
		d.results <- givenBack(work, d.now())
	}
}

// release lets go of what was recorded.
func (d *Dispatcher) release(batch []result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range batch {
		if d.held[r.ID].attempt == r.Attempt {
			delete(d.held, r.ID)
		}
	}
}

// renewer keeps the leases of all that is held.
func (d *Dispatcher) renewer(ctx context.Context) {
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := d.exclusively(func() error { return d.renew(ctx) }); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "leases not renewed", "err", err)
		}
	}
}

func (d *Dispatcher) renew(ctx context.Context) error {
	now := d.now()
	d.mu.Lock()
	mine := maps.Clone(d.held)
	d.mu.Unlock()
	if len(mine) == 0 {
		return nil
	}
	kept, err := renew(ctx, d.db, mine, now)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range kept {
		if h := d.held[id]; h.attempt == mine[id].attempt {
			h.until = now.Add(lease)
			d.held[id] = h
		}
	}
	return nil
}

// exclusively runs what writes to the rows that are held: two that lock the
// same rows in different order would block each other.
func (d *Dispatcher) exclusively(write func() error) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	return write()
}
