package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/archive"
	"understudy.example/internal/audit"
	"understudy.example/internal/auth"
	"understudy.example/internal/configuration"
	"understudy.example/internal/console"
	"understudy.example/internal/control"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/journal"
	"understudy.example/internal/outcome"
	"understudy.example/internal/route"
	"understudy.example/internal/seed"
	"understudy.example/internal/storage"
	"understudy.example/internal/transfer"
	"understudy.example/internal/universal/archived"
)

const (
	// tenantTimeout is the timeout of calls that move a clock, because documents that
	// become due have to be processed, and of calls that delete or reset a tenant with all
	// its rows.
	tenantTimeout = 5 * time.Minute
	// awaitTimeout is how long a call that waits for an event may take.
	awaitTimeout = control.MaxWithin + responseTimeout
)

// Control returns the handler of the control listener. apiURL is where the API
// listens.
func (a *App) Control(apiURL *url.URL) http.Handler {
	r := chi.NewRouter()
	r.Use(a.observe("control"), transfer.Bodies(a.Transfers), a.Bodies.Apply, control.RefuseDeliveries)
	for _, rt := range route.Own {
		if rt.Operation == route.ReadLiveness || rt.Operation == route.ReadReadiness {
			handleOwn(r, rt, a.ownHandler(rt))
		}
	}
	handleOwn(r.With(control.Guard(a.Access)), route.Metrics, a.Metrics.Handler())
	calls := chi.NewRouter()
	calls.Use(a.Requests.count, control.Guard(a.Access))
	calls.NotFound(serveControl(control.UnknownPath))
	calls.MethodNotAllowed(serveControl(control.WrongMethod))
	for _, rt := range route.Control {
		handler := serveControl(api.RejectUnstorable(auth.NotFoundIfGone(a.controlHandler(rt, apiURL))))
		calls.Handle(rt.Pattern(), audit.Record(a.DB.Control, a.remoteAddress, a.Now, rt, handler))
	}
	r.Mount(route.ControlBase, calls)
	fromPages := chi.NewRouter()
	fromPages.Mount(route.ControlBase, calls)
	pages := console.New(console.Options{Control: fromPages, Access: a.Access, Secure: a.isEncrypted, Demos: a.demos()})
	pages.Mount(r)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if console.WantsPage(r) {
			pages.NotFound(w, r)
			return
		}
		serveControl(control.UnknownPath)(w, r)
	})
	return r
}

// demos returns the demo clients whose credentials pages may show, by tenant.
func (a *App) demos() map[string]console.Demo {
	demos := map[string]console.Demo{}
	for _, demo := range slices.Backward(a.shownDemos()) { // the first client of a tenant has all permissions
		demos[demo.Tenant] = console.Demo{ClientID: demo.ClientID, ClientSecret: demo.ClientSecret, APIKey: demo.APIKey}
	}
	return demos
}

func serveControl(handler api.Handler) http.HandlerFunc {
	return api.Serve(api.MessageErrors, storage.UnavailableReason, handler).ServeHTTP
}

// controlHandler returns the handler of a route of the control API, with its
// timeout.
func (a *App) controlHandler(rt route.Route, apiURL *url.URL) api.Handler {
	switch rt.Operation {
	case route.MoveClock:
		return api.WithTimeout(tenantTimeout, a.Journal.WithFlush(control.MoveClock(a.DB.Long, a.Gate, a.Wake)))
	case route.DeleteTenant:
		return api.WithTimeout(tenantTimeout, control.DeleteTenant(a.DB.Long, a.Gate, a.Objects))
	case route.ResetTenant:
		return api.WithTimeout(tenantTimeout, a.Journal.WithFlush(control.ResetTenant(a.DB.Long, a.Gate, a.Objects)))
	case route.ProbeReceiver:
		prober := hooks.NewProber(a.Sender, a.Now)
		return api.WithTimeoutWhileConnected(prober.Timeout()+responseTimeout, control.Probe(a.DB.Control, a.Gate, prober))
	case route.AwaitEvent:
		return api.WithTimeout(awaitTimeout, a.Journal.WithFlush(control.Await(a.DB.Feed, a.Feed)))
	case route.ReadDocumentView: // reading a document may take its whole time
		return api.WithTimeout(a.Workers.Limits().Time+responseTimeout, control.TransactionDocument(a.DB.Control, a.Budget, a.processor))
	case route.Submit: // as long as the upload makes progress
		return control.Submit(a.DB.Control, a.uploads, a.Gate, a.MaxUpload, a.wakeFor)
	case route.ExportSubmissions: // as long as the client reads
		return archive.Export(a.DB.Control, a.Objects, a.archives, a.Now)
	case route.ImportSubmissions: // as long as the body makes progress
		return archive.Import(archived.Importer{DB: a.DB.Control, Uploads: a.uploads, MaxSize: a.MaxUpload, Now: a.Now}, a.archives)
	case route.StreamEvents: // it ends when the client disconnects
		return control.Stream(a.DB.Feed, a.Feed)
	}
	return api.WithTimeout(responseTimeout, a.quickControlHandler(rt, apiURL))
}

