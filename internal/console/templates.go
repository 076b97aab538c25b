package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
)

// templateFiles has one file for each page, and files whose names begin with "_", which
// all pages can use.
//
//go:embed templates/*.html
var templateFiles embed.FS

// templates are the templates of the pages by their names.
type templates map[string]*template.Template

// parseTemplates parses the templates.
func parseTemplates() templates {
	shared := template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/_*.html"))
	files, err := fs.ReadDir(templateFiles, "templates")
	if err != nil {
		panic(err) // they are embedded
	}
	parsed := templates{}
	for _, file := range files {
		if name, isHTML := strings.CutSuffix(file.Name(), ".html"); isHTML && !strings.HasPrefix(name, "_") {
			page := template.Must(shared.Clone())
			parsed[name] = template.Must(page.ParseFS(templateFiles, "templates/"+file.Name()))
		}
	}
	return parsed
}

// execute returns the HTML of a part of a page.
func (t templates) execute(name, part string, v *visit) ([]byte, error) {
	page := t[name]
	if page == nil {
		return nil, fmt.Errorf("no template %q", name)
	}
	var out bytes.Buffer
	err := page.ExecuteTemplate(&out, part, v)
	return out.Bytes(), err
}
