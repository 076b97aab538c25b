// Package control lets tests control the emulator through a listener of its own:
// create tenants and reset them, advance their clocks, choose settings, outcomes
// and data packages, and see what happened. It acts through the packages that
// own the rows, and does not know how the emulated API responds.
package control

import (
	_ "embed"
	"fmt"
	"net/http"

	"github.com/oasdiff/yaml"

	"understudy.example/internal/api"
	"understudy.example/internal/fidelity"
)

// Document is the OpenAPI document of the control API.
//
//go:embed openapi.yaml
var Document []byte

// ServeDocument is `GET /openapi.json`.
func ServeDocument() api.Handler {
	text, err := yaml.YAMLToJSON(Document)
	return func(w http.ResponseWriter, _ *http.Request) error {
		if err != nil {
			return fmt.Errorf("control document: %w", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text) // on an error the connection is gone
		return nil
	}
}

// Fidelity is `GET /fidelity`: how certain each response of the emulated API is.
func Fidelity() api.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		return api.Write(w, http.StatusOK, fidelity.All)
	}
}
