// Package delivery sends the webhook deliveries that are due: it claims them
// under a lease, schedules them fairly over receivers, signs and sends them,
// records each attempt, and retries until a delivery succeeded or is dead. Any
// number of servers can do so on one database.
//
// It shares its tables with package hooks, the only one that imports it, and
// does not know what the events mean.
package delivery

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

// MaxPerReceiver is how many deliveries to one receiver are in flight per server;
// a subscription without a delivery in flight may exceed it by one.
const MaxPerReceiver = 8

const (
	maxInFlight  = 512 // deliveries in flight per server, with the same exception
	maxBatch     = 500 // deliveries claimed or recorded at once
	defaultQuota = 16  // deliveries claimed for a subscription until it is known how fast its receiver is

	lookahead    = 200 * time.Millisecond // how long the backlog of a subscription should last
	pollInterval = 500 * time.Millisecond // of looking for due deliveries that nobody announced
	errorPause   = 200 * time.Millisecond // after an error of the database
)

// Dispatcher sends the deliveries that are due.
type Dispatcher struct {
	shared        *pgxpool.Pool
	db            *pgxpool.Pool // its own, while it runs
	seal          *Seal
	sender        *Sender
	subscriptions *subscriptions
	now           func() time.Time
	waker         *waker
	pollInterval  time.Duration
	results       chan result

	writing sync.Mutex // held while held deliveries are recorded or their leases renewed: both lock the same rows

	mu        sync.Mutex // guards the fields below
	scheduler scheduler
	held      map[uuid.UUID]lease // by delivery
	workers   sync.WaitGroup
}

// NewDispatcher returns a dispatcher of the environment's deliveries. now is
// real time.
func NewDispatcher(db *pgxpool.Pool, environment string, seal *Seal, sender *Sender, now func() time.Time) *Dispatcher {
	return &Dispatcher{
		shared:       db,
		seal:         seal,
		sender:       sender,
		now:          now,
		waker:        newWaker(environment),
		pollInterval: pollInterval,
		results:      make(chan result, maxBatch),
		scheduler:    newScheduler(),
		held:         map[uuid.UUID]lease{},
	}
}

// Wake tells this dispatcher, and those of other servers, that deliveries may be
// due. Call it after the commit that made them due.
func (d *Dispatcher) Wake() { d.waker.wakeAll() }

// Run sends due deliveries until ctx ends. Then it gives back the claimed
// deliveries that it has not started, and returns when those in flight are
// recorded. It can be called once.
func (d *Dispatcher) Run(ctx context.Context) error {
	// Attempts that have begun are finished and recorded even while the server
	// stops.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var err error
	if d.db, err = pgxpool.NewWithConfig(lasting, ownConnections(d.shared.Config())); err != nil {
		return fmt.Errorf("start dispatcher: %w", err)
	}
	defer d.db.Close()
	d.subscriptions = newSubscriptions(d.db, d.seal, d.now)
	var recorder, helpers sync.WaitGroup
	recorder.Go(func() { d.runRecorder(lasting) })
	helpers.Go(func() { d.runRenewer(lasting) })
	helpers.Go(func() { d.runTrimmer(lasting) })
	d.waker.start(lasting, d.db, &helpers)

	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-d.waker.woken:
		case <-timer.C:
		}
		wait := d.pollInterval
		if err := d.claimMore(ctx, lasting); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "claim of deliveries failed", "err", err)
			wait = errorPause
		}
		timer.Reset(wait)
	}
	d.giveBackWaiting()
	d.workers.Wait()
	close(d.results)
	recorder.Wait()
	end()
	helpers.Wait()
	d.sender.transport.CloseIdleConnections()
	return nil
}

// ownConnections returns the configuration of the dispatcher's connections.
// Postgres plans for the size that the tables have at the moment and keeps the
// plan, so on a fresh database it would choose to read whole tables that soon
// are large. Every statement of the dispatcher is fast with index lookups alone
// and with one generic plan; a plan for each batch costs as much as ten
// deliveries.
func ownConnections(config *pgxpool.Config) *pgxpool.Config {
	config.MaxConns = 5 // claim, record, read subscriptions, notify others, trim
	for _, plan := range []string{"enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"} {
		config.ConnConfig.RuntimeParams[plan] = "off"
	}
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	return config
}

