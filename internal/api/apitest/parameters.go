package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"golang.org/x/net/http/httpguts"
)

// Parameter is a place in a request where a client can send any text: a parameter of
// the path, the query or a header, a field of a form, or a value or a key in a JSON
// body.
type Parameter struct {
	Method, Path string // of the operation, as documented
	Operation    string
	In           string // path, query, header, JSON, or the media type of a form
	Name         string // of a JSON value: its path, such as match.filename
	Documented   bool   // false for headers, and names of parameters, that every operation can get

	queries []string // names of all parameters of the query
	example any      // documented JSON body; nil if there is none
	form    []string // fields of the documented form
	steps   []string // of the path of a JSON value
	alone   bool     // whether the JSON body has only this value and those that are required
	isKey   bool     // whether the text is the key at the end of the path
}

// String returns the operation and the parameter: "GET /hooks/{hook_id} path hook_id".
func (p Parameter) String() string {
	return strings.TrimSpace(p.Method + " " + p.Path + " " + p.In + " " + p.Name)
}

// The media types of forms.
const (
	urlencodedForm = "application/x-www-form-urlencoded"
	multipartForm  = "multipart/form-data"
)

// Parameters returns all parameters of all operations of the OpenAPI document, in an
// order that only depends on the document. The headers Authorization, X-Api-Key and
// Content-Type, and an unknown name in the query, are parameters of each operation.
func Parameters(t testing.TB, document []byte) []Parameter {
	t.Helper()
	spec, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatalf("OpenAPI document: %v", err)
	}
	var all []Parameter
	for _, path := range slices.Sorted(maps.Keys(spec.Paths.Map())) {
		item := spec.Paths.Value(path)
		for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
			operation := item.GetOperation(method)
			found := operationParameters(slices.Concat(item.Parameters, operation.Parameters), operation.RequestBody)
			for i := range found {
				found[i].Method, found[i].Path, found[i].Operation = method, path, operation.OperationID
			}
			all = append(all, found...)
		}
	}
	return all
}

// operationParameters returns the parameters of an operation.
func operationParameters(documented openapi3.Parameters, body *openapi3.RequestBodyRef) []Parameter {
	var base Parameter // what the requests of all parameters share
	for _, parameter := range documented {
		if parameter.Value.In == "query" {
			base.queries = append(base.queries, parameter.Value.Name)
		}
	}
	var all []Parameter
	add := func(in, name string, change func(*Parameter)) {
		p := base
		p.In, p.Name, p.Documented = in, name, true
		change(&p)
		all = append(all, p)
	}
	if body != nil {
		for _, kind := range slices.Sorted(maps.Keys(body.Value.Content)) {
			media := body.Value.Content[kind]
			if kind == "application/json" {
				base.example = media.Example
				continue
			}
			base.form = slices.Sorted(maps.Keys(media.Schema.Value.Properties))
			for _, name := range base.form {
				add(kind, name, func(*Parameter) {})
			}
			add(kind, "", func(p *Parameter) { p.isKey = true })
		}
	}
	for _, parameter := range documented {
		add(parameter.Value.In, parameter.Value.Name, func(*Parameter) {})
	}
	undocumented := func(p *Parameter) { p.Documented, p.isKey = false, p.Name == "" }
	add("query", "", undocumented)
	for _, header := range []string{"Authorization", "X-Api-Key", "Content-Type"} {
		add("header", header, undocumented)
	}
	if base.example != nil {
		for _, found := range jsonParameters(body.Value.Content["application/json"].Schema, nil, nil) {
			for _, alone := range []bool{false, true} {
				add("JSON", strings.Join(found.steps, "."), func(p *Parameter) { p.steps, p.isKey, p.alone = found.steps, found.isKey, alone })
			}
		}
	}
	return all
}

// jsonParameters returns the values and keys below the path in a JSON body with the
// schema. Only steps and isKey are set.
func jsonParameters(schema *openapi3.SchemaRef, path []string, above []*openapi3.Schema) []Parameter {
	s := schema.Value
	if slices.Contains(above, s) { // it contains itself
		return nil
	}
	above = append(slices.Clip(above), s)
	var all []Parameter
	for _, variant := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		all = append(all, jsonParameters(variant, path, above)...)
	}
	at := func(step string) []string { return append(slices.Clip(path), step) }
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = append(all, jsonParameters(s.Properties[name], at(name), above)...)
	}
	if more := s.AdditionalProperties.Schema; more != nil {
		all = append(all, jsonParameters(more, at("x"), above)...)
	}
	if s.Items != nil {
		all = append(all, jsonParameters(s.Items, at("0"), above)...)
	}
	if s.Type.Includes("object") || len(s.Properties) > 0 {
		all = append(all, Parameter{steps: at(""), isKey: true})
	}
	if len(path) > 0 {
		all = append(all, Parameter{steps: path})
	}
	slices.SortFunc(all, func(a, b Parameter) int { return slices.Compare(a.steps, b.steps) })
	return slices.CompactFunc(all, func(a, b Parameter) bool { return slices.Equal(a.steps, b.steps) && a.isKey == b.isKey })
}

