package openapi_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"

	"understudy.example/internal/control"
	"understudy.example/internal/openapi"
)

// TestDocumentsFollowTheLintRules checks the most important of Redocly's
// recommended rules in both documents, also where Redocly cannot run because Node
// is missing (make lint-api runs it).
func TestDocumentsFollowTheLintRules(t *testing.T) {
	t.Parallel()
	for name, text := range map[string][]byte{"API": openapi.Document, "control API": control.Document} {
		t.Run(name, func(t *testing.T) {
			document := parse(t, text)
			checkOperations(t, document)
			checkPaths(t, document)
			checkComponents(t, document, string(text))
		})
	}
}

// parse returns a document as plain values, with its references unresolved.
func parse(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var document map[string]any
	if _, err := yaml.Unmarshal(text, &document, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	return document
}

func list(node any) []any {
	all, _ := node.([]any)
	return all
}

// Operations without a refusal of their own, and operations without a success.
var (
	neverRefused   = []string{"get /livez", "get /readyz", "get /openapi.yaml", "get /docs"}
	notImplemented = []string{"post /location/v1/location_submit", "get /audit/v1/report/{report}"}
)

// checkOperations checks that each operation has a unique id, a summary, described
// tags, a success, a refusal and a security requirement.
func checkOperations(t *testing.T, document map[string]any) {
	tags := map[any]bool{}
	for _, tag := range list(document["tags"]) {
		tags[tag.(map[string]any)["name"]] = true
	}
	schemes := document["components"].(map[string]any)["securitySchemes"].(map[string]any)
	ids := map[any]bool{}
	for path, item := range document["paths"].(map[string]any) {
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
			if !regexp.MustCompile(`\b2`).MatchString(codes) && !slices.Contains(notImplemented, line) {
				t.Errorf("%s has no success: %s", line, codes)
			}
			if !regexp.MustCompile(`\b4`).MatchString(codes) && !slices.Contains(neverRefused, line) {
				t.Errorf("%s has no refusal: %s", line, codes)
			}
			security, stated := operation["security"]
			if !stated {
				security = document["security"]
			}
			if security == nil {
				t.Errorf("%s has no security requirement", line)
			}
			for _, requirement := range list(security) {
				for scheme := range requirement.(map[string]any) {
					if schemes[scheme] == nil {
						t.Errorf("%s: security scheme %s is not defined", line, scheme)
					}
				}
			}
		}
	}
}

var pathParameter = regexp.MustCompile(`\{[^}]+\}`)

// checkPaths checks that no two patterns take the same paths, that none ends in a
// slash or has a query, and that each parameter in braces is described.
func checkPaths(t *testing.T, document map[string]any) {
	seen := map[string]string{}
	components, _ := document["components"].(map[string]any)["parameters"].(map[string]any)
	for path, item := range document["paths"].(map[string]any) {
		pattern := pathParameter.ReplaceAllString(path, "{}")
		if other, twice := seen[pattern]; twice {
			t.Errorf("%s and %s take the same paths", path, other)
		}
		seen[pattern] = path
		if len(path) > 1 && strings.HasSuffix(path, "/") || strings.Contains(path, "?") {
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
				if reference, ok := parameter["$ref"].(string); ok {
					parameter = components[reference[strings.LastIndex(reference, "/")+1:]].(map[string]any)
				}
				if parameter["in"] == "path" {
					described = append(described, "{"+parameter["name"].(string)+"}")
				}
			}
			inPath := pathParameter.FindAllString(path, -1)
			slices.Sort(described)
			slices.Sort(inPath)
			if !slices.Equal(described, inPath) {
				t.Errorf("%s %s describes the parameters %v", method, path, described)
			}
		}
	}
}

// checkComponents checks that every component is used.
func checkComponents(t *testing.T, document map[string]any, text string) {
	for kind, named := range document["components"].(map[string]any) {
		for name := range named.(map[string]any) {
			if kind != "securitySchemes" && !strings.Contains(text, `"#/components/`+kind+"/"+name+`"`) {
				t.Errorf("nothing refers to %s/%s", kind, name)
			}
		}
	}
}
