// Package delivery sends due webhook deliveries: it claims them under a lease,
// schedules them fairly over receivers, signs and sends them, records each attempt,
// and retries until a delivery has succeeded or is dead. Any number of servers can do
// so on one database.
//
// It shares its tables with package hooks, the only package that imports it. It does
// not know what the events mean.
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

	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
)

const (
	maxBatch     = 500 // deliveries claimed or recorded at once
	defaultQuota = 16  // deliveries claimed for a subscription until it is known how fast its receiver is

	lookahead    = 200 * time.Millisecond // how long the backlog of a subscription should last
	pollInterval = 500 * time.Millisecond // between claims while nothing wakes the dispatcher
	errorPause   = 200 * time.Millisecond // after a database error
)

// Dispatcher sends the deliveries that are due.
type Dispatcher struct {
	shared        *pgxpool.Pool // of the server
	db            *pgxpool.Pool // of the dispatcher alone, while it runs
	seal          *Seal
	sender        *Sender
	subscriptions *subscriptions
	selectFaults  SelectFaults
	now           func() time.Time
	waker         *waker
	pollInterval  time.Duration
	results       chan result

	// Attempted is called after each attempt, unless it is nil. It must be set before Run.
	Attempted func(Outcome)

	writing sync.Mutex // held while deliveries are recorded or their leases renewed: both lock the same rows

	mu        sync.Mutex // guards the fields below
	scheduler scheduler
	held      map[uuid.UUID]lease     // by delivery: this server's claims
	injecting map[uuid.UUID][]claimed // by tenant whose faults are being selected: the deliveries that come next
	stored    map[uuid.UUID]int       // by tenant: bytes of responses stored since the last trim

	injections sync.WaitGroup
	workers    sync.WaitGroup
}

// NewDispatcher returns a dispatcher of the environment's deliveries. faults may be
// nil. now returns the real time.
func NewDispatcher(db *pgxpool.Pool, environment string, seal *Seal, sender *Sender, faults SelectFaults, now func() time.Time) *Dispatcher {
	return &Dispatcher{
		shared:        db,
		seal:          seal,
		sender:        sender,
		subscriptions: newSubscriptions(nil, seal, now),
		selectFaults:  faults,
		now:           now,
		waker:         newWaker(environment),
		pollInterval:  pollInterval,
		results:       make(chan result, maxBatch),
		scheduler:     newScheduler(),
		held:          map[uuid.UUID]lease{},
		injecting:     map[uuid.UUID][]claimed{},
		stored:        map[uuid.UUID]int{},
	}
}

// Wake makes this dispatcher and those of other servers look for due deliveries.
// Call it after the commit that made deliveries due.
func (d *Dispatcher) Wake() { d.waker.wakeAll() }

// SubscriptionsChanged makes the change of a subscription, or of all subscriptions or the
// settings of a tenant, take effect on the next delivery of this server. The id is that of the
// subscription or of the tenant. Other servers read subscriptions every half second.
func (d *Dispatcher) SubscriptionsChanged(id uuid.UUID) { d.subscriptions.changed(id) }

// InFlight returns how many deliveries this dispatcher is sending.
func (d *Dispatcher) InFlight() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.scheduler.inFlight
}

// PoolStat returns the statistics of the dispatcher's own connections; nil before Run.
func (d *Dispatcher) PoolStat() *pgxpool.Stat {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return nil
	}
	return d.db.Stat()
}

