package server

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/company"
	"understudy.example/internal/console"
	"understudy.example/internal/data"
	"understudy.example/internal/health"
	"understudy.example/internal/hooks"
	"understudy.example/internal/openapi"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
	"understudy.example/internal/transfer"
	"understudy.example/internal/universal"
)

// responseTimeout is how long a response may take, uploads excepted.
const responseTimeout = 15 * time.Second

// API returns the handler of the API listener.
func (a *App) API() http.Handler {
	r := chi.NewRouter()
	r.Use(a.observe("api"), transfer.Bodies(a.Transfers), a.Bodies.Apply, allowOrigins(a.CORSOrigins))
	if !a.Shared { // otherwise there are no demo credentials
		r.Use(refuseRebinding(a.pageHosts()))
	}
	unknown := a.Journal.Record(serveAPI(route.Message, api.UnknownRoute))
	anyMethod := map[string]http.Handler{}
	for _, rt := range route.API {
		handler := a.Gate.RefuseGone(rt, a.apiHandler(rt))
		if !rt.Upload {
			handler = api.WithTimeout(responseTimeout, handler)
		}
		recorded := a.Requests.count(a.Journal.Record(serveAPI(rt.Family, handler)))
		if rt.AnyMethod {
			anyMethod[rt.Path] = recorded
			r.Handle(rt.Path, recorded)
			continue
		}
		r.Handle(rt.Pattern(), recorded)
	}
	r.NotFound(unknown.ServeHTTP)
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if handler, ok := anyMethod[r.URL.Path]; ok { // a method that the router does not know
			handler.ServeHTTP(w, r)
			return
		}
		unknown.ServeHTTP(w, r)
	})
	for _, rt := range route.Own {
		handleOwn(r, rt, a.ownHandler(rt))
	}
	return r
}

// handleOwn routes GET, and HEAD, to a handler of our own.
func handleOwn(r chi.Router, rt route.Route, handler http.Handler) {
	r.Handle(rt.Pattern(), handler)
	r.Method(http.MethodHead, rt.Path, handler)
}

// apiHandler returns the handler of a route of the emulated API.
func (a *App) apiHandler(rt route.Route) api.Handler {
	switch rt.Operation {
	case route.CreateToken:
		return auth.Token(a.Gate)

	case route.CreateUploadURL:
		return universal.UploadURL(a.DB.Submissions, a.Gate, rt, a.Keys.Upload, a.baseURL)
	case route.UploadFile:
		return universal.Upload(a.DB.Submissions, a.uploads, a.Gate, a.Keys.Upload, a.MaxUpload)
	case route.TriggerSubmission:
		return universal.Trigger(a.DB.Transitions, a.Gate, rt, a.processor, a.wakeFor)
	case route.ReadStatus:
		return universal.Status(a.found, a.DB.Transitions, a.Gate, rt, a.wakeFor)
	case route.ReadStatusDetails:
		return universal.StatusDetails(a.found, a.DB.Submissions, a.DB.Transitions, a.Gate, a.Budget, rt, a.wakeFor)
	case route.SubmitFile:
		return universal.Submit(a.DB.Transitions, a.uploads, a.Gate, rt, a.wakeFor)

	case route.ReadReport:
		return data.ReportInquiry(a.inquiries, a.Gate, rt)
	case route.ReadData:
		return data.Inquiry(a.inquiries, a.Gate, rt, a.found.LookUpStatus)
	case route.SubmitCompany:
		return company.Submit(a.DB.Company, a.Gate, a.Budget, rt, a.Dispatcher.Wake)
	case route.QuickSubmitCompany:
		return company.QuickSubmit(a.DB.Company, a.Gate, a.Budget, rt, a.Dispatcher.Wake)
	case route.NotImplemented:
		return company.NotImplemented(a.Gate, rt)

	case route.ListHooks:
		return hooks.List(a.DB.Hooks, a.Gate, a.Budget, rt, a.Seal)
	case route.CreateHook:
		return hooks.Create(a.DB.Hooks, a.Gate, rt, a.Seal, a.Sender)
	case route.ReadHook:
		return hooks.Get(a.DB.Hooks, a.Gate, rt, a.Seal)
	case route.UpdateHook:
		return hooks.Update(a.DB.Hooks, a.Gate, rt, a.Seal, a.Sender, a.Dispatcher.SubscriptionsChanged)
	case route.DeleteHook:
		return hooks.Delete(a.DB.Hooks, a.Gate, rt)
	case route.ListHookRequests:
		return hooks.Requests(a.DB.HookRequests, a.Gate, rt)
	case route.RedeliverToHook:
		return hooks.Redeliver(a.DB.HookRequests, a.Gate, rt, a.Dispatcher.Wake)
	}
	panic(fmt.Sprintf("no handler for %s", rt.Pattern()))
}

// ownHandler returns the handler of a route that is the emulator's own.
func (a *App) ownHandler(rt route.Route) http.Handler {
	switch rt.Operation {
	case route.ReadLiveness:
		return api.Serve(api.MessageErrors, storage.UnavailableReason, health.Liveness)
	case route.ReadReadiness:
		return api.Serve(api.MessageErrors, storage.UnavailableReason, a.health.Readiness)
	case route.ReadDocument:
		return http.HandlerFunc(openapi.Serve)
	case route.ReadDocs:
		return openapi.ServePage(a.shownCredentials())
	case route.ReadDocsFile:
		return openapi.ServeAsset(console.Stylesheet(), serveAPI(route.Message, api.UnknownRoute).ServeHTTP)
	}
	panic(fmt.Sprintf("no handler for %s", rt.Pattern()))
}

// shownCredentials are what the page at /docs shows: those of a demo client, if there
// is one.
func (a *App) shownCredentials() openapi.Credentials {
	demos := a.shownDemos()
	if len(demos) == 0 {
		return openapi.Credentials{}
	}
	demo := demos[0]
	return openapi.Credentials{ClientID: demo.ClientID, ClientSecret: demo.ClientSecret, APIKey: demo.APIKey}
}

func serveAPI(family route.Family, handler api.Handler) http.Handler {
	return api.Serve(api.ErrorFormatOf(family), storage.UnavailableReason, api.ReplaceUnstorable(handler))
}
