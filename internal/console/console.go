// Package console serves the web pages of the control listener.
//
// It is a client of the control API in the same process: a page is a template and the
// calls of the control API whose JSON it shows, and a form makes one call. So the pages
// can do nothing that the API cannot, and every change made with them is in the audit log.
// The package has no rows, and does not know what the JSON means beyond what its
// templates show.
package console

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"understudy.example/internal/control"
)

// Options configure the pages.
type Options struct {
	Control http.Handler             // serves the control API, under route.ControlBase
	Access  control.Access           // that the control API requires
	Secure  func(*http.Request) bool // whether the visitor's connection is encrypted
	Demos   map[string]Demo          // by tenant; empty unless their credentials are public
}

// Console serves the pages.
type Console struct {
	Options
	templates templates
	live      *live
}

// New returns the pages. Close it to end the streams of live events.
func New(o Options) *Console {
	c := &Console{Options: o, templates: newTemplates()}
	c.live = newLive(c.stream)
	return c
}

// Close ends all streams of live events.
func (c *Console) Close() { c.live.close() }

// ContentSecurityPolicy allows a page only to load the console's own files and to call
// the console: no inline script or style, no eval, no frames, no other origin.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Mount adds the pages to the router of the control listener.
func (c *Console) Mount(r chi.Router) {
	r = r.With(secure, middleware.Compress(5, "text/html", "text/css", "text/javascript", "image/svg+xml", "application/json"))
	for _, p := range pages {
		r.Get(p.path, c.servePage(p))
		r.Head(p.path, c.servePage(p))
	}
	r.Get("/sign-in", c.showSignIn)
	r.Post("/sign-in", c.signIn)
	r.Post("/sign-out", c.signOut)
	r.Get("/live", c.serveLive)
	forms := r.With(c.guardForms)
	forms.HandleFunc(callPath+"*", c.serveCall)
	forms.Post("/tenants/{t}/submissions/{tx_id}", c.correct)
	r.Get(assetPath+"{file}", serveAsset)
	r.Head(assetPath+"{file}", serveAsset)
}

// secure is middleware that sets the header fields which protect a page in a browser.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", ContentSecurityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// guardForms is middleware that refuses a form which the control API would refuse for its
// origin, its host or its session, before the form is read.
func (c *Console) guardForms(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := c.visit(w, r)
		if err := new(http.CrossOriginProtection).Check(r); err != nil {
			v.fail(&callError{Status: http.StatusForbidden, Message: "Send forms from these pages, not from another site."})
			return
		}
		if _, err := v.get("/"); err != nil {
			v.fail(err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// WantsPage reports whether the client is a browser that would show a page.
func WantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// NotFound serves the page for a path that does not exist.
func (c *Console) NotFound(w http.ResponseWriter, r *http.Request) {
	secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := c.visit(w, r)
		v.fail(&callError{Status: http.StatusNotFound, Message: "There is no page at this URL."})
	})).ServeHTTP(w, r)
}
