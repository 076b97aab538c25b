// Package server is the program: it connects the other packages to two HTTP listeners,
// the emulated API and the control API, and to the background work, and it starts and
// stops them. It does not implement any behaviour of the API itself.
package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/netip"
	"runtime"
	"time"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/configuration"
	"understudy.example/internal/control"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/feed"
	"understudy.example/internal/health"
	"understudy.example/internal/hooks"
	"understudy.example/internal/journal"
	"understudy.example/internal/metrics"
	"understudy.example/internal/retention"
	"understudy.example/internal/seed"
	"understudy.example/internal/storage"
	"understudy.example/internal/tracing"
	"understudy.example/internal/transfer"
	"understudy.example/internal/universal"
	"understudy.example/internal/universal/tally"
	"understudy.example/internal/worker"
)

// Options are the dependencies and settings of an App.
type Options struct {
	DB        *storage.Pools
	Objects   *storage.Store
	Keys      *auth.Keys
	Workers   *worker.Pool
	Sender    *hooks.Sender
	Now       func() time.Time       // real time
	Tracer    *tracing.Tracer        // nil = no traces
	PublicURL string                 // URL at which clients reach the API; "" takes it from each request
	MaxUpload int64                  // bytes
	Transfers transfer.Limits        // for the connections of both listeners
	TLS       *tls.Config            // of both listeners; nil = without TLS
	Budget    *api.Budget            // for large responses; nil = the default
	Uploads   universal.UploadLimits // zero = the default
	Bodies    api.BodyLimits         // for request bodies; zero fields = the defaults

	TrustedProxies []netip.Prefix // whose X-Forwarded headers count
	CORSOrigins    []string       // whose pages may call the API from browsers
	Access         control.Access
	Hints          bool // error responses carry X-Understudy-Hint
	Shared         bool // many users: there are no demo clients, wrong secrets are limited, and orphans are deleted daily
	Keep           retention.Ages
	Seed           *seed.File // nil = the demo tenants, unless Shared
}

// Limits of api.Budget. They are constants because the memory and time that they leave
// to other tenants do not depend on the size of the machine.
const (
	responseMemory       = 40 << 20
	tenantResponseMemory = 12 << 20        // so that two tenants cannot use all of it
	responseWait         = 5 * time.Second // clients whose timeout is short still get the 503
)

// Defaults of api.BodyLimits. A body of the largest size uses an eighth of its tenant's
// memory, and fits into the memory that is kept for medium bodies.
const (
	bodyMemory       = 64 << 20
	tenantBodyMemory = 16 << 20
	bodyTime         = responseTimeout
)

// renderedMemory is the memory of the cache of rendered reports.
const renderedMemory = 16 << 20

// archiveMemory is the memory of exports and imports of submissions. A record with 10,000
// locations uses most of it, so one such record is in memory at a time.
const archiveMemory = 512 << 20

// App is a server without its listeners: handlers and background work.
type App struct {
	Options
	Gate       *auth.Gate
	Seal       *hooks.Seal
	Dispatcher *hooks.Dispatcher
	Faults     *fault.Injector
	Journal    *journal.Journal
	Feed       *feed.Feed
	Requests   *Requests
	Metrics    *metrics.Metrics
	Imports    *configuration.Turns

	background  background
	rendered    *data.Renderings
	inquiries   data.Reports
	archives    *api.Budget // for exports and imports of submissions
	uploads     *universal.Uploads
	found       *universal.Finder
	submissions *tally.Counter
	deliveries  *hooks.Counter
	health      *health.Health
	processor   *universal.Processor
	advancer    *universal.Advancer
}

