// Package servertest runs a whole server for the tests of any package: the real
// routes on a real database of the test's own, with a clock that the test moves,
// and clients that check every response against the OpenAPI documents.
//
// Its users are external test packages, since it imports every package, and call
// Main from TestMain.
package servertest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy.example/internal/api/apitest"
	"understudy.example/internal/auth"
	"understudy.example/internal/control"
	"understudy.example/internal/hooks"
	"understudy.example/internal/openapi"
	"understudy.example/internal/route"
	"understudy.example/internal/server"
	"understudy.example/internal/storage"
	"understudy.example/internal/storage/storagetest"
	"understudy.example/internal/universal"
	"understudy.example/internal/worker"
)

// Server is a server of one test's own, with the demo tenants.
type Server struct {
	T          testing.TB
	App        *server.App
	URL        string // of the API
	ControlURL string // of the control API, with its base path
	DB         *pgxpool.Pool
	Keys       *auth.Keys
	Files      string // directory of the object store
	Clock      *Clock

	Client        *http.Client // checks responses against the API's document
	ControlClient *http.Client // checks responses against the control API's document

	options Options
	stop    func()
}

// Options can be changed before a server starts.
type Options struct {
	server.Options
	Background bool // run the background work; otherwise the test calls Work

	clock *Clock
}

// Background is an option: the background work runs by itself.
func Background(o *Options) { o.Background = true }

// New starts a server for a test that runs in parallel with others.
func New(t *testing.T, options ...func(*Options)) *Server {
	t.Helper()
	t.Parallel()
	return Open(t, options...)
}

// Open is New for a test or benchmark that does not run in parallel.
func Open(t testing.TB, options ...func(*Options)) *Server {
	t.Helper()
	databaseURL := storagetest.URL(t)
	s := &Server{T: t, DB: storagetest.Open(t, databaseURL), Files: t.TempDir(), Clock: NewClock(time.Date(2026, 3, 2, 9, 0, 0, 123456000, time.UTC))}
	s.Keys = loadKeys(t, s.DB, storagetest.Environment, s.Now())
	backend, err := storage.OpenObjects("", s.Files)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := storage.BindStore(t.Context(), s.DB, backend, storagetest.Environment, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{clock: s.Clock, Options: server.Options{
		Hints:     true,
		DB:        Pools(t, databaseURL, storagetest.Environment, Limits),
		Objects:   objects,
		Keys:      s.Keys,
		Workers:   sharedWorkers(),
		Sender:    hooks.NewSender(hooks.Network{AllowPrivate: true, Resolver: noDNS}, hooks.Signature{}),
		Now:       s.Now,
		MaxUpload: 1 << 20,
	}}
	for _, change := range options {
		change(&o)
	}
	s.serve(o)
	return s
}

// Limits are the database limits of every server: few connections, because many tests
// run at the same time, and timeouts that are not reached even on a busy machine.
var Limits = storage.Limits{
	Connections: storage.MinConnections,
	Calls:       storage.Timeouts{Lock: time.Minute, Statement: time.Minute},
	Background:  storage.Timeouts{Lock: time.Minute, Statement: time.Minute},
}

// Pools returns the pools of a server, which are closed when the test ends.
func Pools(t testing.TB, databaseURL, environment string, limits storage.Limits) *storage.Pools {
	t.Helper()
	pools, err := storage.OpenPools(context.Background(), databaseURL, environment, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pools.Close)
	return pools
}

// DatabaseLimits is an option that sets other database limits.
func DatabaseLimits(t testing.TB, limits storage.Limits) func(*Options) {
	return func(o *Options) {
		o.DB = Pools(t, o.DB.Long.Config().ConnString(), o.Keys.Environment, limits)
	}
}

// sharedWorkers are used by the servers of all tests.
var sharedWorkers = sync.OnceValue(func() *worker.Pool {
	return worker.NewSharedPool(4, 2, worker.Limits{Time: 2 * time.Minute, Memory: 512 << 20})
})

// loadKeys returns the environment's keys and seeds the demo tenants, as a server
// of the local profile does.
func loadKeys(t testing.TB, db *pgxpool.Pool, environment string, now time.Time) *auth.Keys {
	t.Helper()
	keys, err := auth.LoadKeys(t.Context(), db, environment, bytes.Repeat([]byte("k"), 32), now)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.SeedDemos(t.Context(), db, keys, now); err != nil {
		t.Fatal(err)
	}
	return keys
}

// serve starts both listeners and, if asked for, the background work.
func (s *Server) serve(o Options) {
	s.T.Helper()
	s.App = server.New(o.Options)
	api := s.listen(s.App.API())
	apiURL, err := url.Parse(api.URL)
	if err != nil {
		s.T.Fatal(err)
	}
	controlServer := s.listen(s.App.Control(apiURL))
	ctx, stopBackground := context.WithCancel(context.Background())
	if o.Background {
		s.App.StartBackground(ctx)
	}
	app := s.App
	stop := sync.OnceFunc(func() {
		stopBackground()
		app.WaitBackground(context.Background())
		closing, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		app.Close(closing) // before the listeners close, which wait for streams
		controlServer.Close()
		api.Close()
	})
	s.T.Cleanup(stop)
	s.stop, s.options = stop, o
	s.URL, s.ControlURL = api.URL, controlServer.URL+route.ControlBase
	s.Client = checked(s.T, openapi.Document, http.DefaultTransport)
	s.ControlClient = checked(s.T, control.Document, http.DefaultTransport)
}

// listen serves the handler on a free port.
func (s *Server) listen(handler http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config, server.Listener = s.App.HTTPServer(server.Listener, handler, 0)
	server.Start()
	return server
}

// Restart stops the server and starts it again, on other ports.
func (s *Server) Restart() {
	s.T.Helper()
	s.stop()
	s.serve(s.options)
}

// checked returns a client that checks responses against the OpenAPI document.
func checked(t testing.TB, document []byte, transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: apitest.New(t, document).Transport(t, transport)}
}

