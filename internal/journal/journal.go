// Package journal records the calls that the tenants' clients make, with their
// secrets masked, lists them, and derives findings about the clients from them. It
// does not know what the calls do.
package journal

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
)

// MaxBody is the number of bytes of a request's or response's body that are stored.
const MaxBody = 64 << 10

const (
	writeDelay    = 500 * time.Millisecond // how long a batch waits for more calls, unless Flush is called
	batchCalls    = 2000                   // calls per batch
	batchBytes    = 8 << 20                // bytes per batch
	maxQueueBytes = 64 << 20               // calls beyond this are lost

	// Shares of the queue: that of a tenant, that of its unauthenticated calls, which
	// anybody can make, and that of all calls that cannot be attributed to a tenant. They
	// limit how long the calls of others wait to be written.
	maxTenantBytes          = 16 << 20
	maxUnauthenticatedBytes = 4 << 20
)

// Journal records calls. A goroutine writes them in batches, after writeDelay at the
// latest. Flush makes it write at once, and waits for it.
type Journal struct {
	IsSecret IsSecret // finds the secrets that clients send in wrong places; nil = none is found

	db        storage.DB
	now       func() time.Time
	attribute []Attribution
	wake      chan struct{} // calls are queued
	writeNow  chan struct{} // Flush waits, or a batch is full
	stop      chan struct{}
	stopped   chan struct{}
	abandon   chan struct{} // closed when Close no longer waits for the queue to be written
	stopOnce  sync.Once

	mu         sync.Mutex
	queue      []*row
	queueBytes int64
	shares     map[queueShare]int64 // bytes of each share in the queue
	postponed  []*row               // rows of tenants that were locked when they were to be written, in order
	added      int                  // number of rows queued so far
	done       int                  // number of rows written or lost so far
	lost       int                  // number of rows lost so far
	dropped    int                  // number of rows lost because the queue was full, and not logged yet
	loggedAt   time.Time            // when dropped rows were last logged
	begun      int                  // number of batches begun so far
	ended      int                  // number of batches ended so far
	writing    time.Time            // when the first row of the batch that is being written was queued; zero if there is none
	changed    chan struct{}        // closed and replaced whenever a batch ends

	usage map[uuid.UUID]journalUsage // used only by the goroutine that writes
}

// queueShare identifies a share of the queue.
type queueShare struct {
	tenantID        uuid.UUID
	unauthenticated bool
}

func (r *row) share() queueShare { return queueShare{r.tenantID, r.unauthenticated} }

// Attribution attributes a call to a tenant, if no handler has done so, and sets the
// tenant in the record of the call. body is the first part of the request's body.
type Attribution func(ctx context.Context, r *http.Request, body []byte) error

// unattributed is the tenant_id of the calls that cannot be attributed to a tenant.
var unattributed = uuid.Nil

// New returns a journal that writes until it is closed. now returns the real time. The
// attributions are tried in order.
func New(db storage.DB, now func() time.Time, attribute ...Attribution) *Journal {
	j := &Journal{
		db: db, now: now, attribute: attribute,
		wake: make(chan struct{}, 1), writeNow: make(chan struct{}, 1),
		stop: make(chan struct{}), stopped: make(chan struct{}), abandon: make(chan struct{}),
		changed: make(chan struct{}),
		usage:   map[uuid.UUID]journalUsage{},
		shares:  map[queueShare]int64{},
	}
	go j.run()
	return j
}

// add queues a call.
func (j *Journal) add(r *row) {
	j.mu.Lock()
	share := int64(maxTenantBytes)
	if r.tenantID == unattributed || r.unauthenticated {
		share = maxUnauthenticatedBytes
	}
	used := j.shares[r.share()]
	lost := j.queueBytes > 0 && j.queueBytes+r.size > maxQueueBytes || used > 0 && used+r.size > share
	toLog := 0
	if lost {
		j.lost++
		j.dropped++
		toLog = j.takeDropped()
	} else {
		r.queuedAt = j.now()
		j.queue = append(j.queue, r)
		j.queueBytes += r.size
		j.shares[r.share()] += r.size
		j.added++
	}
	full := len(j.queue) >= batchCalls || j.queueBytes >= batchBytes
	j.mu.Unlock()
	logDropped(toLog)
	if lost {
		return
	}
	signal(j.wake)
	if full {
		signal(j.writeNow)
	}
}

// dropLogInterval is the minimum time between two lines of the log about rows that were dropped. A
// flood of calls can drop thousands of rows per second.
const dropLogInterval = time.Second

// takeDropped returns the number of dropped rows to be logged now. j.mu is held.
func (j *Journal) takeDropped() (n int) {
	now := j.now()
	if j.dropped == 0 || now.Sub(j.loggedAt).Abs() < dropLogInterval {
		return 0
	}
	n, j.dropped, j.loggedAt = j.dropped, 0, now
	return n
}

