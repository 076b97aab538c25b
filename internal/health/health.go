// Package health reports whether a server is alive and ready: whether its database, its
// object store and its parsers work.
package health

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/storage"
	"understudy.example/internal/version"
	"understudy.example/internal/worker"
)

type livenessBody struct {
	Status  string `json:"status"`
	Version string `json:"version"` // of the server
}

// Liveness is `GET /livez`: it responds as long as the process runs.
func Liveness(w http.ResponseWriter, _ *http.Request) error {
	return api.Write(w, http.StatusOK, livenessBody{"ok", version.String()})
}

const (
	// readyTimeout is how long a component may take to respond.
	readyTimeout = 2 * time.Second
	// degradedTime is how long the server stays ready without the object store or the
	// parsers. All servers share the object store, so they would otherwise all become
	// unavailable when it fails for a moment.
	degradedTime = time.Minute
)

// statusOK is the status of a component that works, and of a server whose components all
// work.
const statusOK = "ok"

// component is something without which the server cannot do its work.
type component struct {
	name     string
	required bool // without it, no call can succeed
	// check returns the status, and the error if that is not statusOK.
	check func(context.Context) (status string, err error)
	// successes returns how often the component has worked for calls or checks; nil if that is
	// not counted.
	successes func() int64
}

// outage is a time in which a component has not worked.
type outage struct {
	since     time.Time // when it was first found not to work
	successes int64     // at that time
}

// Health checks the components, and remembers how long they have not been working.
type Health struct {
	components []component
	stopping   func() bool
	now        func() time.Time

	mu      sync.Mutex
	outages map[string]outage // by name, of the components that do not work
}

// New returns the health of a server with these components. stopping reports whether the
// server is stopping, and now returns the real time.
func New(db *storage.Pools, objects *storage.Store, workers *worker.Pool, stopping func() bool, now func() time.Time) *Health {
	parsers, space := &cachedCheck{check: workers.Probe}, &cachedCheck{check: db.CheckSpace}
	return &Health{
		stopping: stopping, now: now, outages: map[string]outage{},
		components: []component{
			{"database", true, func(ctx context.Context) (string, error) {
				if _, err := db.Health.Exec(ctx, "select 1"); err != nil {
					return "unavailable", err
				}
				if !db.IsFull() {
					return statusOK, nil
				}
				err := space.result(ctx)
				return statusOr("full", err), err
			}, nil},
			{"object_store", false, func(ctx context.Context) (string, error) {
				err := objects.Ready(ctx)
				if store := new(storage.StoreError); errors.As(err, &store) {
					return store.State, err
				}
				return statusOr("failing", err), err
			}, func() int64 { return objects.Stats().Writes }},
			{"parsers", false, func(ctx context.Context) (string, error) {
				err := parsers.result(ctx)
				if errors.Is(err, context.DeadlineExceeded) {
					return "not responding", err
				}
				return statusOr("failing", err), err
			}, nil},
		},
	}
}

// statusOr returns statusOK if there is no error, and otherwise the given status.
func statusOr(status string, err error) string {
	if err == nil {
		return statusOK
	}
	return status
}

// readinessBody is the body of the responses of Readiness.
type readinessBody struct {
	Message    string                     `json:"message,omitempty"` // of a 503 response
	Status     string                     `json:"status"`            // ok, degraded or unavailable
	Components map[string]componentStatus `json:"components"`
}

type componentStatus struct {
	Status string    `json:"status"`
	Since  *api.Time `json:"since,omitempty"` // when it was first found not to work; nil if it works
}

// Readiness is `GET /readyz`: 200 while the server accepts calls. It is 503 while the
// server is stopping or cannot read or write its database, and after degradedTime
// without another component.
func (h *Health) Readiness(w http.ResponseWriter, r *http.Request) error {
	if h.stopping() {
		return unavailable(map[string]componentStatus{"server": {Status: "stopping"}})
	}
	// A client that gives up early says nothing about the components.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), readyTimeout)
	defer cancel()
	found := make([]componentStatus, len(h.components))
	var checks sync.WaitGroup
	for i, c := range h.components {
		checks.Go(func() {
			status, err := c.check(ctx)
			found[i] = h.record(ctx, c, status, err)
		})
	}
	checks.Wait()
	status, states := statusOK, map[string]componentStatus{}
	for i, c := range h.components {
		states[c.name] = found[i]
		switch since := found[i].Since; {
		case since == nil:
		case c.required, h.now().Sub(time.Time(*since)) >= degradedTime:
			status = "unavailable"
		case status == statusOK:
			status = "degraded"
		}
	}
	if status == "unavailable" {
		return unavailable(states)
	}
	return api.Write(w, http.StatusOK, readinessBody{Status: status, Components: states})
}

// record returns the component's status together with the time since when it has not
// been working, and logs when it stops or starts to work.
func (h *Health) record(ctx context.Context, c component, status string, err error) componentStatus {
	successes := int64(0)
	if c.successes != nil {
		successes = c.successes()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	current, failed := h.outages[c.name]
	if failed && (status == statusOK || successes > current.successes) {
		slog.InfoContext(ctx, "component works again", "component", c.name)
		delete(h.outages, c.name)
		failed = false
	}
	if status == statusOK {
		return componentStatus{Status: status}
	}
	if !failed {
		current = outage{h.now(), successes}
		h.outages[c.name] = current
		slog.WarnContext(ctx, "component is not ready", "component", c.name, "status", status, "err", err)
	}
	return componentStatus{status, (*api.Time)(&current.since)}
}

// unavailable returns the 503 response of a server with these components.
func unavailable(states map[string]componentStatus) *api.Error {
	var reasons []string
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if state := states[name]; state.Status != statusOK {
			reasons = append(reasons, "the "+strings.ReplaceAll(name, "_", " ")+" is "+state.Status)
		}
	}
	body := readinessBody{"Service Unavailable", "unavailable", states}
	return api.NewErrorBody(http.StatusServiceUnavailable, body, strings.Join(reasons, ", ")+": retry").WithHeader("Retry-After", "1")
}
