// Package openapi holds the OpenAPI document of the emulated API and serves it:
// as YAML with recorded responses as its examples, and as a page in which every
// call can be tried. It knows no handler.
package openapi

import (
	_ "embed"
	"net/http"
	"sync"
)

// Document is the hand-written OpenAPI document, without examples.
//
//go:embed openapi.yaml
var Document []byte

// Examples are recorded responses as JSON: operation → status code → name → body. They
// are in a separate file so that Document stays readable. The test
// TestExamplesAreRecorded records them.
//
//go:embed examples.json
var Examples []byte

// Published returns Document with Examples and the version of the server added.
var Published = sync.OnceValues(func() ([]byte, error) { return addExamples(Document, Examples) })

// Serve serves `GET /openapi.yaml`.
func Serve(w http.ResponseWriter, _ *http.Request) {
	text, err := Published()
	if err != nil {
		text = Document // a test ensures that this cannot happen
	}
	w.Header().Set("Content-Type", "application/yaml")
	w.Write(text) // an error means that the connection is gone
}
