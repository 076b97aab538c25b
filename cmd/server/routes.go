package main

import (
	_ "embed"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"understudy.example/internal/api"
	"understudy.example/internal/auth"
	"understudy.example/internal/company"
	"understudy.example/internal/control"
	"understudy.example/internal/data"
	"understudy.example/internal/hooks"
	"understudy.example/internal/storage"
	"understudy.example/internal/universal"
	"understudy.example/internal/worker"
)

// document describes the whole API.
//
//go:embed openapi.yaml
var document []byte

// timeout is how long an answer may take to make.
const timeout = 15 * time.Second

// parts are what the routes are made of.
type parts struct {
	db        storage.DB
	objects   storage.Objects
	gate      *auth.Gate
	seal      *hooks.Seal
	sender    *hooks.Sender
	uploadKey []byte
	publicURL string
	apiURL    *url.URL // where the API listens
	maxUpload int64
	readers   *worker.Pool
	wake      func() // tells the background steps that there is work
	access    control.Access
	requests  *inFlight
	observer  *observer
}

// routes is the whole API, a line per endpoint.
func routes(p parts) http.Handler {
	r := chi.NewRouter()
	r.Use(logged)
	token := api.Serve(api.OAuthErrors, storage.Unavailable, api.WithTimeout(timeout, auth.Token(p.gate)))
	r.NotFound(unknown)
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/auth/token" { // a method that the router doesn't know
			token.ServeHTTP(w, r)
			return
		}
		unknown(w, r)
	})

	r.Group(func(r chi.Router) {
		r.Use(p.requests.Counted, p.observer.Observed)
		handle := func(pattern string, form api.ErrorFormat, h api.Handler) {
			r.Handle(pattern, api.Serve(form, storage.Unavailable, api.WithTimeout(timeout, h)))
		}
		r.Handle("/auth/token", token)

		for _, v := range universal.Versions {
			base := "/universal/" + string(v) + "/universal-submit"
			handle("POST "+base+"/file-upload-url", api.MessageErrors, universal.UploadURL(p.db, p.gate, v, p.uploadKey, p.publicURL))
			handle("POST "+base+"/file/{tx_id}", api.MessageErrors, universal.Trigger(p.db, p.gate, v, p.wake))
			handle("GET "+base+"/status/{tx_id}", api.MessageErrors, universal.Status(p.db, p.gate, v, p.wake))
		}
		// An upload may take as long as its file does.
		r.Handle("PUT /file-transfer/upload-file", api.Serve(api.MessageErrors, storage.Unavailable, universal.Upload(p.db, p.objects, p.gate, p.uploadKey, p.maxUpload)))
		for _, v := range universal.DirectVersions {
			r.Handle("POST /universal/"+string(v)+"/universal-submit/file", api.Serve(api.MessageErrors, storage.Unavailable, universal.Submit(p.db, p.objects, p.gate, v, p.wake)))
		}

		handle("GET /data/v1/{dp_id}/{report_id}", api.MessageErrors, data.ReportInquiry(p.db, p.gate))
		for _, v := range data.Versions {
			handle("GET /data/"+string(v)+"/{dp_id}/{tx_id}", api.MessageErrors, data.Inquiry(p.db, p.gate, v, universal.Complete))
		}

		handle("POST /company/v1/company_submit", api.MessageErrors, company.Submit(p.db, p.gate, p.wake))
		handle("POST /company/v1/quick_submit", api.MessageErrors, company.QuickSubmit(p.db, p.gate, p.wake))
		handle("POST /location/v1/location_submit", api.MessageErrors, company.NotImplemented(p.gate, "::location/v1/location_submit:post"))
		handle("GET /audit/v1/report/*", api.MessageErrors, company.NotImplemented(p.gate, "::audit/v1/report:get"))

		handle("GET /hooks", api.HookErrors, hooks.List(p.db, p.gate, p.seal))
		handle("POST /hooks", api.HookErrors, hooks.Create(p.db, p.gate, p.seal))
		handle("GET /hooks/{hook_id}", api.HookErrors, hooks.Get(p.db, p.gate, p.seal))
		handle("PUT /hooks/{hook_id}", api.HookErrors, hooks.Update(p.db, p.gate, p.seal))
		handle("PATCH /hooks/{hook_id}", api.HookErrors, hooks.Update(p.db, p.gate, p.seal))
		handle("DELETE /hooks/{hook_id}", api.HookErrors, hooks.Delete(p.db, p.gate))
		handle("GET /hooks/{hook_id}/requests", api.HookErrors, hooks.Requests(p.db, p.gate))
		handle("POST /hooks/{hook_id}/requests/{request_id}/redeliver", api.HookErrors, hooks.Redeliver(p.db, p.gate, p.wake))
	})

	r.Handle("GET /openapi.yaml", http.HandlerFunc(openapi))
	docsRoutes(r)
	healthRoutes(r, p)
	return r
}

func healthRoutes(r chi.Router, p parts) {
	r.Handle("GET /livez", api.Serve(api.MessageErrors, storage.Unavailable, live))
	r.Handle("GET /readyz", api.Serve(api.MessageErrors, storage.Unavailable, ready(p.db, p.requests)))
}

// unknown answers a path or method that the service does not have, as its
// gateway does. It hears a file out that was sent to the wrong place.
var unknown = api.Serve(api.MessageErrors, storage.Unavailable, func(_ http.ResponseWriter, r *http.Request) error {
	if r.URL.Path == "/hooks" || strings.HasPrefix(r.URL.Path, "/hooks/") {
		return &api.Error{Status: http.StatusNotFound, Body: api.HookErrors(http.StatusNotFound, "Not Found")}
	}
	return api.NewError(http.StatusForbidden, "Missing Authentication Token")
}).ServeHTTP
