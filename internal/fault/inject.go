package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/singleflight"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/call"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
)

// cacheTTL is how long cached faults are used: a fault that was created through
// another server acts within it.
const cacheTTL = 500 * time.Millisecond

// Injector applies faults to calls. It caches the faults of all tenants, so that a
// call of a tenant without faults costs no statement.
type Injector struct {
	db      storage.DB
	now     func() time.Time // real time
	loading singleflight.Group

	mu       sync.Mutex
	cached   map[uuid.UUID][]fault // by tenant; nil = must be loaded
	loadedAt time.Time
	version  int // number of calls of Refresh
}

// NewInjector returns an injector of the faults in the database. now returns the real
// time.
func NewInjector(db storage.DB, now func() time.Time) *Injector {
	return &Injector{db: db, now: now}
}

// Refresh clears the cache, so that a change takes effect on this server at once.
func (in *Injector) Refresh() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.cached = nil
	in.version++
}

// faultsOf returns the tenant's faults, the oldest first.
func (in *Injector) faultsOf(ctx context.Context, tenantID uuid.UUID) ([]fault, error) {
	now := in.now()
	in.mu.Lock()
	cached, loadedAt, version := in.cached, in.loadedAt, in.version
	in.mu.Unlock()
	if cached != nil && now.Sub(loadedAt).Abs() < cacheTTL {
		return cached[tenantID], nil
	}
	// One load serves all callers that wait for it, so none of them may cancel it.
	// Callers that come after a change start another one.
	loaded, err, _ := in.loading.Do(strconv.Itoa(version), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return storage.All[fault](ctx, in.db, `
			select `+columns+`
			from faults
			order by id`,
			pgx.StrictNamedArgs{})
	})
	if err != nil {
		return nil, fmt.Errorf("load faults: %w", err)
	}
	cached = map[uuid.UUID][]fault{}
	for _, f := range loaded.([]fault) {
		cached[f.TenantID] = append(cached[f.TenantID], f)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.version == version {
		in.cached, in.loadedAt = cached, now
	}
	return cached[tenantID], nil
}

// Intercept is the auth.Interceptor that applies the tenant's faults to a call, the
// oldest first. A fault that responds or drops the connection ends the call; after a
// fault that only delays the call, the next one can act. An *api.Error is the response
// of a fault.
func (in *Injector) Intercept(r *http.Request, tenant auth.Tenant) error {
	faults, err := in.faultsOf(r.Context(), tenant.ID)
	if err != nil {
		return err
	}
	for _, f := range faults {
		if f.Route == "" || f.expired(tenant.Time(in.now())) || !matches(f.Route, r.Method, r.URL.Path) {
			continue
		}
		acts, err := in.count(r.Context(), f, r.Method+" "+r.Pattern)
		if err != nil {
			return err
		}
		if !acts[0] {
			continue
		}
		if err := f.act(r); err != nil {
			return err
		}
	}
	return nil
}

// act delays the call, drops its connection or returns the response to it.
func (f fault) act(r *http.Request) error {
	record := call.From(r.Context())
	record.Faults = append(record.Faults, f.ID.String())
	record.ResponseHeader.Add("X-Fault", f.ID.String())
	if f.Delay > 0 {
		err := api.Delay(r.Context(), f.Delay)
		if errors.Is(err, api.ErrClientGone) {
			panic(http.ErrAbortHandler) // the client has disconnected
		}
		if err != nil {
			return err
		}
	}
	if f.Dropped {
		panic(http.ErrAbortHandler) // net/http drops the connection
	}
	if f.Status == nil {
		return nil
	}
	return f.response(r.URL.Path)
}

// response returns the fault's response. If the fault has no body, the response has
// the error body of the path's family.
func (f fault) response(path string) *api.Error {
	response := api.NewErrorBody(*f.Status, nil, "the tenant's fault "+f.ID.String()+" made this response")
	if response.Status == http.StatusTooManyRequests || response.Status == http.StatusServiceUnavailable {
		response.WithHeader("Retry-After", "1")
	}
	if f.Body != nil {
		response.Body = json.RawMessage(*f.Body)
		var text string
		if json.Unmarshal([]byte(*f.Body), &text) == nil && *f.Body != "null" {
			response.Body = api.Text(text)
		}
		return response
	}
	message := http.StatusText(response.Status)
	if response.Status == http.StatusInternalServerError {
		message = "Internal server error" // the service's spelling
	}
	response.Body = api.ErrorFormatOf(route.FamilyOf(path))(response.Status, message)
	return response
}