// Run sends due deliveries until ctx ends. Then it releases the claimed deliveries
// that are not in flight, and returns when those in flight are recorded. It can be
// called once.
func (d *Dispatcher) Run(ctx context.Context) error {
	// Attempts that have begun are finished and recorded even while the server
	// stops.
	attemptCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	config := d.shared.Config()
	storage.PlanLookups(config)
	own, err := pgxpool.NewWithConfig(attemptCtx, config)
	if err != nil {
		return fmt.Errorf("start dispatcher: %w", err)
	}
	d.mu.Lock()
	d.db = own
	d.mu.Unlock()
	defer d.db.Close()
	d.subscriptions.db = d.db
	var recorder, helpers sync.WaitGroup
	recorder.Go(func() { d.runRecorder(attemptCtx) })
	helpers.Go(func() { d.runRenewer(attemptCtx) })
	helpers.Go(func() { d.runTrimmer(attemptCtx) })
	helpers.Go(func() { d.runResponseTrimmer(attemptCtx) })
	helpers.Go(func() { d.runPurger(attemptCtx) })
	d.waker.start(attemptCtx, d.db, &helpers)

	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-d.waker.wakeups:
		case <-timer.C:
		}
		wait := d.pollInterval
		if err := d.claimMore(ctx, attemptCtx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "claiming deliveries failed", "err", err)
			wait = errorPause
		}
		timer.Reset(wait)
	}
	d.injections.Wait()
	d.releaseWaiting()
	d.workers.Wait()
	close(d.results)
	recorder.Wait()
	cancel()
	helpers.Wait()
	d.sender.transport.CloseIdleConnections()
	return nil
}

