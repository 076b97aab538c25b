package fault

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/singleflight"

	"understudy.example/internal/storage"
)

// cacheTTL is how long cached faults are used: a fault that was created through
// another server acts within it.
const cacheTTL = 500 * time.Millisecond

// Injector applies faults to calls. It caches which tenants have faults, so that a call
// of a tenant without faults executes no SQL statement. It also caches the faults of the
// tenants that make calls, without their bodies. So a tenant's faults delay only calls of
// that tenant.
type Injector struct {
	db      storage.DB       // for the faults of one tenant
	index   storage.DB       // for the tenants that have faults; loading the faults of a tenant never uses its connections
	now     func() time.Time // real time
	loading singleflight.Group

	mu        sync.Mutex
	tenants   map[uuid.UUID]*tenantFaults // those that have faults; nil = must be loaded
	loadedAt  time.Time
	version   int               // number of calls of Refresh
	refreshed map[uuid.UUID]int // by tenant that may have its first fault: the version of its last Refresh
}

// tenantFaults are the cached faults of a tenant.
type tenantFaults struct {
	turn     chan struct{} // holds an element while a call or a batch of deliveries of the tenant is being counted
	faults   []fault       // the oldest first
	loadedAt time.Time     // zero = must be loaded
	version  int           // of the last Refresh of the tenant
}

// fresh reports whether cached data that was loaded at the given time can still be used.
func fresh(loadedAt, now time.Time) bool {
	return !loadedAt.IsZero() && now.Sub(loadedAt).Abs() < cacheTTL
}

// NewInjector returns an injector of the faults in the database. It finds the tenants
// that have faults through index, which should have other connections than db. now
// returns the real time.
func NewInjector(db, index storage.DB, now func() time.Time) *Injector {
	return &Injector{db: db, index: index, now: now, refreshed: map[uuid.UUID]int{}}
}

// Refresh makes a change of the tenant's faults take effect on this server at once.
func (in *Injector) Refresh(tenantID uuid.UUID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.version++
	in.refreshed[tenantID] = in.version
	if in.tenants == nil {
		return
	}
	t := in.tenants[tenantID]
	if t == nil {
		t = &tenantFaults{turn: make(chan struct{}, 1)}
		in.tenants[tenantID] = t
	}
	t.faults, t.loadedAt = nil, time.Time{}
	t.version = in.version
}

// enter waits until no other call of the tenant is being counted. The caller must call
// leave.
func (in *Injector) enter(ctx context.Context, tenantID uuid.UUID) (leave func(), err error) {
	in.mu.Lock()
	t := in.tenants[tenantID]
	in.mu.Unlock()
	if t == nil {
		return func() {}, nil // its last fault has just been deleted
	}
	select {
	case t.turn <- struct{}{}:
		return func() { <-t.turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another call of the tenant to be counted: %w", ctx.Err())
	}
}

// faultsOf returns the tenant's faults without their bodies, the oldest first.
func (in *Injector) faultsOf(ctx context.Context, tenantID uuid.UUID) ([]fault, error) {
	now := in.now()
	in.mu.Lock()
	current := fresh(in.loadedAt, now)
	in.mu.Unlock()
	if !current {
		if _, err := in.once(ctx, "", func(ctx context.Context) ([]fault, error) { return nil, in.loadTenants(ctx, now) }); err != nil {
			return nil, fmt.Errorf("load tenants with faults: %w", err)
		}
	}
	in.mu.Lock()
	t := in.tenants[tenantID]
	if t == nil {
		in.mu.Unlock()
		return nil, nil
	}
	cached, loadedAt, version := t.faults, t.loadedAt, t.version
	in.mu.Unlock()
	if fresh(loadedAt, now) {
		return cached, nil
	}
	// Callers that come after a change start another load.
	loaded, err := in.once(ctx, fmt.Sprint(tenantID, version), func(ctx context.Context) ([]fault, error) {
		return in.load(ctx, tenantID, version, now)
	})
	if err != nil {
		return nil, fmt.Errorf("load faults: %w", err)
	}
	return loaded, nil
}

// once runs one load per key for all callers that wait for it. None of them can cancel
// it.
func (in *Injector) once(ctx context.Context, key string, load func(context.Context) ([]fault, error)) ([]fault, error) {
	loading := in.loading.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return load(ctx)
	})
	select {
	case loaded := <-loading:
		faults, _ := loaded.Val.([]fault)
		return faults, loaded.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// loadTenants finds the tenants that have faults, with one lookup in the index for each.
// It removes the faults that have not been used for a while from the cache.
func (in *Injector) loadTenants(ctx context.Context, now time.Time) error {
	in.mu.Lock()
	version := in.version
	in.mu.Unlock()
	ids, err := storage.IDs(ctx, in.index, `
		with recursive found as (
			(
				select tenant_id
				from faults
				order by tenant_id
				limit 1
			)
			union all
			select (
				select tenant_id
				from faults
				where tenant_id > found.tenant_id
				order by tenant_id
				limit 1
			)
			from found
			where found.tenant_id is not null
		)
		select tenant_id
		from found
		where tenant_id is not null`,
		pgx.StrictNamedArgs{})
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	before := in.tenants
	in.tenants, in.loadedAt = make(map[uuid.UUID]*tenantFaults, len(ids)), now
	for id, changed := range in.refreshed {
		if changed > version {
			ids = append(ids, id) // it may have got its first fault since the statement began
		} else {
			delete(in.refreshed, id)
		}
	}
	for _, id := range ids {
		t := before[id]
		if t == nil {
			t = &tenantFaults{turn: make(chan struct{}, 1)}
		}
		if !fresh(t.loadedAt, now) {
			t.faults, t.loadedAt = nil, time.Time{}
		}
		in.tenants[id] = t
	}
	return nil
}

// load loads the tenant's faults. They are cached unless Refresh has been called since
// the version.
func (in *Injector) load(ctx context.Context, tenantID uuid.UUID, version int, now time.Time) ([]fault, error) {
	loaded, err := storage.All[fault](ctx, in.db, `
		select `+columns+`, null as body
		from faults
		where tenant_id = @tenant_id
		order by id`,
		pgx.StrictNamedArgs{"tenant_id": tenantID})
	if err != nil {
		return nil, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if t := in.tenants[tenantID]; t != nil && t.version == version {
		t.faults, t.loadedAt = loaded, now
	}
	return loaded, nil
}
