package openapi

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"strconv"
	"sync"

	"understudy.example/internal/fidelity"
)

// pageFiles are the templates, and the files that the page of the API listener loads
// besides the console's stylesheet. It loads nothing from another host.
//
//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"markdown": markdown,
	"shown":    func(o Operation, several, tryIt bool) shownOperation { return shownOperation{o, several, tryIt} },
}).ParseFS(pageFiles, "page/*.html"))

// Page is the path of the page that shows the document. The files that the page
// loads are below it.
const Page = "/docs"

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
}

// ContentSecurityPolicy allows the page only to load its own files and to call its own
// server: no inline script or style, no eval, no frames.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Credentials are what the page's form shows before its user changes it.
type Credentials struct{ ClientID, ClientSecret, APIKey string }

// shown is what the templates show.
type shown struct {
	*Reference
	Checks      []check
	TryIt       bool // each operation has a form that makes the call
	Credentials Credentials
}

// shownOperation is an operation, one of several versions or the only one.
type shownOperation struct {
	Operation      Operation
	Several, TryIt bool
}

// published is the reference of the emulated API.
var published = sync.OnceValues(func() (*Reference, error) {
	document, err := Published()
	if err != nil {
		return nil, err
	}
	return NewReference(document, labelOf)
})

// labelOf returns how certain it is that the real service has an operation or responds
// with a status.
func labelOf(method, path, status string) string {
	if code, err := strconv.Atoi(status); err == nil {
		response, _ := fidelity.Find(method, path, code)
		return string(response.Label)
	}
	for _, operation := range fidelity.All.Operations {
		if operation.Line == method+" "+path && status == "" {
			return string(operation.Label)
		}
	}
	return ""
}

// HTML returns the reference of the emulated API as a part of a page.
func HTML() (template.HTML, error) {
	reference, err := published()
	if err != nil {
		return "", err
	}
	return render("reference", shown{Reference: reference, Checks: checks})
}

// HTMLOf returns the reference of another API as a part of a page.
func HTMLOf(document []byte) (template.HTML, error) {
	reference, err := NewReference(document, func(string, string, string) string { return "" })
	if err != nil {
		return "", err
	}
	return render("reference", shown{Reference: reference})
}

func render(name string, data shown) (template.HTML, error) {
	var out bytes.Buffer
	err := pageTemplates.ExecuteTemplate(&out, name, data)
	return template.HTML(out.String()), err
}

// ServePage serves `GET /docs`.
func ServePage(credentials Credentials) http.HandlerFunc {
	page := sync.OnceValues(func() (*file, error) {
		reference, err := published()
		if err != nil {
			return nil, err
		}
		text, err := render("index.html", shown{Reference: reference, Checks: checks, TryIt: true, Credentials: credentials})
		return &file{plain: []byte(text)}, err
	})
	return func(w http.ResponseWriter, r *http.Request) {
		file, err := page()
		if err != nil {
			http.Error(w, "The page could not be made.", http.StatusInternalServerError) // a test ensures that this cannot happen
			return
		}
		setHeader(w.Header(), "index.html")
		file.write(w, r)
	}
}

// ServeAsset serves `GET /docs/{file}`. It calls notFound if the page does not load
// the file. stylesheet is that of the console, whose look the page has.
func ServeAsset(stylesheet []byte, notFound http.HandlerFunc) http.HandlerFunc {
	files := map[string]*file{"console.css": {plain: stylesheet}}
	for _, name := range []string{"docs.css", "docs.js"} {
		content, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		files[name] = &file{plain: content}
	}
	return func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[r.PathValue("file")]
		if !ok {
			notFound(w, r)
			return
		}
		setHeader(w.Header(), r.PathValue("file"))
		file.write(w, r)
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