// quickControlHandler returns the handler of a route of the control API that
// responds within responseTimeout.
func (a *App) quickControlHandler(rt route.Route, apiURL *url.URL) api.Handler {
	switch rt.Operation {
	case route.ListTenants:
		return control.Tenants(a.DB.Control, a.Gate, a.Budget)
	case route.CreateTenant:
		return control.CreateTenant(a.DB.Control, a.Gate)
	case route.ReadTenant:
		return control.Tenant(a.DB.Control, a.Gate)
	case route.ReadSettings:
		return control.Settings(a.DB.Control)
	case route.ChangeSettings:
		return control.ChangeSettings(a.DB.Control, a.Gate, a.Dispatcher.SubscriptionsChanged)
	case route.ReadClock:
		return control.Clock(a.DB.Control, a.Gate)

	case route.ListClients:
		return control.Clients(a.DB.Control, a.Budget)
	case route.CreateClient:
		return control.CreateClient(a.DB.Control, a.Gate)
	case route.ChangeClient:
		return control.ChangeClient(a.DB.Control, a.Gate)
	case route.RevokeClient:
		return control.RevokeClient(a.DB.Control, a.Gate)
	case route.RotateSecret:
		return control.RotateSecret(a.DB.Control, a.Gate)
	case route.ListAPIKeys:
		return control.APIKeys(a.DB.Control)
	case route.CreateAPIKey:
		return control.CreateAPIKey(a.DB.Control, a.Gate)
	case route.DeleteAPIKey:
		return control.DeleteAPIKey(a.DB.Control, a.Gate)

	case route.ListPackages:
		return data.ListPackages(a.DB.Control, a.Budget)
	case route.CreatePackage:
		return data.CreatePackage(a.DB.Control)
	case route.DeletePackage:
		return data.DeletePackage(a.DB.Control)
	case route.ListOutcomes:
		return outcome.List(a.DB.Control, a.Budget)
	case route.PutOutcome:
		return outcome.Put(a.DB.Control, a.Gate)
	case route.DeleteOutcomes:
		return outcome.Remove(a.DB.Control)

	case route.ReadInquiry:
		return control.Inquiry(a.reports(a.DB.Control), a.Gate)
	case route.ReadOutcome:
		return control.TransactionOutcome(a.DB.Control, a.Budget)
	case route.ListTransactions:
		return control.Transactions(a.DB.Control, a.Budget)
	case route.ReadTransaction:
		return control.Transaction(a.DB.Control, a.Budget)
	case route.DeleteTransaction:
		return control.DeleteTransaction(a.DB.Control, a.Objects)
	case route.ListControlHooks:
		return a.hookEditor().List(a.Budget)
	case route.CreateControlHook:
		return a.hookEditor().Create()
	case route.ReadControlHook:
		return a.hookEditor().Read()
	case route.ChangeControlHook:
		return a.hookEditor().Change()
	case route.DeleteControlHook:
		return a.hookEditor().Delete()
	case route.CheckSignature:
		return control.CheckSignature(a.DB.Control, a.Sender.Signature())
	case route.ExportConfiguration:
		return a.configurations().Export()
	case route.ImportConfiguration:
		return a.configurations().Import()
	case route.ListDeliveries:
		return control.Deliveries(a.DB.Control, a.Budget, a.Sender, a.Seal)
	case route.ReadDelivery:
		return control.Delivery(a.DB.Control, a.Budget, a.Sender, a.Seal)
	case route.Redeliver:
		return control.Redeliver(a.DB.Control, a.Gate, a.Dispatcher.Wake)
	case route.FireEvent:
		return control.FireEvent(a.DB.Control, a.Gate, a.Dispatcher.Wake)

	case route.CreateFault:
		return fault.Create(a.DB.Control, a.Faults, a.Now)
	case route.ListFaults:
		return fault.List(a.DB.Control, a.Budget)
	case route.DeleteFaults, route.DeleteFault:
		return fault.Remove(a.DB.Control, a.Faults)
	case route.ListCalls, route.ListUnattributedCalls:
		return a.Journal.WithFlush(journal.List(a.DB.Control, a.Budget))
	case route.ReadCall, route.ReadUnattributedCall:
		return a.Journal.WithFlush(journal.Read(a.DB.Control))
	case route.ListFindings:
		return a.Journal.WithFlush(journal.Findings(a.DB.Control, a.Now))
	case route.ReadOverview:
		return a.Journal.WithFlush(control.Overview(a.DB.Control, a.submissions, a.deliveries, a.Now))
	case route.ReadCoverage:
		return a.Journal.WithFlush(control.Coverage(a.DB.Control, a.submissions, a.deliveries))
	case route.ListFeed:
		return a.Journal.WithFlush(control.Feed(a.DB.Control, a.Feed, a.Budget))

	case route.ListAudit:
		return audit.List(a.DB.Control, a.Budget)
	case route.ReadAPIURL:
		return control.APIURL(a.PublicURL, apiURL)
	case route.ReadControlDocument:
		return control.ServeDocument()
	case route.ReadFidelity:
		return control.Fidelity()
	case route.ReadSeedSchema:
		return seed.ServeSchema()
	}
	panic(fmt.Sprintf("no handler for %s", rt.Pattern()))
}

func (a *App) hookEditor() *hooks.Editor {
	return &hooks.Editor{DB: a.DB.Control, Seal: a.Seal, Sender: a.Sender, Counter: a.deliveries, Changed: a.Dispatcher.SubscriptionsChanged, Now: a.Now}
}

func (a *App) configurations() configuration.Configurations {
	return configuration.Configurations{DB: a.DB.Control, Gate: a.Gate, Budget: a.Budget, Turns: a.Imports, Hooks: a.hookEditor(), Faults: a.Faults}
}
