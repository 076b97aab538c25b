package fidelity_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/oasdiff/yaml"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/openapi"
)

// TestTableHasEveryField checks that the table has every field of every response of
// the document, and no other.
func TestTableHasEveryField(t *testing.T) {
	t.Parallel()
	var document map[string]any
	if _, err := yaml.Unmarshal(openapi.Document, &document, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	fields := responseFields{components: document["components"].(map[string]any), found: map[string]bool{}, visited: map[string]bool{}}
	for _, item := range document["paths"].(map[string]any) {
		for _, operation := range item.(map[string]any) {
			operation, _ := operation.(map[string]any) // nil for the parameters of a path
			responses, _ := operation["responses"].(map[string]any)
			for _, response := range responses {
				fields.addResponse(response.(map[string]any))
			}
		}
	}
	listed := map[string]bool{}
	for _, field := range fidelity.All.Fields {
		if listed[field.Schema+" "+field.Name] {
			t.Errorf("%s %s is listed twice", field.Schema, field.Name)
		}
		listed[field.Schema+" "+field.Name] = true
	}
	if diff := cmp.Diff(fields.found, listed); diff != "" {
		t.Errorf("fields (- document, + table):\n%s", diff)
	}
}

// responseFields collects the fields of responses, as schema and name.
type responseFields struct {
	components map[string]any // of the document
	found      map[string]bool
	visited    map[string]bool // schemas
}

// reference returns the name of the component that a node refers to or extends; ""
// if there is none.
func reference(node map[string]any) string {
	ref, _ := node["$ref"].(string)
	for _, one := range list(node["allOf"]) {
		if extended, ok := one.(map[string]any)["$ref"].(string); ok {
			ref = extended
		}
	}
	return ref[strings.LastIndex(ref, "/")+1:]
}

func (f responseFields) component(kind, name string) map[string]any {
	node, _ := f.components[kind].(map[string]any)[name].(map[string]any)
	return node
}

// addResponse adds the fields of a response. An inline schema has the name of the
// response.
func (f responseFields) addResponse(node map[string]any) {
	name := reference(node)
	if name != "" {
		node = f.component("responses", name)
	}
	content, _ := node["content"].(map[string]any)
	for _, media := range content {
		schema := media.(map[string]any)["schema"].(map[string]any)
		if referred := reference(schema); referred != "" {
			f.addSchema(referred)
		} else {
			f.addNode(name, "", schema)
		}
	}
}

func (f responseFields) addSchema(name string) {
	if !f.visited[name] {
		f.visited[name] = true
		f.addNode(name, "", f.component("schemas", name))
	}
}

// addNode adds the fields of a node of the schema. The fields of a schema that it
// extends belong to that schema.
func (f responseFields) addNode(schema, prefix string, node map[string]any) {
	extended := map[string]bool{}
	for base := reference(node); base != ""; base = reference(f.component("schemas", base)) {
		f.addSchema(base)
		for name := range properties(f.component("schemas", base)) {
			extended[name] = true
		}
	}
	for name, property := range properties(node) {
		path := strings.TrimPrefix(prefix+"."+name, ".")
		if !extended[name] && !f.addInner(schema, path, property.(map[string]any)) {
			f.found[schema+" "+path] = true
		}
	}
	if items, ok := node["items"].(map[string]any); ok {
		f.addInner(schema, prefix+"[]", items)
	}
	if _, ok := node["additionalProperties"].(map[string]any); ok && len(properties(node)) == 0 {
		f.found[schema+" *"] = true
	}
	for _, one := range slices.Concat(list(node["oneOf"]), list(node["anyOf"])) {
		if referred := reference(one.(map[string]any)); referred != "" {
			f.addSchema(referred)
		}
	}
}

// addInner adds the fields inside a field, and reports whether there can be any.
func (f responseFields) addInner(schema, path string, node map[string]any) bool {
	if referred := reference(node); referred != "" {
		f.addSchema(referred)
		component := f.component("schemas", referred)
		_, mapping := component["additionalProperties"].(map[string]any)
		return mapping || len(properties(component)) > 0 || reference(component) != ""
	}
	items, _ := node["items"].(map[string]any)
	if len(properties(node)) == 0 && len(properties(items)) == 0 {
		return false
	}
	f.addNode(schema, path, node)
	return true
}

func properties(node map[string]any) map[string]any {
	all, _ := node["properties"].(map[string]any)
	return all
}

func list(node any) []any {
	all, _ := node.([]any)
	return all
}
