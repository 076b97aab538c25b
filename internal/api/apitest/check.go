package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// exchange is a request and its response.
type exchange struct {
	request             *http.Request // without its body
	requestBody         []byte
	requestBodyComplete bool // whether requestBody is the complete body
	response            *http.Response
	responseBody        []byte
	streamed            bool // whether the response is an event stream, whose body was not read
}

// check returns the violations of the contract in the exchange.
func (c *Contract) check(e exchange) []error {
	doc, route, params, item := c.findOperation(e.request)
	problems := checkHint(e.response, route)
	if route == nil {
		return append(problems, c.checkUndocumented(e, doc, item)...)
	}
	problems = append(problems, doc.checkResponse(e, route.Operation)...)
	if e.response.StatusCode/100 == 2 {
		problems = append(problems, doc.checkRequest(e, route, params)...)
	}
	return problems
}

// hint is the form of X-Understudy-Hint.
var hint = regexp.MustCompile(`^[ -~]{10,200}$`)

// checkHint checks that every 4xx response has a hint, and that no other response has
// one, except that 503 responses can, and responses for which the operation documents it.
// route is nil if the operation is not documented.
func checkHint(response *http.Response, route *routers.Route) []error {
	values := response.Header.Values("X-Understudy-Hint")
	refused := response.StatusCode >= 400 && response.StatusCode < 500
	switch {
	case refused && len(values) == 0:
		return []error{errors.New("a 4xx response without X-Understudy-Hint")}
	case !refused && response.StatusCode != http.StatusServiceUnavailable && len(values) > 0 && !documentsHint(route, response.StatusCode):
		return []error{errors.New("X-Understudy-Hint in a response that is not 4xx or 503")}
	case len(values) > 0 && (len(values) > 1 || !hint.MatchString(values[0])):
		return []error{fmt.Errorf("X-Understudy-Hint %q: want one line of 10 to 200 ASCII characters", values)}
	}
	return nil
}

// documentsHint reports whether responses of the operation with the status can have a
// hint.
func documentsHint(route *routers.Route, status int) bool {
	if route == nil {
		return false
	}
	documented := route.Operation.Responses.Status(status)
	return documented != nil && documented.Value.Headers["X-Understudy-Hint"] != nil
}

// checkUndocumented checks the response to a method or path that is not
// documented. It must be 405 if an operation of the path documents that, and
// otherwise one of the two responses to an unknown route. item is nil if the path
// is not documented.
func (c *Contract) checkUndocumented(e exchange, doc *document, item *openapi3.PathItem) []error {
	if item != nil {
		for _, operation := range item.Operations() {
			if operation.Responses.Value("405") == nil {
				continue
			}
			if e.response.StatusCode != http.StatusMethodNotAllowed {
				return []error{errors.New("the response to an undocumented method of this path must be 405")}
			}
			return doc.checkResponse(e, operation)
		}
	}
	body, known := unknownRouteBody[e.response.StatusCode]
	if e.request.Method == http.MethodHead {
		body = ""
	}
	if !known || string(e.responseBody) != body {
		return []error{errors.New("no such route is documented, and this is not the response to an unknown route")}
	}
	var problems []error
	if e.response.Header.Get("X-Request-Id") == "" {
		problems = append(problems, errors.New("header X-Request-Id is missing"))
	}
	if contentType := e.response.Header.Get("Content-Type"); contentType != "application/json" {
		problems = append(problems, fmt.Errorf("content type %q is not documented", contentType))
	}
	return problems
}

// unknownRouteBody holds the bodies of the responses to an unknown route, by
// status code: of webhooks 404, of all other endpoints 403.
var unknownRouteBody = map[int]string{
	http.StatusForbidden: `{"message":"Missing Authentication Token"}`,
	http.StatusNotFound:  `{"status":404,"error":"Not Found"}`,
}

func (d *document) checkResponse(e exchange, operation *openapi3.Operation) []error {
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
		if len(e.responseBody) > 0 {
			problems = append(problems, errors.New("the response has a body, but none is documented"))
		}
		return problems
	}
	if err := d.checkBody(documented.Value.Content, e.response.Header.Get("Content-Type"), e.responseBody, e.streamed); err != nil {
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
		return fmt.Errorf("occurs %d times", len(values))
	case header.Schema == nil:
		return nil
	}
	var value any = values[0]
	if typ := header.Schema.Value.Type; typ.Is("integer") || typ.Is("number") {
		value = json.Number(values[0])
	}
	return trimSchemaError(d.schemas[header.Schema].Validate(value))
}

// checkRequest checks a request that was accepted. A request that was rejected
// may be invalid on purpose.
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
			AuthenticationFunc:  hasCredential,
		},
	})
	if err != nil {
		problems = append(problems, fmt.Errorf("the request was accepted, but is invalid: %w", err))
	}
	if route.Operation.RequestBody == nil || !e.requestBodyComplete {
		return problems
	}
	documented := route.Operation.RequestBody.Value
	if len(e.requestBody) == 0 {
		if documented.Required {
			problems = append(problems, errors.New("the request was accepted, but has no body"))
		}
		return problems
	}
	if err := d.checkBody(documented.Content, e.request.Header.Get("Content-Type"), e.requestBody, false); err != nil {
		problems = append(problems, fmt.Errorf("the request was accepted, but is invalid: %w", err))
	}
	return problems
}

// hasCredential returns an error if the request has no credential of the security
// scheme. It does not check the credential, which the server has accepted.
func hasCredential(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	header := input.RequestValidationInput.Request.Header
	scheme := input.SecurityScheme
	switch {
	case scheme.Type == "apiKey" && scheme.In == "header":
		if header.Get(scheme.Name) != "" {
			return nil
		}
	case scheme.Type == "http":
		name, _, _ := strings.Cut(header.Get("Authorization"), " ")
		if strings.EqualFold(name, scheme.Scheme) {
			return nil
		}
	}
	return fmt.Errorf("missing %s credential", input.SecuritySchemeName)
}

func (d *document) checkBody(content openapi3.Content, contentType string, body []byte, streamed bool) error {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("content type %q: %w", contentType, err)
	}
	media := content.Get(mediaType)
	if charset := params["charset"]; media == nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fmt.Errorf("content type %q is not documented", contentType)
	}
	if media.Schema == nil || streamed {
		return nil
	}
	value, err := decode(mediaType, params, body)
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if err := trimSchemaError(d.schemas[media.Schema].Validate(value)); err != nil {
		return fmt.Errorf("body %w", err)
	}
	return nil
}

// trimSchemaError removes the first line of a schema's error, which contains the
// internal URL of the schema.
func trimSchemaError(err error) error {
	if err == nil {
		return nil
	}
	if _, rest, ok := strings.Cut(err.Error(), "\n"); ok {
		return errors.New(rest)
	}
	return err
}