// claimMore claims as many deliveries as the backlogs have room for, and starts
// those that have a slot.
func (d *Dispatcher) claimMore(ctx, lasting context.Context) error {
	now := d.now()
	quotas := d.quotas(now)
	taken, err := claim(ctx, d.db, now, quotas, defaultQuota)
	if err != nil {
		return err
	}
	served := slices.Collect(maps.Keys(quotas))
	for _, delivery := range taken {
		served = append(served, delivery.HookID)
	}
	receivers, err := d.subscriptions.receivers(lasting, served)
	if err != nil {
		slog.WarnContext(ctx, "receivers not read", "err", err) // the workers find out
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, delivery := range taken {
		d.held[delivery.ID] = lease{delivery.HookID, delivery.Attempt, now.Add(leaseDuration)}
	}
	d.scheduler.add(taken, quotas, receivers)
	if len(taken) >= maxBatch {
		d.waker.wakeSelf() // some subscriptions may not have had their turn
	}
	d.startWorkers(lasting)
	return nil
}

// startWorkers starts a worker for each delivery that has a slot. d.mu is held.
func (d *Dispatcher) startWorkers(ctx context.Context) {
	for {
		delivery, used, ok := d.nextHeld()
		if !ok {
			return
		}
		d.workers.Go(func() { d.runWorker(ctx, delivery, used) })
	}
}

// quotas returns how many deliveries may be claimed for each subscription that
// is being served.
func (d *Dispatcher) quotas(now time.Time) map[uuid.UUID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	quotas := d.scheduler.quotas(now)
	d.subscriptions.dropUnused(func(id uuid.UUID) bool { return d.scheduler.backlogs[id] != nil })
	return quotas
}

// nextHeld returns the next delivery that has a slot and whose lease has not
// ended. d.mu is held.
func (d *Dispatcher) nextHeld() (claimed, slot, bool) {
	for {
		delivery, used, ok := d.scheduler.next()
		if !ok {
			return claimed{}, slot{}, false
		}
		if used.backlog.runsLow() {
			d.waker.wakeSelf()
		}
		held := d.held[delivery.ID]
		if held.attempt == delivery.Attempt && d.now().Before(held.until) {
			return delivery, used, true
		}
		if held.attempt == delivery.Attempt {
			delete(d.held, delivery.ID) // another server may have claimed it
		}
		d.scheduler.free(used)
	}
}

// runWorker sends the delivery, and then others as long as there are any.
func (d *Dispatcher) runWorker(ctx context.Context, delivery claimed, used slot) {
	for ok := true; ok; {
		to, err := d.subscriptions.get(ctx, delivery.HookID)
		switch {
		case err != nil:
			slog.WarnContext(ctx, "delivery given back", "delivery", delivery.ID, "err", err)
			d.results <- givenBack(delivery, d.now())
		case to.receiver != used.to.name && d.reschedule(delivery, used.backlog, to.receiver):
		default:
			d.results <- d.attempt(ctx, delivery, to)
		}
		d.mu.Lock()
		d.scheduler.free(used)
		used.backlog.finished++
		delivery, used, ok = d.nextHeld()
		d.startWorkers(ctx) // the slot may let more than one start
		d.mu.Unlock()
	}
}

// reschedule puts the delivery back because its subscription now points to
// another receiver; false while the dispatcher stops.
func (d *Dispatcher) reschedule(delivery claimed, b *backlog, receiver string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.scheduler.closed {
		return false
	}
	b.waiting = append([]claimed{delivery}, b.waiting...)
	d.scheduler.assign(b, receiver)
	return true
}

// attempt makes one attempt, unless the subscription is off or its tenant
// collects deliveries instead of having them sent.
func (d *Dispatcher) attempt(ctx context.Context, delivery claimed, to subscription) (r result) {
	begun, id := d.now(), AttemptID(delivery.ID, delivery.Attempt)
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "delivery panicked", "delivery", delivery.ID, "panic", p, "stack", string(debug.Stack()))
			r = attempted(delivery, d.now(), Outcome{Failure: failedMalformed})
			r.attemptID, r.url = id, to.url
		}
	}()
	if !to.active || to.activation != delivery.Activation {
		return droppedResult(delivery, begun)
	}
	if to.collect {
		return collectedResult(delivery, begun)
	}
	outcome := Outcome{Failure: failedSealed}
	if !to.unreadable {
		outcome = d.sender.Send(ctx, Message{
			URL: to.url, Header: to.header, Secret: to.secret,
			Event: delivery.Event, EventID: delivery.EventID, ID: id, Body: delivery.Body,
		}, d.now)
	}
	slog.InfoContext(ctx, "delivery attempt",
		"delivery", delivery.ID, "delivery_id", id, "hook_id", delivery.HookID, "event", delivery.Event,
		"attempt", delivery.Attempt, "address", outcome.Address, "status", outcome.Status, "failure", outcome.Failure, "duration", outcome.Duration)
	r = attempted(delivery, begun, outcome)
	r.attemptID, r.url = id, to.url
	return r
}

// giveBackWaiting gives back the deliveries that wait for a slot, so that
// another server claims them at once.
func (d *Dispatcher) giveBackWaiting() {
	d.mu.Lock()
	waiting := d.scheduler.close()
	d.mu.Unlock()
	for _, delivery := range waiting {
		d.results <- givenBack(delivery, d.now())
	}
}

// forget ends this server's claim on the deliveries whose results are recorded.
func (d *Dispatcher) forget(recorded []result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range recorded {
		if d.held[r.ID].attempt == r.Attempt {
			delete(d.held, r.ID)
		}
	}
}
