package feed

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"understudy.example/internal/storage"
)

// look is how often a hub looks for new entries while somebody waits.
const look = 20 * time.Millisecond

// Hub tells those who wait in this process that a tenant's feed has grown,
// whichever server made it grow. However many wait, one query serves them all,
// and none is made while nobody does.
type Hub struct {
	db    storage.DB
	flush func(context.Context) error
	stop  context.Context
	end   context.CancelFunc

	mu      sync.Mutex
	waiting map[uuid.UUID]map[*Watch]struct{}
	looking bool
}

// NewHub returns a hub that works until it is closed. flush writes what this
// process holds back of the feed while nobody waits for it.
func NewHub(db storage.DB, flush func(context.Context) error) *Hub {
	stop, end := context.WithCancel(context.Background())
	return &Hub{db: db, flush: flush, stop: stop, end: end, waiting: map[uuid.UUID]map[*Watch]struct{}{}}
}

// Close ends all waiting.
func (h *Hub) Close() { h.end() }

// Done is closed when the hub is.
func (h *Hub) Done() <-chan struct{} { return h.stop.Done() }

// Watch is one who waits for a tenant.
type Watch struct {
	Grown chan struct{} // receives after the feed has grown

	hub      *Hub
	tenantID uuid.UUID
}

// Watch begins to wait for a tenant. What can be read before needs reading
// once it has returned; what comes later is told.
func (h *Hub) Watch(tenantID uuid.UUID) *Watch {
	w := &Watch{Grown: make(chan struct{}, 1), hub: h, tenantID: tenantID}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[tenantID] == nil {
		h.waiting[tenantID] = map[*Watch]struct{}{}
	}
	h.waiting[tenantID][w] = struct{}{}
	if !h.looking {
		h.looking = true
		go h.run()
	}
	return w
}

// Stop ends the waiting.
func (w *Watch) Stop() {
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting[w.tenantID], w)
	if len(h.waiting[w.tenantID]) == 0 {
		delete(h.waiting, w.tenantID)
	}
}

// run looks for new entries for as long as anybody waits.
func (h *Hub) run() {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var next uint64 // the first transaction not yet looked at; 0 = all are new
	for {
		select {
		case <-h.stop.Done():
			return
		case <-tick.C:
		}
		waiting := h.tenants()
		if len(waiting) == 0 {
			return
		}
		if next == 0 {
			waiting = nil
		}
		grown, end, err := h.grown(waiting, next)
		if err != nil {
			if h.stop.Err() == nil {
				slog.Warn("feed not read", "err", err)
			}
			continue
		}
		h.tell(waiting, grown)
		next = end
	}
}

// tenants are those waited for; when there are none, the next who waits starts
// anew.
func (h *Hub) tenants() []uuid.UUID {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looking = len(h.waiting) > 0
	return slices.Collect(maps.Keys(h.waiting))
}

// grown returns those of the tenants that have entries of transactions from
// next on, as far as they can be read, and the first transaction that can't.
func (h *Hub) grown(tenants []uuid.UUID, next uint64) (grown []uuid.UUID, end uint64, err error) {
	ctx, cancel := context.WithTimeout(h.stop, 5*time.Second)
	defer cancel()
	if err := h.flush(ctx); err != nil {
		return nil, 0, err
	}
	row, err := storage.One[struct {
		Tenants []uuid.UUID
		Next    uint64
	}](ctx, h.db, `
		select
			pg_snapshot_xmin(pg_current_snapshot()) as next,
			array(
				select waiting.id
				from unnest(@tenants::uuid[]) waiting (id)
				where exists(
					select from happened
					where tenant_id = waiting.id
					and xid >= @next::text::xid8
					and xid < pg_snapshot_xmin(pg_current_snapshot())
				)
			) as tenants`,
		pgx.StrictNamedArgs{"tenants": tenants, "next": strconv.FormatUint(next, 10)})
	return row.Tenants, row.Next, err
}

// tell wakes who waits for a tenant that has grown, or that was not asked for
// because somebody has only just begun to wait for it.
func (h *Hub) tell(asked, grown []uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for tenantID, watches := range h.waiting {
		if slices.Contains(asked, tenantID) && !slices.Contains(grown, tenantID) {
			continue
		}
		for w := range watches {
			select {
			case w.Grown <- struct{}{}:
			default:
			}
		}
	}
}
