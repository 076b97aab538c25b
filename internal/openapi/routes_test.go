package openapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/control"
	"understudy.example/internal/openapi"
	"understudy.example/internal/route"
)

// TestDocumentsHaveExactlyTheRoutes checks that each document has every route of
// its listener, and no other.
func TestDocumentsHaveExactlyTheRoutes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document []byte
		routes   []route.Route
		base     string
	}{
		"API":         {openapi.Document, slices.Concat(route.API, route.Own), ""},
		"control API": {control.Document, route.Control, route.ControlBase},
	} {
		t.Run(name, func(t *testing.T) {
			document := parse(t, test.document)
			var routed, documented []string
			for _, rt := range test.routes {
				rt.Path = test.base + strings.TrimSuffix(rt.Path, "/")
				routed = append(routed, rt.Documented())
			}
			for path, item := range document["paths"].(map[string]any) {
				for method := range item.(map[string]any) {
					if method != "parameters" {
						documented = append(documented, strings.ToUpper(method)+" "+path)
					}
				}
			}
			slices.Sort(routed)
			slices.Sort(documented)
			if diff := cmp.Diff(routed, documented); diff != "" {
				t.Errorf("operations (- routes, + document):\n%s", diff)
			}
		})
	}
}