func logDropped(n int) {
	if n > 0 {
		slog.Error("calls not recorded in the journal: the queue is full", "count", n)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Flush returns once all calls that were recorded before it are written, except those of
// tenants that are being deleted or reset meanwhile.
func (j *Journal) Flush(ctx context.Context) error {
	j.mu.Lock()
	target, begun := j.added, j.begun
	j.mu.Unlock()
	for {
		j.mu.Lock()
		done := j.done+len(j.postponed) >= target && (len(j.postponed) == 0 || j.ended > begun)
		changed := j.changed
		j.mu.Unlock()
		if done {
			return nil
		}
		signal(j.writeNow)
		select {
		case <-changed:
		case <-j.stopped:
			return errors.New("journal is closed")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// WithFlush returns a handler that calls Flush first.
func (j *Journal) WithFlush(handler api.Handler) api.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := j.Flush(r.Context()); err != nil {
			return err
		}
		return handler(w, r)
	}
}

// Close writes the queued calls and stops the journal. When ctx ends, the calls that
// are not written yet are lost.
func (j *Journal) Close(ctx context.Context) {
	j.stopOnce.Do(func() {
		close(j.stop)
		select {
		case <-j.stopped:
		case <-ctx.Done():
			close(j.abandon)
		}
	})
}

// run writes batches until the journal is closed. Postponed rows are retried with each
// batch, and every writeDelay.
func (j *Journal) run() {
	defer close(j.stopped)
	for stopping := false; ; {
		var retry <-chan time.Time
		if j.hasPostponed() {
			retry = time.After(writeDelay)
		}
		waits := false
		select {
		case <-j.wake:
			waits = !stopping
		case <-j.writeNow:
		case <-retry:
		case <-j.stop:
			stopping = true
		}
		if waits {
			timer := time.NewTimer(writeDelay)
			select {
			case <-timer.C:
			case <-j.writeNow:
			case <-j.stop:
			}
			timer.Stop()
		}
		for more := true; more; {
			var batch []*row
			batch, more = j.nextBatch()
			j.endBatch(batch, j.writeWithRetry(batch))
		}
		if stopping && j.waitToStop() {
			return
		}
	}
}

func (j *Journal) hasPostponed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.postponed) > 0
}

// waitToStop reports whether a journal that is being closed has nothing left to write. If
// rows are postponed, it first waits a moment for their tenants to be unlocked. The rows
// are lost if the journal is abandoned.
func (j *Journal) waitToStop() bool {
	if !j.hasPostponed() {
		return true
	}
	select {
	case <-time.After(writeDelay / 10):
		return false
	case <-j.abandon:
		j.mu.Lock()
		defer j.mu.Unlock()
		j.lost += len(j.postponed)
		slog.Error("calls not recorded in the journal", "count", len(j.postponed), "err", errTenantsLocked)
		return true
	}
}

var errTenantsLocked = errors.New("their tenants are being deleted or reset")

// nextBatch removes the rows of the next batch from the queue, and returns them after the
// rows that were postponed. more reports whether the queue has others.
func (j *Journal) nextBatch() (batch []*row, more bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, size := 0, int64(0)
	for n < len(j.queue) && n < batchCalls && size < batchBytes {
		size += j.queue[n].size
		j.release(j.queue[n])
		n++
	}
	batch = append(slices.Clip(j.postponed), j.queue[:n]...)
	j.begun++
	if len(batch) > 0 {
		j.writing = batch[0].queuedAt
	}
	if j.queue = j.queue[n:]; len(j.queue) == 0 {
		j.queue = nil
	}
	return batch, len(j.queue) > 0
}

// endBatch ends a batch. The rows that were postponed count towards the limits of the
// queue until they are written.
func (j *Journal) endBatch(batch, postponed []*row) {
	toLog := 0
	defer func() { logDropped(toLog) }() // without the lock
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.postponed {
		j.release(r)
	}
	for _, r := range postponed {
		j.queueBytes += r.size
		j.shares[r.share()] += r.size
	}
	j.done += len(batch) - len(postponed)
	j.postponed = postponed
	j.ended++
	toLog = j.takeDropped()
	j.writing = time.Time{}
	close(j.changed)
	j.changed = make(chan struct{})
}

// release stops counting a row towards the limits of the queue. j.mu is held.
func (j *Journal) release(r *row) {
	j.queueBytes -= r.size
	if j.shares[r.share()] -= r.size; j.shares[r.share()] == 0 {
		delete(j.shares, r.share())
	}
}

// lose counts rows that cannot be written.
func (j *Journal) lose(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost += n
}

// Stats describes the queue of a journal.
type Stats struct {
	Lost        int           // calls that could not be written so far
	Queued      int           // calls that are not written yet
	QueuedBytes int64         // size of the calls in the queue, without those being written
	Lag         time.Duration // how long the oldest call that is not written has been queued
}

// Stats returns the present state of the queue.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	stats := Stats{Lost: j.lost, Queued: j.added - j.done, QueuedBytes: j.queueBytes}
	oldest := j.writing
	switch {
	case !oldest.IsZero():
	case len(j.postponed) > 0:
		oldest = j.postponed[0].queuedAt
	case len(j.queue) > 0:
		oldest = j.queue[0].queuedAt
	}
	if !oldest.IsZero() {
		stats.Lag = j.now().Sub(oldest)
	}
	return stats
}
