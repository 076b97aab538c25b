package main

import (
	"compress/gzip"
	"embed"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"
)

// page is the page of the API's document and what it loads: Swagger UI, as its
// publisher packs it, and a form of our own. Nothing comes from elsewhere.
//
//go:embed docs
var page embed.FS

// pageKinds are the content types of what is served.
var pageKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
}

// pagePolicy lets the page load its own files and call its own server, and
// nothing else: nothing inline, nothing evaluated, no frames.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docsRoutes are the page and its files.
func docsRoutes(r chi.Router) {
	r.Handle("GET /docs", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { servePage(w, r, "index.html") }))
	r.Handle("GET /docs/{file}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch file := r.PathValue("file"); file {
		case "swagger-ui-bundle.js", "swagger-ui.css", "docs.js", "docs.css":
			servePage(w, r, file)
		default:
			unknown(w, r)
		}
	}))
}

// servePage answers with a file, packed where the client can unpack it.
func servePage(w http.ResponseWriter, r *http.Request, name string) {
	header := w.Header()
	header.Set("Content-Type", pageKinds[path.Ext(name)])
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	if plain, err := page.Open("docs/" + name); err == nil {
		io.Copy(w, plain) // the connection is gone
		return
	}
	packed, err := page.Open("docs/" + name + ".gz")
	if err != nil {
		unknown(w, r)
		return
	}
	header.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		io.Copy(w, packed) // the connection is gone
		return
	}
	if unpacked, err := gzip.NewReader(packed); err == nil {
		io.Copy(w, unpacked) // the connection is gone
	}
}
