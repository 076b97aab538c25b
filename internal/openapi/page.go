package openapi

import (
	"compress/gzip"
	"embed"
	"html/template"
	"io"
	"net/http"
	"path"
	"strings"
)

// pageFiles are the page and the files that it loads: Swagger UI as published, and
// our own form. The page loads nothing from another host.
//
//go:embed page
var pageFiles embed.FS

// Page is the path of the page that shows the document. The files that the page
// loads are below it.
const Page = "/docs"

// assets are the files below Page.
var assets = map[string]bool{"swagger-ui-bundle.js": true, "swagger-ui.css": true, "docs.js": true, "docs.css": true}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
}

// ContentSecurityPolicy allows the page only to load its own files and to call its own
// server: no inline script or style, no eval, no frames.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Credentials are what the page's form shows before its user changes it.
type Credentials struct{ ClientID, ClientSecret, APIKey string }

// ServePage serves `GET /docs`.
func ServePage(shown Credentials) http.HandlerFunc {
	page := template.Must(template.ParseFS(pageFiles, "page/index.html"))
	return func(w http.ResponseWriter, _ *http.Request) {
		setHeader(w.Header(), "index.html")
		page.Execute(w, shown) // an error means that the connection is gone
	}
}

// ServeAsset serves `GET /docs/{file}`. It calls notFound if the page does not load
// the file.
func ServeAsset(notFound http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		file := r.PathValue("file")
		if !assets[file] {
			notFound(w, r)
			return
		}
		serveFile(w, r, file)
	}
}

// serveFile writes an embedded file. A file that is stored compressed is sent
// compressed if the client accepts gzip.
func serveFile(w http.ResponseWriter, r *http.Request, name string) {
	header := w.Header()
	setHeader(header, name)
	if plain, err := pageFiles.Open("page/" + name); err == nil {
		io.Copy(w, plain) // an error means that the connection is gone
		return
	}
	compressed, err := pageFiles.Open("page/" + name + ".gz")
	if err != nil {
		panic(err) // every name comes from the list of embedded files
	}
	header.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		io.Copy(w, compressed)
		return
	}
	if text, err := gzip.NewReader(compressed); err == nil {
		io.Copy(w, text)
	}
}

// setHeader sets the header fields of a file.
func setHeader(header http.Header, name string) {
	header.Set("Content-Type", contentTypes[path.Ext(name)])
	header.Set("Content-Security-Policy", ContentSecurityPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
}
