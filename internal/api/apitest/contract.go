// Package apitest checks in tests that what goes over the wire is what the
// OpenAPI documents say. A test gives its client a Contract's Transport and
// goes on as before; whatever breaks the contract becomes an error of the test,
// with the exchange in its message.
//
// kin-openapi reads the document and finds the operation; bodies and headers
// are checked with its JSON Schema 2020-12 library directly, each schema
// compiled once, because kin-openapi compiles them anew for every value and
// falls back to OpenAPI 3.0's keywords, without const and propertyNames, when a
// schema does not compile.
//
// It knows no endpoint, and cannot tell what lies between two exchanges or
// between a question and its answer: which of two shapes a query asks for,
// which fields a score belongs to, which a data package shows, whether a status
// went back.
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

// Contract is what one or more OpenAPI documents say together. It holds nothing
// of a test, so that tests in parallel can share one.
type Contract struct {
	documents []*document
}

// New reads OpenAPI 3.1 documents in YAML or JSON; where two have the same
// path and method, the first counts. A document that is not valid ends the
// test. Reading the same document again costs nothing.
func New(t testing.TB, documents ...[]byte) *Contract {
	t.Helper()
	contract := &Contract{}
	for _, text := range documents {
		once, _ := loaded.LoadOrStore(string(text), sync.OnceValues(func() (*document, error) { return load(text) }))
		doc, err := once.(func() (*document, error))()
		if err != nil {
			t.Fatalf("OpenAPI document: %v", err)
		}
		contract.documents = append(contract.documents, doc)
	}
	return contract
}

var loaded sync.Map // a document's text → func() (*document, error)

// document is one OpenAPI document, ready to check against.
type document struct {
	router  routers.Router
	schemas map[*openapi3.SchemaRef]*jsonschema.Schema
}

func load(text []byte) (*document, error) {
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
	schemas, err := compile(spec)
	if err != nil {
		return nil, err
	}
	return &document{router, schemas}, nil
}

// compile compiles the schema of every body and every header of an answer.
func compile(spec *openapi3.T) (map[*openapi3.SchemaRef]*jsonschema.Schema, error) {
	components, err := plain(spec.Components)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	schemas := map[*openapi3.SchemaRef]*jsonschema.Schema{}
	add := func(at string, ref *openapi3.SchemaRef) error {
		if ref == nil || schemas[ref] != nil {
			return nil
		}
		schema, err := plain(ref)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if object, ok := schema.(map[string]any); ok {
			object["components"] = components // what its references point into
		}
		url := fmt.Sprintf("schema:///%d", len(schemas))
		if err := compiler.AddResource(url, schema); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if schemas[ref], err = compiler.Compile(url); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}

	var problems []error
	for path, item := range spec.Paths.Map() {
		for method, operation := range item.Operations() {
			at := method + " " + path
			if operation.RequestBody != nil {
				for _, media := range operation.RequestBody.Value.Content {
					problems = append(problems, add(at+" request", media.Schema))
				}
			}
			for status, response := range operation.Responses.Map() {
				for _, media := range response.Value.Content {
					problems = append(problems, add(at+" "+status, media.Schema))
				}
				for name, header := range response.Value.Headers {
					problems = append(problems, add(at+" "+status+" "+name, header.Value.Schema))
				}
			}
		}
	}
	return schemas, errors.Join(problems...)
}

// plain is v as JSON without Go types.
func plain(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decodeJSON(text)
}

// find returns the document and the operation of a request. When only another
// method of the path is documented, the operation is nil and the path's item is
// not; when the path is unknown, document is nil.
func (c *Contract) find(req *http.Request) (*document, *routers.Route, map[string]string, *openapi3.PathItem) {
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
