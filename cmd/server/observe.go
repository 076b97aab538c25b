package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/control"
	"understudy.example/internal/feed"
	"understudy.example/internal/storage"
)

// observer is what watches the API's calls from outside the handlers: the
// faults that act on them, the journal that keeps them, and those who wait for
// what they bring about.
type observer struct {
	faults  *control.Faults
	journal *control.Journal
	hub     *feed.Hub
	now     func() time.Time
}

// newObserver returns an observer that works until it is stopped, and has the
// gate show it whose each call is.
func newObserver(db storage.DB, gate *auth.Gate) *observer {
	journal := control.NewJournal(db)
	o := &observer{
		faults:  control.NewFaults(db, gate.Now),
		journal: journal,
		hub:     feed.NewHub(db, journal.Flush),
		now:     gate.Now,
	}
	gate.OnCall(o.faults.Act)
	return o
}

// Stop ends all waiting, and keeps what is left to keep.
func (o *observer) Stop(ctx context.Context) {
	o.hub.Close()
	o.journal.Close(ctx)
}

// Observed has the journal keep every call whose tenant can be told.
func (o *observer) Observed(next http.Handler) http.Handler {
	if o.journal == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := o.now()
		call := &api.Call{Answer: w.Header()}
		r = r.WithContext(api.WithCall(r.Context(), call))
		question := &copied{keep: keepsBody(r)}
		r.Body = copying{r.Body, question}
		answer := &copied{keep: control.KeptBody}
		out := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		out.Tee(answer)
		defer func() {
			if call.TenantID == uuid.Nil {
				return
			}
			o.journal.Add(control.Exchange{
				Call: call, ID: w.Header().Get("X-Request-Id"), BegunAt: begun, Duration: o.now().Sub(begun),
				Request: r, RequestBody: question.text, RequestSize: question.size,
				Status: out.Status(), ResponseHeader: w.Header(), ResponseBody: answer.text, ResponseSize: answer.size,
			})
		}()
		next.ServeHTTP(out, r)
	})
}

// keepsBody is how much of the request's body is to be kept: nothing of an
// uploaded file. The token endpoint takes its form in parts too.
func keepsBody(r *http.Request) int {
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/") && r.URL.Path != "/auth/token" ||
		r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, "/file-transfer/") {
		return 0
	}
	return control.KeptBody
}

// copied is the beginning of what went by.
type copied struct {
	keep int
	text []byte
	size int64
}

func (c *copied) Write(b []byte) (int, error) {
	c.text = append(c.text, b[:min(len(b), c.keep-len(c.text))]...)
	c.size += int64(len(b))
	return len(b), nil
}

// copying is a request's body, copied as it is read.
type copying struct {
	io.ReadCloser
	to *copied
}

func (r copying) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.to.Write(b[:n]) // never fails
	return n, err
}

// knownTo returns what tells the API's routes. Those of the server itself are
// nobody's calls.
func knownTo(handler http.Handler) control.Routes {
	router, ok := handler.(chi.Routes)
	if !ok {
		return func(string, string) bool { return false }
	}
	return func(method, path string) bool {
		for _, m := range methods {
			found := chi.NewRouteContext()
			if method != "" && method != m || !router.Match(found, m, path) {
				continue
			}
			switch found.RoutePattern() {
			case "/livez", "/readyz", "/openapi.yaml", "/docs", "/docs/{file}":
			default:
				return true
			}
		}
		return false
	}
}

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
