package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"sync"
)

// templateFiles has one file for each page, and files whose names begin with "_", which
// all pages can use.
//
//go:embed templates/*.html
var templateFiles embed.FS

// templates are the templates of the pages by their names. Each is parsed when its page is
// first shown, because together they use 2 MB of memory.
type templates map[string]func() *template.Template

// newTemplates returns the templates of all pages.
func newTemplates() templates {
	files, err := fs.ReadDir(templateFiles, "templates")
	if err != nil {
		panic(err) // they are embedded
	}
	pages := templates{}
	for _, file := range files {
		if name, isHTML := strings.CutSuffix(file.Name(), ".html"); isHTML && !strings.HasPrefix(name, "_") {
			pages[name] = sync.OnceValue(func() *template.Template {
				return template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/_*.html", "templates/"+file.Name()))
			})
		}
	}
	return pages
}

// execute returns the HTML of a part of a page.
func (t templates) execute(name, part string, v *visit) ([]byte, error) {
	page := t[name]
	if page == nil {
		return nil, fmt.Errorf("no template %q", name)
	}
	var out bytes.Buffer
	err := page().ExecuteTemplate(&out, part, v)
	return out.Bytes(), err
}
