package hooks

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	maxSending = 512 // deliveries being sent at once, by one server
	maxSlots   = 8   // of them to one subscription
	maxBatch   = 500 // deliveries claimed or recorded at once
	firstRoom  = 16  // deliveries held for a subscription until it shows how fast it is

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
	results chan result

	writing sync.Mutex // renewing and recording touch the same rows

	mu      sync.Mutex
	stopped bool
	lines   map[uuid.UUID]*line // by subscription
	ready   []*line             // with something to send and a slot for it, in turn
	workers int
	held    map[uuid.UUID]holding // by delivery
	working sync.WaitGroup
}

// line is what a server holds for one subscription.
type line struct {
	hookID   uuid.UUID
	waiting  []claimed
	sending  int
	ready    bool // in the dispatcher's list of that name
	finished int  // since the last claim
	room     int  // most to be held waiting
	more     bool // the last claim took all that there was room for
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
		results: make(chan result, maxBatch),
		lines:   map[uuid.UUID]*line{},
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
		wait := idle
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
// the dispatcher's statements is good with index lookups alone.
func planned(config *pgxpool.Config) *pgxpool.Config {
	config.MaxConns = 4 // claim, record, read subscriptions, wake others
	for _, plan := range []string{"enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"} {
		config.ConnConfig.RuntimeParams[plan] = "off"
	}
	return config
}

// fill claims what there is room for and has it sent.
func (d *Dispatcher) fill(ctx, lasting context.Context) error {
	rooms := d.rooms()
	now := d.now()
	taken, err := claim(ctx, d.db, now, rooms, firstRoom)
	if err != nil || len(taken) == 0 {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	counts := map[uuid.UUID]int{}
	for _, work := range taken {
		l := d.lines[work.HookID]
		if l == nil {
			l = &line{hookID: work.HookID, room: firstRoom}
			d.lines[work.HookID] = l
		}
		d.held[work.ID] = holding{work.HookID, work.Attempt, now.Add(lease)}
		l.waiting = append(l.waiting, work)
		counts[work.HookID]++
	}
	for id, n := range counts {
		l := d.lines[id]
		room, ok := rooms[id]
		if !ok {
			room = firstRoom
		}
		l.more = n >= room
		d.offer(l)
	}
	if len(taken) >= maxBatch {
		d.waker.self() // there may be subscriptions that had no turn
	}
	for d.workers < min(maxSending, d.slots()) {
		d.workers++
		d.working.Go(func() { d.work(lasting) })
	}
	return nil
}

// slots is how many deliveries could be under way now.
func (d *Dispatcher) slots() (n int) {
	for _, l := range d.lines {
		n += min(maxSlots, l.sending+len(l.waiting))
	}
	return n
}

// rooms is how many deliveries each subscription served can be claimed for:
// the faster it takes them, the more.
func (d *Dispatcher) rooms() map[uuid.UUID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	rooms := map[uuid.UUID]int{}
	for id, l := range d.lines {
		l.room = min(max(firstRoom, l.room/2, 2*l.finished), maxBatch)
		if l.finished == 0 && l.sending == 0 && len(l.waiting) == 0 && l.room == firstRoom {
			delete(d.lines, id)
			continue
		}
		l.finished = 0
		rooms[id] = max(l.room-len(l.waiting), 0)
	}
	d.targets.forget(func(id uuid.UUID) bool { return d.lines[id] != nil })
	return rooms
}

// offer has the line take its turn if it has something to send and a slot.
func (d *Dispatcher) offer(l *line) {
	if !l.ready && len(l.waiting) > 0 && l.sending < maxSlots {
		l.ready = true
		d.ready = append(d.ready, l)
	}
}

// next takes the next delivery of the line whose turn it is; false ends the
// worker that asks.
func (d *Dispatcher) next() (claimed, *line, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.ready) > 0 && !d.stopped {
		l := d.ready[0]
		d.ready = d.ready[1:]
		l.ready = false
		work := l.waiting[0]
		l.waiting = l.waiting[1:]
		if l.more && len(l.waiting) < l.room/2 {
			l.more = false
			d.waker.self()
		}
		mine := d.held[work.ID]
		if mine.attempt == work.Attempt && d.now().Before(mine.until) {
			l.sending++
			d.offer(l)
			return work, l, true
		}
		if mine.attempt == work.Attempt {
			delete(d.held, work.ID) // the lease has ended: it may be another's
		}
		d.offer(l)
	}
	d.workers--
	return claimed{}, nil, false
}

// done gives the slot back.
func (d *Dispatcher) done(l *line) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l.sending--
	l.finished++
	d.offer(l)
}

// work sends one delivery after the other while there are any.
func (d *Dispatcher) work(ctx context.Context) {
	for {
		work, l, ok := d.next()
		if !ok {
			return
		}
		d.results <- d.deliver(ctx, work)
		d.done(l)
	}
}

// deliver makes one attempt, unless the subscription is off.
func (d *Dispatcher) deliver(ctx context.Context, work claimed) (r result) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "delivery panicked", "delivery", work.ID, "panic", p, "stack", string(debug.Stack()))
			r = attempted(work, d.now(), outcome{failure: failedMalformed})
		}
	}()
	to, err := d.targets.target(ctx, work.HookID)
	if err != nil {
		slog.WarnContext(ctx, "delivery given back", "delivery", work.ID, "err", err)
		return givenBack(work, d.now())
	}
	begun, id := d.now(), attemptID(work.ID, work.Attempt)
	if !to.active || to.activation != work.Activation {
		return turnedOff(work, begun)
	}
	if to.collect {
		return kept(work, begun)
	}
	came := outcome{failure: failedSealed}
	if !to.sealed {
		came = d.sender.Send(ctx, message{
			url: to.url, header: to.header, secret: to.secret,
			event: work.Event, eventID: work.EventID, id: id, body: work.Body,
		}, d.now)
	}
	slog.InfoContext(ctx, "delivery attempt",
		"delivery", work.ID, "delivery_id", id, "hook_id", work.HookID, "event", work.Event,
		"attempt", work.Attempt, "address", came.address, "status", came.status, "failure", came.failure, "duration", came.duration)
	r = attempted(work, begun, came)
	r.url = to.url
	return r
}

// stop gives back all that waits, so that another server has it at once.
func (d *Dispatcher) stop() {
	d.mu.Lock()
	d.stopped = true
	var back []claimed
	for _, l := range d.lines {
		back = append(back, l.waiting...)
		l.waiting = nil
	}
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