// claimMore claims as many deliveries as the quotas of the backlogs allow, and
// starts those that have a slot. It claims within ctx; attempts last for
// attemptCtx.
func (d *Dispatcher) claimMore(ctx, attemptCtx context.Context) error {
	now := d.now()
	quotas := d.claimQuotas(now)
	taken, err := claim(ctx, d.db, now, quotas, defaultQuota)
	if err != nil {
		return err
	}
	served := slices.Collect(maps.Keys(quotas))
	for _, delivery := range taken {
		served = append(served, delivery.HookID)
	}
	receivers, err := d.subscriptions.receivers(attemptCtx, served)
	if err != nil {
		slog.WarnContext(ctx, "reading receivers failed", "err", err) // each worker reads its subscription itself
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, delivery := range taken {
		d.held[delivery.ID] = lease{delivery.HookID, delivery.Attempt, now.Add(leaseDuration)}
	}
	d.scheduler.reserve(taken, quotas, receivers)
	d.scheduler.add(d.beginInjections(ctx, attemptCtx, taken))
	if len(taken) >= maxBatch {
		d.waker.wakeSelf() // the batch may not have included all subscriptions
	}
	d.startWorkers(attemptCtx)
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

// claimQuotas returns how many deliveries may be claimed for each subscription with
// a backlog.
func (d *Dispatcher) claimQuotas(now time.Time) map[uuid.UUID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	quotas := d.scheduler.quotas(now)
	d.subscriptions.evict(func(id uuid.UUID) bool { return d.scheduler.backlogs[id] != nil })
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
		if used.backlog.needsMore() {
			d.waker.wakeSelf()
		}
		held := d.held[delivery.ID]
		if held.attempt == delivery.Attempt && d.now().Before(held.until) {
			return delivery, used, true
		}
		if held.attempt == delivery.Attempt {
			delete(d.held, delivery.ID) // the lease has ended: another server may have claimed it
		}
		d.scheduler.free(used)
	}
}

// runWorker sends the delivery, and then others as long as one can start.
func (d *Dispatcher) runWorker(ctx context.Context, delivery claimed, used slot) {
	for ok := true; ok; {
		to, err := d.subscriptions.get(ctx, delivery)
		switch {
		case err != nil:
			slog.WarnContext(ctx, "delivery released: reading its subscription failed", "delivery", delivery.ID, "err", err)
			d.results <- releasedResult(delivery, d.now())
		case to.receiver != used.receiver.name && d.reschedule(delivery, used.backlog, to.receiver):
		default:
			d.results <- d.attempt(ctx, delivery, to)
		}
		d.mu.Lock()
		d.scheduler.free(used)
		used.backlog.finished++
		delivery, used, ok = d.nextHeld()
		d.startWorkers(ctx) // the free slot may let several deliveries start
		d.mu.Unlock()
	}
}

// reschedule returns the delivery to its backlog because the URL of its
// subscription now has another receiver. It returns false if the dispatcher is
// stopping.
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

// attempt makes one attempt, unless the subscription is inactive or its tenant
// collects deliveries instead of sending them.
func (d *Dispatcher) attempt(ctx context.Context, delivery claimed, to subscription) (r result) {
	begun, id := d.now(), AttemptID(delivery.ID, delivery.Attempt)
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "delivery attempt panicked", "delivery", delivery.ID, "panic", p, "stack", string(debug.Stack()))
			r = attemptResult(delivery, d.now(), Outcome{Failure: failedMalformed})
			r.attemptID, r.url = id, to.url
		}
	}()
	if !to.active || to.activation != delivery.Activation {
		return droppedResult(delivery, begun)
	}
	if to.collect {
		return collectedResult(delivery, begun)
	}
	body, err := delivery.body(ctx, d.db)
	if err != nil {
		slog.WarnContext(ctx, "delivery released: reading its body failed", "delivery", delivery.ID, "err", err)
		return releasedResult(delivery, begun)
	}
	if delivery.Traceparent != nil {
		ctx = tracing.Continue(ctx, *delivery.Traceparent)
	}
	ctx, span := tracing.StartSending(ctx, "delivery attempt")
	defer span.End()
	outcome := Outcome{Failure: failedSealed}
	if !to.unreadable {
		outcome = d.sender.Send(ctx, Message{
			URL: to.url, Header: to.header, Secret: to.secret,
			Event: delivery.Event, EventID: delivery.EventID, ID: id, Body: body, Faults: delivery.Faults,
		}, d.now).spoil(delivery.Faults)
	}
	if span != nil {
		span.Set(slog.Any("delivery", delivery.ID), slog.Any("delivery_id", id), slog.Any("hook_id", delivery.HookID), slog.String("event", delivery.Event),
			slog.Int("attempt", delivery.Attempt), slog.Int("status", outcome.Status), slog.String("failure", outcome.Failure))
		if !outcome.Succeeded() {
			span.Fail(outcome.Failure)
		}
	}
	if d.Attempted != nil {
		d.Attempted(outcome)
	}
	d.releaseHeld(ctx, delivery)
	slog.InfoContext(ctx, "delivery attempt",
		"delivery", delivery.ID, "delivery_id", id, "hook_id", delivery.HookID, "event", delivery.Event,
		"attempt", delivery.Attempt, "address", outcome.Address, "status", outcome.Status, "failure", outcome.Failure, "faults", delivery.Faults, "duration", outcome.Duration)
	r = attemptResult(delivery, begun, outcome)
	r.attemptID, r.url = id, to.url
	return r
}

// releaseWaiting releases the deliveries that wait for a slot, so that another
// server can claim them at once.
func (d *Dispatcher) releaseWaiting() {
	d.mu.Lock()
	waiting := d.scheduler.close()
	d.mu.Unlock()
	for _, delivery := range waiting {
		d.results <- releasedResult(delivery, d.now())
	}
}

// finish removes the claims on the deliveries of the batch whose results have been
// recorded. The results of locked deliveries have not been recorded yet. These deliveries
// count as in flight for their tenants, which limits their number.
func (d *Dispatcher) finish(ctx context.Context, batch, locked []result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	waiting := map[uuid.UUID]bool{}
	for i := range locked {
		r := &locked[i]
		if waiting[r.ID] = true; !r.postponed {
			r.postponed = true
			d.scheduler.tenant(r.TenantID).inFlight++
		}
	}
	for _, r := range batch {
		if waiting[r.ID] {
			continue
		}
		d.countResponse(r)
		if d.held[r.ID].attempt == r.Attempt {
			delete(d.held, r.ID)
		}
		if r.postponed {
			d.scheduler.unblockTenant(r.TenantID)
			d.startWorkers(ctx)
		}
	}
}
