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
	var checked map[uuid.UUID]uint64 // for each tenant, transactions before this one have been checked
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
		grown, until, err := w.grown(tenants, checked)
		if err != nil {
			if w.ctx.Err() == nil {
				slog.Warn("checking feeds failed", "err", err)
			}
			continue
		}
		w.wake(grown)
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

// grown returns the tenants that have entries of transactions that have not been checked.
// For each tenant, it also returns the transaction before which all others have now been
// checked. A tenant that has not been checked before counts as grown.
func (w *watchers) grown(tenants []uuid.UUID, checked map[uuid.UUID]uint64) (grown []uuid.UUID, until map[uuid.UUID]uint64, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
	defer cancel()
	if err := w.flush(ctx); err != nil {
		return nil, nil, err
	}
	until, err = w.feed.horizons(ctx, tenants)
	if err != nil {
		return nil, nil, err
	}
	unchecked := Ranges{}
	for tenantID, end := range until {
		if from, known := checked[tenantID]; !known {
			grown = append(grown, tenantID)
		} else if from < end {
			unchecked[tenantID] = Range{from, end}
		}
	}
	if len(unchecked) == 0 {
		return grown, until, nil
	}
	for _, source := range w.feed.sources {
		more, err := source.Grown(ctx, w.feed.db, unchecked)
		if err != nil {
			return nil, nil, err
		}
		grown = append(grown, more...)
	}
	return grown, until, nil
}

// wake wakes the readers of the tenants.
func (w *watchers) wake(tenants []uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, tenantID := range tenants {
		for watch := range w.waiting[tenantID] {
			select {
			case watch.Grown <- struct{}{}:
			default:
			}
		}
	}
}
