package server

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/company"
	"understudy.example/internal/data"
	"understudy.example/internal/hooks"
	"understudy.example/internal/openapi"
	"understudy.example/internal/route"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
)

// responseTimeout is how long a response may take, uploads excepted.
const responseTimeout = 15 * time.Second

// API returns the handler of the API listener.
func (a *App) API() http.Handler {
	r := chi.NewRouter()
	r.Use(logRequests(a.Hints))
	unknown := a.Journal.Record(http.HandlerFunc(unknownRoute)).ServeHTTP
	r.NotFound(unknown)
	r.MethodNotAllowed(unknown)
	for _, rt := range route.API {
		handler := a.apiHandler(rt)
		if !rt.Upload {
			handler = api.WithTimeout(responseTimeout, handler)
		}
		served := api.Serve(api.ErrorFormatOf(rt.Family), storage.Unavailable, handler)
		recorded := a.Requests.count(a.Journal.Record(served))
		if rt.Operation == route.CreateToken { // it refuses the other methods itself
			r.Handle(rt.Path, recorded)
			r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == rt.Path { // a method that the router does not know
					recorded.ServeHTTP(w, r)
					return
				}
				unknown(w, r)
			})
			continue
		}
		r.Handle(rt.Pattern(), recorded)
	}
	for _, rt := range route.Own {
		r.Handle(rt.Pattern(), a.ownHandler(rt))
	}
	return r
}

// apiHandler returns the handler of a route of the emulated API.
func (a *App) apiHandler(rt route.Route) api.Handler {
	switch rt.Operation {
	case route.CreateToken:
		return auth.Token(a.Gate)

	case route.CreateUploadURL:
		return universal.UploadURL(a.DB, a.Gate, rt, a.Keys.Upload, a.PublicURL)
	case route.UploadFile:
		return universal.Upload(a.DB, a.Objects, a.Gate, a.Keys.Upload, a.MaxUpload)
	case route.TriggerSubmission:
		return universal.Trigger(a.DB, a.Gate, rt, a.Wake)
	case route.ReadStatus:
		return universal.Status(a.DB, a.Gate, rt, a.Wake)
	case route.ReadStatusDetails:
		return universal.StatusDetails(a.DB, a.Gate, rt, a.Wake)
	case route.SubmitFile:
		return universal.Submit(a.DB, a.Objects, a.Gate, rt, a.Wake)

	case route.ReadReport:
		return data.ReportInquiry(a.DB, a.Gate, rt)
	case route.ReadData:
		return data.Inquiry(a.DB, a.Gate, rt, universal.LookUpStatus)
	case route.SubmitCompany:
		return company.Submit(a.DB, a.Gate, rt, a.Wake)
	case route.QuickSubmitCompany:
		return company.QuickSubmit(a.DB, a.Gate, rt, a.Wake)
	case route.NotImplemented:
		return company.NotImplemented(a.Gate, rt)

	case route.ListHooks:
		return hooks.List(a.DB, a.Gate, rt, a.Seal)
	case route.CreateHook:
		return hooks.Create(a.DB, a.Gate, rt, a.Seal)
	case route.ReadHook:
		return hooks.Get(a.DB, a.Gate, rt, a.Seal)
	case route.UpdateHook:
		return hooks.Update(a.DB, a.Gate, rt, a.Seal)
	case route.DeleteHook:
		return hooks.Delete(a.DB, a.Gate, rt)
	case route.ListHookRequests:
		return hooks.Requests(a.DB, a.Gate, rt)
	case route.RedeliverToHook:
		return hooks.Redeliver(a.DB, a.Gate, rt, a.Wake)
	}
	panic(fmt.Sprintf("no handler for %s", rt.Pattern()))
}

// ownHandler returns the handler of a route that is the emulator's own.
func (a *App) ownHandler(rt route.Route) http.Handler {
	switch rt.Operation {
	case route.ReadLiveness:
		return api.Serve(api.MessageErrors, storage.Unavailable, liveness)
	case route.ReadReadiness:
		return api.Serve(api.MessageErrors, storage.Unavailable, readiness(a.DB, a.Requests))
	case route.ReadDocument:
		return http.HandlerFunc(openapi.Serve)
	case route.ReadDocs:
		return http.HandlerFunc(openapi.ServePage)
	case route.ReadDocsFile:
		return openapi.ServeAsset(unknownRoute)
	}
	panic(fmt.Sprintf("no handler for %s", rt.Pattern()))
}

// unknownRoute refuses a method or path that the service does not have, as the
// service's gateway does. It reads a file that was sent to the wrong URL to its
// end, so that the client sees the response.
var unknownRoute = api.Serve(api.MessageErrors, storage.Unavailable, func(_ http.ResponseWriter, r *http.Request) error {
	if route.FamilyOf(r.URL.Path) == route.Hooks {
		return api.NewErrorBody(http.StatusNotFound, api.HookErrors(http.StatusNotFound, "Not Found"), unknownRouteHint(r))
	}
	return api.NewError(http.StatusForbidden, "Missing Authentication Token", unknownRouteHint(r))
}).ServeHTTP

// unknownRouteHint says which part of the request no route has.
func unknownRouteHint(r *http.Request) string {
	path := r.URL.Path
	if methods := route.Methods(route.API, path); len(methods) > 0 {
		if rt, _ := route.Find(route.API, "", path); rt.Operation == route.UploadFile {
			return r.Method + " to the upload URL: use PUT"
		}
		return "this path does not take " + api.Quote(r.Method) + ": use " + strings.Join(methods, " or ")
	}
	if trimmed := strings.TrimRight(path, "/"); trimmed != path && len(route.Methods(route.API, trimmed)) > 0 {
		return "the path ends with a slash: remove it"
	}
	return "the service has no path " + api.Quote(path) + ": see /docs for its routes"
}