// Replica starts another server on the same database, with the same clock and
// without background work.
func (s *Server) Replica() *Server {
	s.T.Helper()
	return s.ReplicaWith(s.App.Options)
}

// ReplicaWith is Replica with other options.
func (s *Server) ReplicaWith(options server.Options) *Server {
	s.T.Helper()
	other := &Server{T: s.T, DB: s.DB, Keys: s.Keys, Files: s.Files, Clock: s.Clock}
	other.serve(Options{Options: options})
	return other
}

// Environment starts a server of another environment on the same database, with
// a clock of its own.
func (s *Server) Environment(name string) *Server {
	s.T.Helper()
	ctx := context.Background()
	db, err := storage.Open(ctx, s.DB.Config().ConnString(), name)
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(db.Close)
	if err := storage.Migrate(ctx, db, name); err != nil {
		s.T.Fatal(err)
	}
	other := &Server{T: s.T, DB: db, Files: s.Files, Clock: NewClock(s.Now())}
	other.Keys = loadKeys(s.T, db, name, s.Now())
	options := s.App.Options
	options.DB, options.Keys, options.Now = Pools(s.T, s.App.DB.Long.Config().ConnString(), name, Limits), other.Keys, other.Now
	other.serve(Options{Options: options})
	return other
}

// Now is the server's real time, which the test sets.
func (s *Server) Now() time.Time { return s.Clock.Now() }

// Pass lets real time pass, without any work being done.
func (s *Server) Pass(d time.Duration) { s.Clock.Advance(d) }

// Work does the background work that is due for submissions.
func (s *Server) Work() {
	s.T.Helper()
	if _, err := universal.Advance(context.Background(), s.DB, s.Now()); err != nil {
		s.T.Fatal(err)
	}
	processor := s.App.Processor()
	if _, err := processor.Resume(context.Background()); err != nil {
		s.T.Fatal(err)
	}
	for {
		found, err := processor.Process(context.Background())
		if err != nil {
			s.T.Fatal(err)
		}
		if !found {
			return
		}
	}
}

// Settle takes the submissions that were triggered just now, with the default
// pacing, through all their states.
func (s *Server) Settle() {
	s.T.Helper()
	for _, wait := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
		s.Pass(wait)
		s.Work()
	}
}

// Shown returns the real time that much later, as responses show times.
func (s *Server) Shown(later time.Duration) string {
	return s.Now().Add(later).Format("2006-01-02T15:04:05.000000") + "+00:00"
}

// Clock is a clock that only a test moves, unless it has the option RealClock.
type Clock struct {
	mu        sync.Mutex
	now       time.Time
	startedAt time.Time // since when the clock runs; zero if it stands still
}

// NewClock returns a clock that shows the time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.startedAt.IsZero() {
		return c.now
	}
	return c.now.Add(time.Since(c.startedAt))
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
