package seed_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"understudy.example/internal/auth"
	"understudy.example/internal/control"
	"understudy.example/internal/data"
	"understudy.example/internal/fault"
	"understudy.example/internal/hooks"
	"understudy.example/internal/outcome"
	"understudy.example/internal/seed"
	"understudy.example/internal/server/servertest"
)

// object is a JSON object.
type object = map[string]any

// ownSchema is the part of the schema that is not in the OpenAPI document of the control
// API.
const ownSchema = `
$schema: http://json-schema.org/draft-07/schema#
title: Understudy seed
description: Tenants that a server creates when it starts with --seed. See docs/seeds.md.
type: object
additionalProperties: false
required: [version, tenants]
properties:
  version: {const: 1}
  tenants: {type: array, maxItems: 1000, items: {$ref: "#/definitions/Tenant"}}
definitions:
  Tenant:
    type: object
    additionalProperties: false
    required: [tenant]
    properties:
      tenant: {description: Name of the tenant., type: string, pattern: "^[a-z0-9][a-z0-9-]{0,62}$"}
      clock:
        description: The tenant's clock. It is never moved back, except when the tenant is created.
        type: object
        additionalProperties: false
        minProperties: 1
        properties:
          set: {description: "Time of RFC 3339, such as 2027-01-01T00:00:00Z.", type: string, format: date-time}
          frozen: {description: Whether the clock stands still., type: boolean}
      documents: {description: Documents to submit., type: array, maxItems: 1000, items: {$ref: "#/definitions/Document"}}
  Document:
    type: object
    additionalProperties: false
    oneOf: [{required: [file]}, {required: [text, filename]}]
    properties:
      file: {description: Path of the file. A relative path starts at the directory of the seed., type: string, minLength: 1, maxLength: 255}
      text: {description: Content of the document., type: string}
      filename: {description: "Name under which the document is submitted, unique among those of the tenant. By default that of the file.", type: string, minLength: 1, maxLength: 255}
`

// makeSchema makes the schema of seeds from the OpenAPI document of the control API.
func makeSchema(t *testing.T) []byte {
	t.Helper()
	var schema, document object
	for text, to := range map[string]*object{ownSchema: &schema, string(control.Document): &document} {
		if err := yaml.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	published := document["components"].(object)["schemas"].(object)
	definitions := schema["definitions"].(object)
	tenant := definitions["Tenant"].(object)["properties"].(object)
	for name, property := range published["ConfigurationImport"].(object)["properties"].(object) {
		if tenant[name] == nil {
			tenant[name] = property
		}
	}
	for added := true; added; {
		added = false
		for _, name := range references(schema) {
			if definitions[name] == nil {
				definitions[name], added = flattened(published, published[name].(object)), true
			}
		}
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/definitions/")), '\n')
}

// references returns the names of the schemas to which the value refers.
func references(value any) (names []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			names = append(names, references(element)...)
		}
	case object:
		for key, element := range value {
			if text, ok := element.(string); ok && key == "$ref" {
				names = append(names, text[strings.LastIndex(text, "/")+1:])
			}
			names = append(names, references(element)...)
		}
	}
	return names
}

// flattened returns the schema with the properties of the schema that it extends, and
// without others, so that editors report unknown keys.
func flattened(published, schema object) object {
	extended, ok := schema["allOf"].([]any)
	if !ok {
		return schema
	}
	flat := object{"type": "object", "additionalProperties": false, "required": schema["required"], "properties": object{}}
	maps.Copy(flat["properties"].(object), schema["properties"].(object))
	for _, base := range extended {
		maps.Copy(flat["properties"].(object), published[references(base)[0]].(object)["properties"].(object))
	}
	return flat
}

// TestSchemaIsThatOfTheControlAPI compares the schema with the OpenAPI document from which
// it is made, and with the keys that the code knows.
func TestSchemaIsThatOfTheControlAPI(t *testing.T) {
	want := makeSchema(t)
	if *servertest.Update {
		if err := os.WriteFile("seed.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		seed.Schema = want
	}
	if !bytes.Equal(want, seed.Schema) {
		t.Error("seed.schema.json is out of date: run go test ./internal/seed -update")
	}
	var schema object
	if err := json.Unmarshal(seed.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	// at returns the keys of the object in the schema at the path.
	at := func(path ...string) []string {
		found := schema
		for _, name := range path {
			found = found[name].(object)
		}
		return slices.Sorted(maps.Keys(found["properties"].(object)))
	}
	for _, c := range []struct {
		known []string
		path  []string
	}{
		{seed.FileFields, nil},
		{seed.TenantFields, []string{"definitions", "Tenant"}},
		{seed.DocumentFields, []string{"definitions", "Document"}},
		{control.SeededClockFields, []string{"definitions", "Tenant", "properties", "clock"}},
		{auth.SettingsFields, []string{"definitions", "SettingsChange"}},
		{data.DefinitionFields, []string{"definitions", "PackageCreation"}},
		{outcome.DefinitionFields, []string{"definitions", "OutcomePut"}},
		{fault.DefinitionFields, []string{"definitions", "FaultDefinition"}},
		{hooks.DefinitionFields, []string{"definitions", "SubscriptionImport"}},
		{auth.ClientDefinitionFields, []string{"definitions", "Tenant", "properties", "clients", "items"}},
	} {
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.known)), at(c.path...)); diff != "" {
			t.Errorf("keys of %v (- in the code):\n%s", c.path, diff)
		}
	}
}

// validate validates a seed with the schema, as an editor does.
func validate(t *testing.T, text []byte) error {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(seed.Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("seed.schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("seed.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(instance)
}

// TestSchemaIsServed checks that the control API serves the schema.
func TestSchemaIsServed(t *testing.T) {
	s := servertest.New(t)
	if got := s.Control("GET /seed.schema.json", "").Want(t, http.StatusOK).Body; got != string(seed.Schema) {
		t.Errorf("got %.200s", got)
	}
}
