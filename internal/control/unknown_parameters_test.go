package control_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"understudy.example/internal/control"
	"understudy.example/internal/route"
	"understudy.example/internal/server/servertest"
)

// TestUnknownParametersAreRefused checks that every call with query parameters refuses
// unknown and repeated ones, since a filter with a wrong name would select everything.
func TestUnknownParametersAreRefused(t *testing.T) {
	servertest.Proves(t, "Chosen, control API, documents: unknown and repeated query parameters are refused")
	s := servertest.New(t)
	tenant := s.NewTenant(`{}`)
	first := map[string]string{} // a parameter of each operation
	document, err := openapi3.NewLoader().LoadFromData(control.Document)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range document.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, p := range operation.Parameters {
				if p.Value.In == "query" {
					first[operation.OperationID] = p.Value.Name
				}
			}
		}
	}
	if len(first) < 12 {
		t.Errorf("%d operations have query parameters, want at least 12", len(first))
	}
	s.Unchanged(t, func() {
		for _, rt := range route.Control {
			name, ok := first[string(rt.Operation)]
			if !ok {
				continue
			}
			line := strings.NewReplacer("{t}", tenant.Name, "{tx_id}", servertest.Absent, "{id}", servertest.Absent).Replace(rt.Pattern())
			for query, want := range map[string]string{
				"?unknown=1":                     `{"message":"unknown parameter \"unknown\""}`,
				"?" + name + "=1&" + name + "=1": "",
			} {
				refused := s.Control(line+query, "").Want(t, http.StatusBadRequest)
				if want != "" && refused.Body != want {
					t.Errorf("%s%s: %s, want %s", line, query, refused.Body, want)
				}
			}
		}
	})
}
