package feed

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// pollInterval is the interval at which the feeds are checked while readers wait.
const pollInterval = 20 * time.Millisecond

// watchers wakes the readers in this process that wait for entries of a tenant,
// whichever server writes them. One check serves all readers; without readers there
// are no checks.
type watchers struct {
	feed   *Feed
	flush  func(context.Context) error
	ctx    context.Context // canceled by Close
	cancel context.CancelFunc

	mu      sync.Mutex
	waiting map[uuid.UUID]map[*Watch]struct{}
	polling bool
}

func newWatchers(feed *Feed, flush func(context.Context) error) watchers {
	ctx, cancel := context.WithCancel(context.Background())
	return watchers{feed: feed, flush: flush, ctx: ctx, cancel: cancel, waiting: map[uuid.UUID]map[*Watch]struct{}{}}
}

// Close ends all waiting. The feed can still be read.
func (w *watchers) Close() { w.cancel() }

// Closed returns a channel that is closed by Close.
func (w *watchers) Closed() <-chan struct{} { return w.ctx.Done() }

// Watch is a reader that waits for entries of a tenant.
type Watch struct {
	Grown chan struct{} // receives after the feed has grown

	watchers *watchers
	tenantID uuid.UUID
}

// Watch starts waiting for entries of a tenant. Read the feed once after Watch has
// returned: it signals only later entries.
func (w *watchers) Watch(tenantID uuid.UUID) *Watch {
	watch := &Watch{Grown: make(chan struct{}, 1), watchers: w, tenantID: tenantID}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[tenantID] == nil {
		w.waiting[tenantID] = map[*Watch]struct{}{}
	}
	w.waiting[tenantID][watch] = struct{}{}
	if !w.polling {
		w.polling = true
		go w.poll()
	}
	return watch
}

// Stop ends waiting.
func (watch *Watch) Stop() {
	w := watch.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting[watch.tenantID], watch)
	if len(w.waiting[watch.tenantID]) == 0 {
		delete(w.waiting, watch.tenantID)
	}
}

// poll checks for new entries at each pollInterval, until no reader waits.
func (w *watchers) poll() {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var checked uint64 // transactions before this one have been checked; 0 = none
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
		}
		tenants := w.tenants()
		if len(tenants) == 0 {
			return
		}
		grown, until, err := w.notify(tenants, checked)
		if err != nil {
			if w.ctx.Err() == nil {
				slog.Warn("checking feeds failed", "err", err)
			}
			continue
		}
		if checked == 0 {
			tenants = nil // nothing was checked: wake all readers
		}
		w.wake(tenants, grown)
		checked = until
	}
}

// tenants returns the tenants of all readers. If there are none, the next Watch
// starts polling again.
func (w *watchers) tenants() []uuid.UUID {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.polling = len(w.waiting) > 0
	return slices.Collect(maps.Keys(w.waiting))
}

// notify returns the tenants that have entries of the transactions from the given one
// on, and the transaction before which it checked. If from is 0, it returns no
// tenants.
func (w *watchers) notify(tenants []uuid.UUID, from uint64) (grown []uuid.UUID, until uint64, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
	defer cancel()
	if err := w.flush(ctx); err != nil {
		return nil, 0, err
	}
	until, err = w.feed.horizon(ctx)
	if err != nil || from == 0 || until == from {
		return nil, until, err
	}
	for _, source := range w.feed.sources {
		more, err := source.Grown(ctx, w.feed.db, tenants, Range{from, until})
		if err != nil {
			return nil, 0, err
		}
		grown = append(grown, more...)
	}
	return grown, until, nil
}

// wake wakes the readers of the tenants that have grown, and of tenants that were not
// checked because their readers started waiting later.
func (w *watchers) wake(checked, grown []uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for tenantID, watches := range w.waiting {
		if slices.Contains(checked, tenantID) && !slices.Contains(grown, tenantID) {
			continue
		}
		for watch := range watches {
			select {
			case watch.Grown <- struct{}{}:
			default:
			}
		}
	}
}
