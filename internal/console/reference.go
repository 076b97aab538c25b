package console

import (
	"html/template"
	"sync"

	"understudy.example/internal/control"
	"understudy.example/internal/openapi"
)

// Stylesheet returns the console's stylesheet.
func Stylesheet() []byte {
	content, err := assets.ReadFile("assets/console.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return content
}

// referenceData is the reference of an API.
type referenceData struct {
	HTML    template.HTML
	Control bool // it is that of the control API
}

var controlReference = sync.OnceValues(func() (template.HTML, error) { return openapi.HTMLOf(control.Document) })

var apiReference = sync.OnceValues(openapi.HTML)

// loadReference loads the reference of the emulated API.
func loadReference(*visit) (any, error) {
	text, err := apiReference()
	return referenceData{HTML: text}, err
}

// loadControlReference loads the reference of the control API.
func loadControlReference(*visit) (any, error) {
	text, err := controlReference()
	return referenceData{HTML: text, Control: true}, err
}
