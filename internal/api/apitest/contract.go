// Package apitest checks in tests that requests and responses conform to the
// OpenAPI documents. A test uses the Transport of a Contract in its HTTP client.
// Each violation is then reported as an error of the test, together with the
// request and response.
//
// kin-openapi parses the document and finds the operation. Bodies and headers are
// validated with the JSON Schema 2020-12 library that it uses, and each schema is
// compiled once. kin-openapi itself would compile the schema for every value, and
// fall back to the keywords of OpenAPI 3.0, without const and propertyNames, if a
// schema does not compile.
//
// The package does not know any endpoint. It cannot check relations between
// exchanges, or between a request and its response: which of two shapes a query
// selects, which fields a score belongs to, which fields a data package shows, or
// whether a status went backwards.
package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Contract is the combination of one or more OpenAPI documents. It has no state,
// so parallel tests can share one.
type Contract struct {
	documents []*document
}

// New returns the contract of OpenAPI 3.1 documents in YAML or JSON. If two
// documents have the same path and method, the first takes precedence. An invalid
// document fails the test. Each document is parsed only once per process.
func New(t testing.TB, documents ...[]byte) *Contract {
	t.Helper()
	contract := &Contract{}
	for _, text := range documents {
		once, _ := parsedDocuments.LoadOrStore(string(text), sync.OnceValues(func() (*document, error) { return parseDocument(text) }))
		doc, err := once.(func() (*document, error))()
		if err != nil {
			t.Fatalf("OpenAPI document: %v", err)
		}
		contract.documents = append(contract.documents, doc)
	}
	return contract
}

var parsedDocuments sync.Map // text of the document → func() (*document, error)

// document is a parsed OpenAPI document with compiled schemas.
type document struct {
	router  routers.Router
	schemas map[*openapi3.SchemaRef]*jsonschema.Schema
}

func parseDocument(text []byte) (*document, error) {
	spec, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	if !spec.IsOpenAPI31OrLater() {
		return nil, fmt.Errorf("version %s, want 3.1", spec.OpenAPI)
	}
	if err := spec.Validate(context.Background(), openapi3.IsOpenAPI31OrLater()); err != nil {
		return nil, err
	}
	spec.Servers = openapi3.Servers{{URL: "/"}} // any host and port
	router, err := gorillamux.NewRouter(spec)
	if err != nil {
		return nil, err
	}
	schemas, err := compileSchemas(spec)
	if err != nil {
		return nil, err
	}
	return &document{router, schemas}, nil
}

// compileSchemas compiles the schemas of all request bodies, response bodies and
// response headers.
func compileSchemas(spec *openapi3.T) (map[*openapi3.SchemaRef]*jsonschema.Schema, error) {
	components, err := toPlainJSON(spec.Components)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	schemas := map[*openapi3.SchemaRef]*jsonschema.Schema{}
	add := func(location string, ref *openapi3.SchemaRef) error {
		if ref == nil || schemas[ref] != nil {
			return nil
		}
		schema, err := toPlainJSON(ref)
		if err != nil {
			return fmt.Errorf("%s: %w", location, err)
		}
		if object, ok := schema.(map[string]any); ok {
			object["components"] = components // the target of its references
		}
		url := fmt.Sprintf("schema:///%d", len(schemas))
		if err := compiler.AddResource(url, schema); err != nil {
			return fmt.Errorf("%s: %w", location, err)
		}
		if schemas[ref], err = compiler.Compile(url); err != nil {
			return fmt.Errorf("%s: %w", location, err)
		}
		return nil
	}

	var problems []error
	for path, item := range spec.Paths.Map() {
		for method, operation := range item.Operations() {
			location := method + " " + path
			if operation.RequestBody != nil {
				for _, media := range operation.RequestBody.Value.Content {
					problems = append(problems, add(location+" request", media.Schema))
				}
			}
			for status, response := range operation.Responses.Map() {
				for _, media := range response.Value.Content {
					problems = append(problems, add(location+" "+status, media.Schema))
				}
				for name, header := range response.Value.Headers {
					problems = append(problems, add(location+" "+status+" "+name, header.Value.Schema))
				}
			}
		}
	}
	return schemas, errors.Join(problems...)
}

// toPlainJSON converts v to the value that decoding its JSON yields.
func toPlainJSON(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decodeJSON(text)
}

// findOperation returns the document and the route of a request, and its path
// parameters. If the path is documented, but not the method, the route is nil and
// the path item is not. If the path is not documented, all results are nil.
func (c *Contract) findOperation(req *http.Request) (*document, *routers.Route, map[string]string, *openapi3.PathItem) {
	for _, doc := range c.documents {
		if route, params, err := doc.router.FindRoute(req); err == nil {
			return doc, route, params, route.PathItem
		}
	}
	for _, doc := range c.documents {
		for _, method := range methods {
			other := req.Clone(req.Context())
			other.Method = method
			if route, _, err := doc.router.FindRoute(other); err == nil {
				return doc, nil, nil, route.PathItem
			}
		}
	}
	return nil, nil, nil, nil
}

var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodHead, http.MethodOptions, http.MethodTrace,
}
