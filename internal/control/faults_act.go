package control

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/singleflight"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/storage"
)

// fresh is how long the list of faults read earlier is believed: what was
// ordered on another server acts within it.
const fresh = 500 * time.Millisecond

// Faults acts on calls as the tenants' tests have ordered. It remembers all
// tenants' faults, so that the calls of a tenant without any cost nothing.
type Faults struct {
	db      storage.DB
	now     func() time.Time // real time
	reading singleflight.Group

	mu         sync.Mutex
	known      map[uuid.UUID][]fault // by tenant; nil = must be read
	read       time.Time
	generation int
}

// NewFaults returns the faults that the database holds. now is real time.
func NewFaults(db storage.DB, now func() time.Time) *Faults { return &Faults{db: db, now: now} }

// Forget has the faults read anew: what was changed acts at once on this server.
func (f *Faults) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known = nil
	f.generation++
}

// of returns the tenant's faults in the order in which they are asked.
func (f *Faults) of(ctx context.Context, tenantID uuid.UUID) ([]fault, error) {
	now := f.now()
	f.mu.Lock()
	known, read, generation := f.known, f.read, f.generation
	f.mu.Unlock()
	if known != nil && now.Sub(read).Abs() < fresh {
		return known[tenantID], nil
	}
	// One read serves all that wait for it, so none may end it by leaving; but
	// not those who come after a change.
	list, err, _ := f.reading.Do(strconv.Itoa(generation), func() (any, error) {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer stop()
		return storage.All[fault](ctx, f.db, `
			select `+faultColumns+`
			from faults
			order by id`,
			pgx.StrictNamedArgs{})
	})
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	known = map[uuid.UUID][]fault{}
	for _, one := range list.([]fault) {
		known[one.TenantID] = append(known[one.TenantID], one)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.generation == generation {
		f.known, f.read = known, now
	}
	return known[tenantID], nil
}

// Act asks the tenant's faults, in the order of their making, whether the call
// is theirs. One that answers or drops the call ends the asking; one that only
// delays it lets the call go on to the next. So faults made one after the other
// act one after the other. An *api.Error is the fault's answer.
func (f *Faults) Act(r *http.Request, tenant auth.Tenant) error {
	list, err := f.of(r.Context(), tenant.ID)
	if err != nil {
		return err
	}
	for _, one := range list {
		if one.ExpiresAt != nil && !tenant.Time(f.now()).Before(*one.ExpiresAt) || !matches(one.Route, r.Method, r.URL.Path) {
			continue
		}
		turn, err := f.count(r, tenant, one)
		if err != nil {
			return err
		}
		if !turn {
			continue
		}
		if err := one.act(r); err != nil {
			return err
		}
	}
	return nil
}

// count counts the call and tells whether it is one that the fault acts on.
// The row's lock numbers the calls, whichever server they came to.
func (f *Faults) count(r *http.Request, tenant auth.Tenant, one fault) (bool, error) {
	route := r.Method + " " + r.Pattern
	counted, err := storage.One[struct{ Calls, OfRoute int64 }](r.Context(), f.db, `
		update faults
		set calls = calls + 1,
			route_calls = jsonb_set(route_calls, array[@route::text],
				to_jsonb(coalesce((route_calls ->> @route::text)::bigint, 0) + 1))
		where tenant_id = @tenant_id
		and id = @id
		returning calls, (route_calls ->> @route::text)::bigint as of_route`,
		pgx.StrictNamedArgs{"tenant_id": tenant.ID, "id": one.ID, "route": route})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil // deleted
	}
	if err != nil {
		return false, fmt.Errorf("count call: %w", err)
	}
	if !one.turn(counted.Calls) || !one.chance(tenant.Name, route, counted.OfRoute) {
		return false, nil
	}
	if _, err := f.db.Exec(r.Context(), `
		update faults
		set acted = acted + 1
		where tenant_id = @tenant_id
		and id = @id`,
		pgx.StrictNamedArgs{"tenant_id": tenant.ID, "id": one.ID}); err != nil {
		return false, fmt.Errorf("count fault: %w", err)
	}
	return true, nil
}

// turn tells whether the fault acts on the call of this number.
func (f fault) turn(number int64) bool {
	return (f.Times == nil || number <= *f.Times) && (f.Every == nil || number%*f.Every == 0)
}

// chance decides by lot: the same seed, tenant, route and number of the
// route's call decide the same, in whatever order the calls run.
func (f fault) chance(tenant, route string, number int64) bool {
	if f.Probability == nil {
		return true
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d", f.Seed, tenant, route, number))
	return float64(binary.BigEndian.Uint64(digest[:8])>>11)/(1<<53) < *f.Probability
}

// act does to the call what was ordered.
func (f fault) act(r *http.Request) error {
	call := api.CallOf(r.Context())
	call.Faults = append(call.Faults, f.ID.String())
	call.Answer.Add("X-Fault", f.ID.String())
	if f.Delay > 0 {
		err := api.Delay(r.Context(), f.Delay)
		if errors.Is(err, api.ErrClientGone) {
			panic(http.ErrAbortHandler) // there is nobody to answer
		}
		if err != nil {
			return err
		}
	}
	if f.Dropped {
		panic(http.ErrAbortHandler) // net/http's way to cut the connection
	}
	if f.Status == nil {
		return nil
	}
	return f.refusal(r.URL.Path)
}

// refusal is the fault's answer; without a body of its own, the one that the
// path's family would give.
func (f fault) refusal(path string) *api.Error {
	answer := &api.Error{Status: *f.Status, Header: http.Header{}}
	if answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable {
		answer.Header.Set("Retry-After", "1")
	}
	if f.Body != nil {
		answer.Body = json.RawMessage(*f.Body)
		var text string
		if json.Unmarshal([]byte(*f.Body), &text) == nil && *f.Body != "null" {
			answer.Body = api.Text(text)
		}
		return answer
	}
	message := http.StatusText(answer.Status)
	if answer.Status == http.StatusInternalServerError {
		message = "Internal server error" // as ours is written
	}
	answer.Body = formOf(path)(answer.Status, message)
	return answer
}

// formOf is the form of the errors of the path's family.
func formOf(path string) api.ErrorFormat {
	switch {
	case strings.HasPrefix(path, "/auth/"):
		return api.OAuthErrors
	case path == "/hooks" || strings.HasPrefix(path, "/hooks/"):
		return api.HookErrors
	}
	return api.MessageErrors
}

// splitRoute splits "METHOD /path" or "/path".
func splitRoute(route string) (method, path string) {
	if method, path, ok := strings.Cut(route, " "); ok {
		return method, path
	}
	return "", route
}

// matches tells whether a call is one of the route: "*", or a path whose
// parameters may stand in braces, and whose last part may be * for all below
// it, with or without a method before it.
func matches(route, method, path string) bool {
	if route == "*" {
		return true
	}
	only, pattern := splitRoute(route)
	if only != "" && only != method {
		return false
	}
	if below, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(path, below+"/")
	}
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		parameter := strings.HasPrefix(want[i], "{") && strings.HasSuffix(want[i], "}")
		if want[i] != got[i] && !parameter {
			return false
		}
	}
	return true
}
