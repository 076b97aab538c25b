// Package control implements the control API, with which tests control the emulator:
// it creates and resets tenants, advances their clocks, changes settings, outcomes and
// data packages, and shows calls, submissions and deliveries. It calls the packages
// that own the rows, and does not know how the emulated API responds.
package control

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"go.yaml.in/yaml/v3"

	"understudy.example/internal/api"
	"understudy.example/internal/fidelity"
	"understudy.example/internal/version"
)

// Document is the OpenAPI document of the control API.
//
//go:embed openapi.yaml
var Document []byte

// ServeDocument is `GET /openapi.json`: it serves Document as JSON.
func ServeDocument() api.Handler {
	text, err := documentAsJSON()
	return func(w http.ResponseWriter, _ *http.Request) error {
		if err != nil {
			return fmt.Errorf("convert OpenAPI document to JSON: %w", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text) // on an error the connection is gone
		return nil
	}
}

func documentAsJSON() ([]byte, error) {
	var document map[string]any
	text := bytes.Replace(Document, []byte("version: devel\n"), []byte("version: "+version.String()+"\n"), 1)
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// Fidelity is `GET /fidelity`: it returns how certain each response of the emulated API
// is.
func Fidelity() api.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		return api.Write(w, http.StatusOK, fidelity.All)
	}
}
