package console

import (
	"cmp"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// page is a page of the console.
type page struct {
	path     string // pattern of its URL
	template string // name of its file in templates, without ".html"
	section  string // entry of the navigation that is marked as current
	load     func(*visit) (any, error)
}

// visit is a request of a page. Its exported fields and methods are what templates use.
type visit struct {
	*Console
	w http.ResponseWriter
	r *http.Request

	URL     *url.URL   // of the page
	Query   url.Values // of the page
	Section string
	txPath  string // of the submission that the page is about, in the control API
	Tenant  string // that the page is about; "" if it is about none
	Clock   any    // of the tenant, as the control API returns it; nil without a tenant
	APIURL  string // of the emulated API
	Now     time.Time
	SignIn  bool // visitors must sign in
	Data    any  // what the page has loaded
}

// visit returns the visit of a request.
func (c *Console) visit(w http.ResponseWriter, r *http.Request) *visit {
	return &visit{Console: c, w: w, r: r, URL: r.URL, Query: r.URL.Query(), Now: time.Now(), SignIn: len(c.Access.Tokens) > 0}
}

// servePage serves a page.
func (c *Console) servePage(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := c.visit(w, r)
		v.Section, v.Tenant = p.section, cmp.Or(r.PathValue("t"), v.Query.Get("tenant"))
		if err := v.load(p); err != nil {
			v.fail(err)
			return
		}
		v.render(http.StatusOK, p.template)
	}
}

// load loads the data that every page shows, and then that of this page.
func (v *visit) load(p page) error {
	if err := v.loadFrame(); err != nil {
		return err
	}
	var err error
	v.Data, err = p.load(v)
	return err
}

// loadFrame loads the data that every page shows around its content.
func (v *visit) loadFrame() error {
	root, err := v.get("/")
	if err != nil {
		return err
	}
	v.APIURL = text(root, "api_url")
	if v.Tenant == "" {
		return nil
	}
	if v.Clock, err = v.get(v.path("/clock")); err != nil {
		return err
	}
	// ages on a page are those of the tenant's clock
	v.Now, err = time.Parse(time.RFC3339Nano, text(v.Clock, "now"))
	return err
}

// path returns the path of the control API for the tenant's own part of it.
func (v *visit) path(rest string) string { return "/tenants/" + url.PathEscape(v.Tenant) + rest }

// fail shows the page of an error. A visitor who has to sign in is sent to that page.
func (v *visit) fail(err error) {
	var refused *callError
	switch {
	case !errors.As(err, &refused):
		slog.Error("console page failed", "err", err, "path", v.r.URL.Path)
		refused = &callError{Status: http.StatusInternalServerError, Message: "The page could not be rendered. The server's log has the cause."}
	case refused.Status == http.StatusUnauthorized && v.SignIn:
		v.sendToSignIn()
		return
	}
	v.Data = refused
	v.render(refused.Status, "error")
}

// longestNext is the length of the longest URL to which the visitor returns after signing in,
// encoded. The header of a response must fit into the 4 KB that proxies accept by default.
const longestNext = 2000

// sendToSignIn sends the visitor to the page for signing in, and then back.
func (v *visit) sendToSignIn() {
	from := v.r.URL.RequestURI()
	if v.r.Method != http.MethodGet || v.isFragment() {
		from = cmp.Or(v.Back(), "/")
	}
	next := url.Values{"next": {from}}.Encode()
	if len(next) > longestNext {
		next = url.Values{"next": {"/"}}.Encode()
	}
	target := "/sign-in?" + next
	if v.isFragment() {
		v.w.Header().Set("HX-Redirect", target)
		v.w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(v.w, v.r, target, http.StatusSeeOther)
}

// render writes the page of a template.
func (v *visit) render(status int, template string) {
	v.write(status, template, "layout")
}

// write writes a part of a template's page.
func (v *visit) write(status int, template, part string) {
	html, err := v.templates.execute(template, part, v)
	if err != nil {
		slog.Error("console page failed", "err", err, "path", v.r.URL.Path, "template", template)
		http.Error(v.w, "The page could not be rendered. The server's log has the cause.", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	v.w.Write(html) // an error means that the visitor is gone
}

// With returns the page's URL with another value of a parameter of its query; without
// the parameter if the value is "". The place in a list is dropped.
func (v *visit) With(name, value string) string {
	query := url.Values{}
	for key, values := range v.Query {
		if key != "before" && key != name {
			query[key] = values
		}
	}
	if value != "" {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return v.URL.Path
	}
	return v.URL.Path + "?" + query.Encode()
}

// In returns the URL of a page of a tenant.
func (v *visit) In(rest string) string { return "/tenants/" + url.PathEscape(v.Tenant) + rest }

// Call returns the URL at which a form makes a call of the control API for the tenant.
func (v *visit) Call(rest string) string {
	return callPath + "tenants/" + url.PathEscape(v.Tenant) + rest
}

// Older returns the URL of the next page of a list, which begins at a cursor.
func (v *visit) Older(before string) string {
	query := url.Values{}
	maps.Copy(query, v.Query)
	query.Set("before", before)
	return v.URL.Path + "?" + query.Encode()
}

// Home returns the URL of the overview.
func (v *visit) Home() string { return v.keepTenant("/") }

// Reference returns the URL of the API reference.
func (v *visit) Reference() string { return v.keepTenant("/docs") }

// keepTenant returns the URL of a page without a tenant, which keeps the visitor's one.
func (v *visit) keepTenant(path string) string {
	if v.Tenant == "" {
		return path
	}
	return path + "?" + url.Values{"tenant": {v.Tenant}}.Encode()
}

// Next returns the page that is shown after the visitor has signed in.
func (v *visit) Next() string { return v.next() }

// Back returns the page from which a form was sent; "" if it is unknown.
func (v *visit) Back() string {
	from, err := url.Parse(v.r.Referer())
	if err != nil || from.Host != v.r.Host {
		return ""
	}
	return from.RequestURI()
}
