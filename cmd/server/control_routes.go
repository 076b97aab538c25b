package main

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/control"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
)

// clockTimeout is how long moving a clock may take: documents may have to be
// read on the way.
const clockTimeout = 5 * time.Minute

// awaitTimeout is how long a call that waits for an event may take.
const awaitTimeout = control.MaxWithin + timeout

// controlBase is where the control API begins.
const controlBase = "/control/v1"

// rooms are the families of rows that a tenant's clock moves and a reset drops.
var rooms = []control.Room{control.Submissions, control.Hooks, control.Watched}

// controlRoutes is what the control listener serves: the control API, a line
// per endpoint.
func controlRoutes(p parts) http.Handler {
	journal := p.observer.journal
	r := chi.NewRouter()
	r.Use(logged)
	healthRoutes(r, p)
	r.NotFound(control.Unknown)

	r.Route(controlBase, func(r chi.Router) {
		r.Use(p.requests.Counted, control.Guard(p.access))
		r.NotFound(control.Unknown)
		r.MethodNotAllowed(wrongMethod(r))
		handle := func(pattern string, h api.Handler) {
			r.Handle(pattern, api.Serve(api.MessageErrors, storage.Unavailable, api.WithTimeout(timeout, h)))
		}
		handle("GET /tenants", control.Tenants(p.db, p.gate))
		handle("POST /tenants", control.MakeTenant(p.db, p.gate))
		handle("GET /tenants/{t}", control.Tenant(p.db, p.gate))
		handle("DELETE /tenants/{t}", control.DeleteTenant(p.db, p.gate, p.objects))
		handle("POST /tenants/{t}/reset", control.Flushed(journal, control.ResetTenant(p.db, p.gate, p.objects, rooms)))

		handle("GET /tenants/{t}/settings", control.Settings(p.db))
		handle("PATCH /tenants/{t}/settings", control.ChangeSettings(p.db, p.gate))
		handle("GET /tenants/{t}/clock", control.Clock(p.db, p.gate))
		r.Handle("POST /tenants/{t}/clock", api.Serve(api.MessageErrors, storage.Unavailable,
			api.WithTimeout(clockTimeout, control.Flushed(journal, control.MoveClock(p.db, p.gate, p.wake, rooms)))))

		handle("GET /tenants/{t}/packages", control.Packages(p.db))
		handle("POST /tenants/{t}/packages", control.AddPackage(p.db))
		handle("DELETE /tenants/{t}/packages/{id}", control.DropPackage(p.db))

		handle("GET /tenants/{t}/outcomes", control.Outcomes(p.db))
		handle("PUT /tenants/{t}/outcomes", control.PutOutcome(p.db, p.gate))
		handle("DELETE /tenants/{t}/outcomes", control.DropOutcomes(p.db))

		handle("GET /tenants/{t}/transactions", control.Transactions(p.db))
		handle("GET /tenants/{t}/transactions/{tx_id}", control.Transaction(p.db))

		handle("GET /tenants/{t}/deliveries", control.Deliveries(p.db, p.sender, p.seal))
		handle("POST /tenants/{t}/deliveries/{id}/redeliver", control.Redeliver(p.db, p.gate, p.wake))
		handle("POST /tenants/{t}/events", control.FireEvent(p.db, p.gate, p.wake))
		prober := hooks.NewProber(p.sender, p.gate.Now)
		r.Handle("POST /tenants/{t}/probe", api.Serve(api.MessageErrors, storage.Unavailable,
			api.WithTimeoutWhileConnected(prober.Patience()+timeout, control.Probe(p.db, p.gate, prober))))

		handle("POST /tenants/{t}/faults", control.AddFault(p.db, p.gate, p.observer.faults, knownTo(routes(p))))
		handle("GET /tenants/{t}/faults", control.ListFaults(p.db))
		handle("DELETE /tenants/{t}/faults", control.DeleteFaults(p.db, p.observer.faults))
		handle("DELETE /tenants/{t}/faults/{id}", control.DeleteFaults(p.db, p.observer.faults))

		handle("GET /tenants/{t}/requests", control.Flushed(journal, control.Requests(p.db)))
		handle("GET /tenants/{t}/requests/{id}", control.Flushed(journal, control.Request(p.db)))
		handle("GET /tenants/{t}/findings", control.Flushed(journal, control.Findings(p.db, p.gate)))
		// Whoever waits may wait longer than an answer may take to make.
		r.Handle("GET /tenants/{t}/await", api.Serve(api.MessageErrors, storage.Unavailable,
			api.WithTimeoutWhileConnected(awaitTimeout, control.Flushed(journal, control.Await(p.db, p.observer.hub)))))
		r.Handle("GET /tenants/{t}/stream", api.Serve(api.MessageErrors, storage.Unavailable, control.Stream(p.db, p.observer.hub)))

		handle("GET /", control.Whereabouts(p.publicURL, p.apiURL))
		handle("GET /openapi.json", control.Describe())
		handle("GET /fidelity", control.Fidelity())
	})
	return r
}

// wrongMethod answers a path of the control API that has other methods.
func wrongMethod(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path, _ := strings.CutPrefix(r.URL.Path, controlBase)
		var allowed []string
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if routes.Match(chi.NewRouteContext(), method, path) {
				allowed = append(allowed, method)
			}
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		api.Write(w, http.StatusMethodNotAllowed, api.MessageErrors(http.StatusMethodNotAllowed, "Method Not Allowed")) // the connection is gone
	}
}
