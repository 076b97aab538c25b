package main

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"
)

// logged gives every answer an X-Request-Id and writes a line for it. The
// query is left out: an upload's is a secret.
func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		id := uuid.Must(uuid.NewV7()).String() // those of one time lie together in an index
		answer := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		answer.Header().Set("X-Request-Id", id)
		defer func() {
			slog.InfoContext(r.Context(), "request",
				"method", r.Method, "path", r.URL.Path, "status", answer.Status(),
				"duration", time.Since(begun), "request_id", id)
		}()
		// An escape that need not be one names the same path: only an escaped
		// slash does not.
		if !strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") {
			r.URL.RawPath = ""
		}
		next.ServeHTTP(answer, r)
	})
}

// inFlight counts the requests that are being answered, so that a stopping
// server can wait for them.
type inFlight struct {
	mu       sync.Mutex
	count    int
	stopping bool
	idle     chan struct{} // closed once the server stops and no request is left
}

func newInFlight() *inFlight { return &inFlight{idle: make(chan struct{})} }

// Counted counts the handler's requests.
func (f *inFlight) Counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.add(1)
		defer f.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (f *inFlight) add(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count += n
	f.settle()
}

// Stop says that the server stops, and returns what closes when it is idle.
func (f *inFlight) Stop() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopping = true
	f.settle()
	return f.idle
}

// settle closes idle once, when the last request of a stopping server has ended.
func (f *inFlight) settle() {
	if !f.stopping || f.count > 0 {
		return
	}
	select {
	case <-f.idle:
	default:
		close(f.idle)
	}
}

// Stopping tells whether the server stops.
func (f *inFlight) Stopping() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stopping
}