// Request returns a request to the server at baseURL with the text as the parameter's
// value, or nil if no HTTP client can send that. values are the values of other
// parameters of paths, queries and forms, by name. A value in a JSON body is sent as a
// string and, if the text is a JSON number, as a number when number is true.
func (p Parameter) Request(baseURL string, values map[string]string, text string, number bool) *http.Request {
	path := p.Path
	for _, name := range pathNames(p.Path) {
		value := values[name]
		if p.In == "path" && p.Name == name {
			value = text
		}
		if value == "" || value == "." || value == ".." {
			return nil // the text would change the path
		}
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	query := url.Values{}
	for _, name := range p.queries {
		if value, given := values[name]; given {
			query.Set(name, value)
		}
	}
	switch {
	case p.In == "query" && p.isKey:
		query.Set(text, "x")
	case p.In == "query":
		query.Set(p.Name, text)
	}
	contentType, body := p.body(values, text, number)
	request, err := http.NewRequest(p.Method, baseURL+path+"?"+query.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if p.In == "header" {
		if !httpguts.ValidHeaderFieldValue(text) {
			return nil
		}
		request.Header.Set(p.Name, text)
	}
	return request
}

func pathNames(path string) []string {
	var names []string
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(segment, "{") {
			names = append(names, strings.Trim(segment, "{}"))
		}
	}
	return names
}

// body returns the body of the request, and its content type.
func (p Parameter) body(values map[string]string, text string, number bool) (contentType string, body []byte) {
	switch {
	case p.In == "JSON":
		var example any = map[string]any{}
		if !p.alone {
			example = p.example
		}
		changed := put(example, p.steps, text, p.isKey)
		var encoded bytes.Buffer
		writeJSON(&encoded, changed, text, number)
		return "application/json", encoded.Bytes()
	case p.example != nil:
		encoded, _ := json.Marshal(p.example) // it was decoded from the document
		return "application/json", encoded
	case p.In == urlencodedForm:
		form := url.Values{}
		for _, name := range p.form {
			form.Set(name, values[name])
		}
		if p.isKey {
			form.Set(text, "x")
		} else {
			form.Set(p.Name, text)
		}
		return urlencodedForm, []byte(form.Encode())
	case p.form != nil:
		return p.multipart(values, text)
	}
	return "", nil
}

// multipart returns a multipart form. The parameter named file is the file's name; the
// parameter without a name is the name of the part.
func (p Parameter) multipart(values map[string]string, text string) (contentType string, body []byte) {
	var encoded bytes.Buffer
	form := multipart.NewWriter(&encoded)
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "").Replace
	for _, field := range p.form {
		name, content, filename := field, values[field], ""
		if field == "file" {
			filename = "a.txt"
		}
		if p.In == multipartForm {
			switch {
			case p.isKey && field == p.form[0]:
				name = text
			case p.Name == field && field == "file":
				filename = text
			case p.Name == field:
				content = text
			}
		}
		disposition := `form-data; name="` + quote(name) + `"`
		if filename != "" {
			disposition += `; filename="` + quote(filename) + `"`
		}
		part, _ := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {disposition}}) // writing to a buffer never fails
		part.Write([]byte(content))
	}
	form.Close()
	return form.FormDataContentType(), encoded.Bytes()
}

// place marks where the text belongs in a JSON body.
type place struct{}

// put returns a copy of a JSON value with the place at the path, or with the text as the
// last key of the path.
func put(value any, path []string, text string, isKey bool) any {
	if len(path) == 0 {
		return place{}
	}
	if path[0] == "0" {
		if array, ok := value.([]any); ok && len(array) > 0 {
			return append([]any{put(array[0], path[1:], text, isKey)}, array[1:]...)
		}
		return []any{put(nil, path[1:], text, isKey)}
	}
	object, _ := value.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	if isKey && len(path) == 1 {
		object[text] = "x"
	} else {
		object[path[0]] = put(object[path[0]], path[1:], text, isKey)
	}
	return object
}

// writeJSON writes the value as JSON. Unlike encoding/json, it writes bytes that are not
// UTF-8 as they are.
func writeJSON(to *bytes.Buffer, value any, text string, number bool) {
	switch v := value.(type) {
	case place:
		if number && json.Valid([]byte(text)) {
			to.WriteString(text)
			return
		}
		writeString(to, text)
	case map[string]any:
		to.WriteByte('{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				to.WriteByte(',')
			}
			writeString(to, key)
			to.WriteByte(':')
			writeJSON(to, v[key], text, number)
		}
		to.WriteByte('}')
	case []any:
		to.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				to.WriteByte(',')
			}
			writeJSON(to, element, text, number)
		}
		to.WriteByte(']')
	default:
		encoded, _ := json.Marshal(v) // it was decoded from the document
		to.Write(encoded)
	}
}

func writeString(to *bytes.Buffer, text string) {
	to.WriteByte('"')
	for _, b := range []byte(text) {
		switch {
		case b == '"' || b == '\\':
			to.WriteByte('\\')
			to.WriteByte(b)
		case b < ' ':
			fmt.Fprintf(to, `\u%04x`, b)
		default:
			to.WriteByte(b)
		}
	}
	to.WriteByte('"')
}
