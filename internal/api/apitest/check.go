package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// exchange is a request with its answer.
type exchange struct {
	request  *http.Request // without its body
	sent     []byte        // the request's body
	whole    bool          // all of the request's body is in sent
	response *http.Response
	body     []byte // the response's body
	streamed bool   // the response's body was not read
}

// check returns what in the exchange breaks the contract.
func (c *Contract) check(e exchange) []error {
	doc, route, params, item := c.find(e.request)
	if route == nil {
		return c.checkUnknown(e, doc, item)
	}
	problems := doc.checkAnswer(e, route.Operation)
	if e.response.StatusCode/100 == 2 {
		problems = append(problems, doc.checkRequest(e, route, params)...)
	}
	return problems
}

// checkUnknown checks the answer to a method or path that is not documented: a
// 405 where an operation of the path documents one, else one of the two forms
// for unknown routes.
func (c *Contract) checkUnknown(e exchange, doc *document, item *openapi3.PathItem) []error {
	if item != nil {
		for _, operation := range item.Operations() {
			if operation.Responses.Value("405") == nil {
				continue
			}
			if e.response.StatusCode != http.StatusMethodNotAllowed {
				return []error{errors.New("an undocumented method of this path is answered with 405")}
			}
			return doc.checkAnswer(e, operation)
		}
	}
	body, known := unknownRoute[e.response.StatusCode]
	if e.request.Method == http.MethodHead {
		body = ""
	}
	if !known || string(e.body) != body {
		return []error{errors.New("the document has no such route, and this is not the answer to an unknown one")}
	}
	var problems []error
	if e.response.Header.Get("X-Request-Id") == "" {
		problems = append(problems, errors.New("header X-Request-Id is missing"))
	}
	if kind := e.response.Header.Get("Content-Type"); kind != "application/json" {
		problems = append(problems, fmt.Errorf("content type %q is not documented", kind))
	}
	return problems
}

var unknownRoute = map[int]string{
	http.StatusForbidden: `{"message":"Missing Authentication Token"}`,
	http.StatusNotFound:  `{"status":404,"error":"Not Found"}`,
}

func (d *document) checkAnswer(e exchange, operation *openapi3.Operation) []error {
	documented := operation.Responses.Status(e.response.StatusCode)
	if documented == nil {
		documented = operation.Responses.Default()
	}
	if documented == nil {
		return []error{fmt.Errorf("status %d is not documented", e.response.StatusCode)}
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(documented.Value.Headers)) {
		if err := d.checkHeader(documented.Value.Headers[name].Value, name, e.response.Header.Values(name)); err != nil {
			problems = append(problems, fmt.Errorf("header %s: %w", name, err))
		}
	}
	if e.request.Method == http.MethodHead {
		return problems
	}
	if len(documented.Value.Content) == 0 {
		if len(e.body) > 0 {
			problems = append(problems, errors.New("body where none is documented"))
		}
		return problems
	}
	if err := d.checkBody(documented.Value.Content, e.response.Header.Get("Content-Type"), e.body, e.streamed); err != nil {
		problems = append(problems, err)
	}
	return problems
}

func (d *document) checkHeader(header *openapi3.Header, name string, values []string) error {
	switch {
	case len(values) == 0 && header.Required:
		return errors.New("missing")
	case len(values) == 0:
		return nil
	case len(values) > 1:
		return fmt.Errorf("given %d times", len(values))
	case header.Schema == nil:
		return nil
	}
	var value any = values[0]
	if kind := header.Schema.Value.Type; kind.Is("integer") || kind.Is("number") {
		value = json.Number(values[0])
	}
	return tidy(d.schemas[header.Schema].Validate(value))
}

// checkRequest checks a request that was accepted. One that was refused may
// have been bad on purpose.
func (d *document) checkRequest(e exchange, route *routers.Route, params map[string]string) []error {
	var problems []error
	err := openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request:    e.request,
		PathParams: params,
		Route:      route,
		Options: &openapi3filter.Options{
			ExcludeRequestBody:  true,
			MultiError:          true,
			SkipSettingDefaults: true,
			AuthenticationFunc:  authenticated,
		},
	})
	if err != nil {
		problems = append(problems, fmt.Errorf("accepted, although: %w", err))
	}
	if route.Operation.RequestBody == nil || !e.whole {
		return problems
	}
	documented := route.Operation.RequestBody.Value
	if len(e.sent) == 0 {
		if documented.Required {
			problems = append(problems, errors.New("accepted, although the request has no body"))
		}
		return problems
	}
	if err := d.checkBody(documented.Content, e.request.Header.Get("Content-Type"), e.sent, false); err != nil {
		problems = append(problems, fmt.Errorf("accepted, although in the request: %w", err))
	}
	return problems
}

// authenticated tells whether the request carries what a security scheme asks
// for; whether that is any good, the server has said.
func authenticated(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	header := input.RequestValidationInput.Request.Header
	scheme := input.SecurityScheme
	switch {
	case scheme.Type == "apiKey" && scheme.In == "header":
		if header.Get(scheme.Name) != "" {
			return nil
		}
	case scheme.Type == "http":
		given, _, _ := strings.Cut(header.Get("Authorization"), " ")
		if strings.EqualFold(given, scheme.Scheme) {
			return nil
		}
	}
	return fmt.Errorf("no %s credential is given", input.SecuritySchemeName)
}

func (d *document) checkBody(content openapi3.Content, contentType string, body []byte, streamed bool) error {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("content type %q: %w", contentType, err)
	}
	media := content.Get(kind)
	if charset := params["charset"]; media == nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fmt.Errorf("content type %q is not documented", contentType)
	}
	if media.Schema == nil || streamed {
		return nil
	}
	value, err := decode(kind, params, body)
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if err := tidy(d.schemas[media.Schema].Validate(value)); err != nil {
		return fmt.Errorf("body %w", err)
	}
	return nil
}

// tidy drops the first line of a schema's error, which names our own URL.
func tidy(err error) error {
	if err == nil {
		return nil
	}
	if _, rest, ok := strings.Cut(err.Error(), "\n"); ok {
		return errors.New(rest)
	}
	return err
}
