package openapi_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/oasdiff/yaml"

	"understudy.example/internal/control"
	"understudy.example/internal/server/servertest"
)

// TestDocumentRules: what matters of Redocly's recommended rules holds for both
// documents, also where no Node is there to run it (make lint-api).
func TestDocumentRules(t *testing.T) {
	for name, text := range map[string][]byte{"the API": document, "the control API": control.Document} {
		var spec map[string]any
		if _, err := yaml.Unmarshal(text, &spec, yaml.DecodeOpts{}); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			rulesOfOperations(t, spec)
			rulesOfPaths(t, spec)
			rulesOfComponents(t, spec, string(text))
		})
	}
}

// refusesNothing are the operations that have no refusal of their own, and
// namesOnly those that have no success.
var (
	refusesNothing = []string{"get /livez", "get /readyz", "get /openapi.yaml", "get /docs"}
	namesOnly      = []string{"post /location/v1/location_submit", "get /audit/v1/report/{report}"}
)

// rulesOfOperations: each has an id of its own, a summary, known tags, a
// success and a refusal, and says what secures it.
func rulesOfOperations(t *testing.T, spec map[string]any) {
	tags := map[any]bool{}
	for _, tag := range list(spec["tags"]) {
		tags[tag.(map[string]any)["name"]] = true
	}
	schemes := spec["components"].(map[string]any)["securitySchemes"].(map[string]any)
	ids := map[any]bool{}
	for path, item := range spec["paths"].(map[string]any) {
		for method, node := range item.(map[string]any) {
			operation, ok := node.(map[string]any)
			if !ok {
				continue // the path's parameters
			}
			line := method + " " + path
			if id := operation["operationId"]; id == nil || ids[id] {
				t.Errorf("%s: operationId %v is missing or not unique", line, id)
			} else {
				ids[id] = true
			}
			if summary, _ := operation["summary"].(string); summary == "" {
				t.Errorf("%s has no summary", line)
			}
			for _, tag := range list(operation["tags"]) {
				if !tags[tag] {
					t.Errorf("%s: tag %v is not described", line, tag)
				}
			}
			codes := strings.Join(slices.Sorted(maps.Keys(operation["responses"].(map[string]any))), " ")
			if !regexp.MustCompile(`\b2`).MatchString(codes) && !slices.Contains(namesOnly, line) {
				t.Errorf("%s has no success: %s", line, codes)
			}
			if !regexp.MustCompile(`\b4`).MatchString(codes) && !slices.Contains(refusesNothing, line) {
				t.Errorf("%s has no refusal: %s", line, codes)
			}
			security, said := operation["security"]
			if !said {
				security = spec["security"]
			}
			if security == nil {
				t.Errorf("%s says nothing of its security", line)
			}
			for _, one := range list(security) {
				for scheme := range one.(map[string]any) {
					if schemes[scheme] == nil {
						t.Errorf("%s: scheme %s is not defined", line, scheme)
					}
				}
			}
		}
	}
}

var braced = regexp.MustCompile(`\{[^}]+\}`)

// rulesOfPaths: no two patterns take the same paths, none ends in a slash or
// has a query, and each parameter in braces is described.
func rulesOfPaths(t *testing.T, spec map[string]any) {
	seen := map[string]string{}
	components := spec["components"].(map[string]any)["parameters"].(map[string]any)
	for path, item := range spec["paths"].(map[string]any) {
		pattern := braced.ReplaceAllString(path, "{}")
		if other, twice := seen[pattern]; twice {
			t.Errorf("%s and %s take the same paths", path, other)
		}
		seen[pattern] = path
		if strings.HasSuffix(path, "/") || strings.Contains(path, "?") {
			t.Errorf("path %s", path)
		}
		for method, node := range item.(map[string]any) {
			operation, ok := node.(map[string]any)
			if !ok {
				continue
			}
			var described []string
			for _, one := range slices.Concat(list(item.(map[string]any)["parameters"]), list(operation["parameters"])) {
				parameter := one.(map[string]any)
				if to := refersTo(parameter); to != "" {
					parameter = components[to].(map[string]any)
				}
				if parameter["in"] == "path" {
					described = append(described, "{"+parameter["name"].(string)+"}")
				}
			}
			inPath := braced.FindAllString(path, -1)
			slices.Sort(described)
			slices.Sort(inPath)
			if !slices.Equal(described, inPath) {
				t.Errorf("%s %s describes the parameters %v", method, path, described)
			}
		}
	}
}

// rulesOfComponents: every component is used.
func rulesOfComponents(t *testing.T, spec map[string]any, text string) {
	for kind, named := range spec["components"].(map[string]any) {
		for name := range named.(map[string]any) {
			if kind != "securitySchemes" && !strings.Contains(text, `"#/components/`+kind+"/"+name+`"`) {
				t.Errorf("nothing refers to %s/%s", kind, name)
			}
		}
	}
}

// TestDocumentRoutes: the document has every route, and no other.
func TestDocumentRoutes(t *testing.T) {
	var known parts
	servertest.New(t, func(p *parts) { known = *p })
	known.observer = &observer{}
	routed, documented := map[string]bool{}, map[string]bool{}
	err := chi.Walk(routes(known).(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if route != "/auth/token" || method == http.MethodPost { // its other methods answer 405
			routed[method+" "+strings.Replace(route, "/*", "/{report}", 1)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range raw(t)["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				documented[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	if diff := cmp.Diff(documented, routed); diff != "" {
		t.Errorf("document (-) and routes (+):\n%s", diff)
	}
}