// New connects the packages. Close the App when it is no longer used.
func New(o Options) *App {
	a := &App{Options: o, Requests: newRequests()}
	if a.Budget == nil {
		a.Budget = api.NewBudget(responseMemory, tenantResponseMemory, responseWait)
	}
	if a.Bodies.Budget == nil {
		a.Bodies.Budget = api.NewBodyBudget(bodyMemory, tenantBodyMemory, responseWait)
	}
	a.rendered = data.NewRenderings(renderedMemory)
	a.inquiries = a.reports(o.DB.Data)
	a.archives = api.NewBudget(archiveMemory, archiveMemory*3/4, responseWait)
	a.Imports = configuration.NewTurns(a.Bodies.Budget.Wait())
	a.Bodies.Time = cmp.Or(a.Bodies.Time, bodyTime)
	if a.Uploads.Total == 0 {
		a.Uploads = uploadLimits(apiConnections(transfer.MaxOpenFiles()))
	}
	a.uploads = universal.NewUploads(o.Objects, a.Uploads)
	a.found = universal.NewFinder(o.DB.Submissions)
	a.submissions, a.deliveries = tally.NewCounter(o.Now), hooks.NewCounter(o.Now)
	a.Faults = fault.NewInjector(o.DB.Faults, o.DB.Auth, o.Now)
	a.Gate = auth.NewGate(o.DB.Auth, o.DB.Tokens, o.Keys, o.Now, a.Faults.Intercept)
	a.Gate.LimitWrongSecrets = o.Shared
	a.Seal = hooks.NewSeal(o.Keys.Sealing)
	a.Dispatcher = hooks.NewDispatcher(o.DB.Deliveries, o.Keys.Environment, a.Seal, o.Sender, a.Faults.SelectForDeliveries, o.Now)
	a.Journal = journal.New(o.DB.Journal, o.Now, a.Gate.Attribute, universal.AttributeUpload(o.DB.Submissions, a.Gate, o.Keys.Upload))
	a.Journal.IsSecret = a.Gate.IsSecret
	a.health = health.New(o.DB, o.Objects, o.Workers, a.Requests.Stopping, o.Now)
	a.Metrics = metrics.New(metrics.Sources{
		DB: o.DB, Objects: o.Objects, Workers: o.Workers, Dispatcher: a.Dispatcher, Journal: a.Journal, Budget: a.Budget,
		Bodies: a.Bodies.Budget, InFlight: a.Requests.InFlight, Now: o.Now,
	})
	a.Dispatcher.Attempted = a.Metrics.Attempted
	a.processor = a.newProcessor()
	a.advancer = &universal.Advancer{DB: o.DB.Background, Now: o.Now, Wake: a.wakeFor}
	a.Feed = feed.New(o.DB.Feed, a.Journal.Flush, journal.Calls{}, hooks.AttemptFeed())
	return a
}

// Wake makes the background steps look for due rows at once.
func (a *App) Wake() {
	a.advancer.Look()
	a.processor.Look()
	a.Dispatcher.Wake()
}

// wakeFor wakes those background steps that have something to do.
func (a *App) wakeFor(work universal.Work) {
	a.advancer.Add(work.Advance...)
	a.processor.Add(work.Process...)
	if work.Deliveries {
		a.Dispatcher.Wake()
	}
}

// StartBackground starts the background work, which runs until ctx ends.
func (a *App) StartBackground(ctx context.Context) {
	ctx = a.Tracer.In(ctx)
	a.background.start(ctx, "deliver", func(ctx context.Context) (time.Duration, error) {
		return retryPause, a.Dispatcher.Run(ctx) // returns when ctx ends
	})
	a.background.start(ctx, "advance", func(ctx context.Context) (time.Duration, error) {
		a.advancer.Run(ctx)
		return 0, nil
	})
	a.background.start(ctx, "trim feed", func(ctx context.Context) (time.Duration, error) {
		return time.Minute, feed.Trim(ctx, a.DB.Background)
	})
	a.background.start(ctx, "delete expired", a.Trimmer().Trim)
	if a.Shared {
		a.background.start(ctx, "delete orphans", a.Collector().Collect)
	}
	memory := newMemoryReleaser()
	a.background.start(ctx, "release memory", func(context.Context) (time.Duration, error) {
		memory.release()
		return memoryPause, nil
	})
	processor := a.Processor()
	a.background.start(ctx, "resume", processor.Resume)
	a.background.start(ctx, "process", func(ctx context.Context) (time.Duration, error) {
		processor.Run(ctx)
		return 0, nil
	})
}

// Trimmer returns the step that deletes what has been kept long enough.
func (a *App) Trimmer() *retention.Trimmer {
	return &retention.Trimmer{DB: a.DB.Background, Objects: a.Objects, Now: a.Now, Keep: a.Keep}
}

// Collector returns the step that deletes the orphans in the object store.
func (a *App) Collector() *retention.Collector {
	return &retention.Collector{DB: a.DB.Long, Objects: a.Objects, Now: a.Now}
}

// Processor returns the step that processes submissions.
func (a *App) Processor() *universal.Processor { return a.processor }

func (a *App) newProcessor() *universal.Processor {
	// One tenant gets at most half of the worker processes, and never more than there
	// are cores.
	share := min(max(a.Workers.Size()/2, 1), runtime.NumCPU())
	return &universal.Processor{
		DB: a.DB.Background, Endings: a.DB.Endings, Objects: a.Objects, Workers: a.Workers, Now: a.Now, Share: share, Wake: a.wakeFor,
		Observer: a.Metrics,
	}
}

// WaitBackground waits until the background work has ended, or ctx has.
func (a *App) WaitBackground(ctx context.Context) { a.background.wait(ctx) }

// maxProcessing is how many submissions are processed at once, if there is enough
// memory. With more of them, each heavy document would take longer and none would end
// earlier.
func maxProcessing() int { return 3 * runtime.NumCPU() }

// Close ends all waiting for events and writes the calls that are not written yet,
// until ctx ends.
func (a *App) Close(ctx context.Context) {
	a.Feed.Close()
	a.Journal.Close(ctx)
}

// reports returns what inquiries need, with the pool for their calls.
func (a *App) reports(db storage.DB) data.Reports {
	return data.NewReports(db, a.Budget, a.rendered, journal.IsClean)
}
