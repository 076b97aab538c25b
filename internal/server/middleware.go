package server

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"understudy.example/internal/call"
	"understudy.example/internal/tracing"
)

// maxMethod is the maximum length in bytes of the method of a call.
const maxMethod = 32

// observe is middleware that creates the record of every call, adds an X-Request-Id to
// its response, counts it in the metrics of the listener and logs a line for it. The
// line has no query, because the query of an upload is a secret. observe cuts long
// methods, because the line, the journal and the feed contain the method; no route has
// a long one.
func (a *App) observe(listener string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler { return a.observed(listener, next) }
}

func (a *App) observed(listener string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		r.Method = r.Method[:min(len(r.Method), maxMethod)]
		id := uuid.Must(uuid.NewV7()).String() // in time order, which keeps indexes dense
		response := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		response.Header().Set("X-Request-Id", id)
		record := &call.Record{ResponseHeader: response.Header(), Hints: a.Hints}
		ctx, span := r.Context(), (*tracing.Span)(nil)
		if !isMonitoring(r) {
			ctx, span = a.Tracer.StartCall(r)
		}
		r = r.WithContext(call.With(ctx, record))
		defer func() {
			took, pattern := time.Since(begun), chi.RouteContext(r.Context()).RoutePattern()
			a.Metrics.Request(listener, pattern, r.Method, response.Status(), took)
			span.EndCall(r.Method, pattern, response.Status())
			a.logRequest(r, record, slog.Int("status", response.Status()), slog.Duration("duration", took), slog.String("request_id", id))
		}()
		// The router matches RawPath. Only an escaped slash makes it differ from
		// Path in meaning.
		if !strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") {
			r.URL.RawPath = ""
		}
		next.ServeHTTP(response, r)
	})
}

// Requests counts the requests in flight, so that a stopping server can wait for
// them.
type Requests struct {
	mu       sync.Mutex
	inFlight int
	stopping bool
	draining bool
	drained  chan struct{} // closed once draining is true and no request is in flight
}

func newRequests() *Requests { return &Requests{drained: make(chan struct{})} }

// count counts the handler's requests. While the server is stopping, responses close
// their connections, so that clients connect again, to another server.
func (r *Requests) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.add(1)
		defer r.add(-1)
		if r.Stopping() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, request)
	})
}

func (r *Requests) add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight += n
	r.closeIfDrained()
}

// Announce marks the server as stopping, although it still accepts requests.
func (r *Requests) Announce() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
}

// Stop marks the server as stopping and returns a channel that is closed once no
// request is in flight.
func (r *Requests) Stop() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping, r.draining = true, true
	r.closeIfDrained()
	return r.drained
}

// closeIfDrained closes drained when the last request has ended after Stop was called.
// r.mu is held.
func (r *Requests) closeIfDrained() {
	if !r.draining || r.inFlight > 0 {
		return
	}
	select {
	case <-r.drained:
	default:
		close(r.drained)
	}
}

// Stopping reports whether the server is stopping.
func (r *Requests) Stopping() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopping
}

// InFlight returns how many requests are in flight.
func (r *Requests) InFlight() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inFlight
}
