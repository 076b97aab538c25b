package control_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"

	"understudy.example/internal/control"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// TestDocumentHasEveryRoute checks that the OpenAPI document has the routes of the
// control API, each under the name of its operation, and no others.
func TestDocumentHasEveryRoute(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, documents: the OpenAPI document of the control API")
	t.Parallel()
	var document struct {
		Paths map[string]map[string]any
	}
	text, err := yaml.YAMLToJSON(control.Document)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for path, operations := range document.Paths {
		for method, operation := range operations {
			if method != "parameters" {
				documented[strings.ToUpper(method)+" "+path] = operation.(map[string]any)["operationId"].(string)
			}
		}
	}
	for _, rt := range route.Control {
		pattern := rt.Method + " " + strings.TrimSuffix(route.ControlBase+rt.Path, "/")
		if got := documented[pattern]; got != string(rt.Operation) {
			t.Errorf("%s has the operationId %q, want %q", pattern, got, rt.Operation)
		}
		delete(documented, pattern)
	}
	for pattern, operation := range documented {
		t.Errorf("%s (%s) is not a route", pattern, operation)
	}
}
