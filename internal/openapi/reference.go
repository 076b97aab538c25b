package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Reference is an OpenAPI document in the form in which a page shows it.
type Reference struct {
	Title  string
	Intro  string // Markdown
	Groups []*Group
}

// Group has the operations of a tag.
type Group struct {
	Name, Description string
	Rows              []*Row
}

// Row is an operation with its versions, which differ only in the version in the path.
type Row struct {
	Method, Path, Summary string // the path has {version} if there are several versions
	Operations            []Operation
}

// Operation is a version of an operation.
type Operation struct {
	ID, Method, Path, Version string // of the version in the path, such as "v2"; "" if there is none
	Summary, Description      string
	Label                     string // how certain it is that the real service has it; "" = not known
	Parameters                []Parameter
	Bodies                    []Content
	Responses                 []Response
}

// Parameter is a parameter of the path, the query or the headers.
type Parameter struct {
	Name, In, Description, Type, Example string
	Required                             bool
}

// Content is a body of a content type.
type Content struct {
	Type     string
	Fields   []Parameter
	Examples []Example
}

// Example is a named example of a body.
type Example struct{ Name, Text string }

// Response is the response with a status code.
type Response struct {
	Status, Description string
	Label               string // how certain it is that the real service responds so; "" = not known
	Contents            []Content
}

// Labels returns how certain it is that the real service has an operation, or, with a
// status, that it responds so: stated, public, chosen, or "" if that is not known.
type Labels func(method, path, status string) string

var methods = []string{"get", "post", "put", "patch", "delete"}

// NewReference reads an OpenAPI document in YAML.
func NewReference(document []byte, labels Labels) (*Reference, error) {
	var tree yaml.Node
	if err := yaml.Unmarshal(document, &tree); err != nil {
		return nil, err
	}
	reader := documentReader{labels: labels}
	if err := tree.Decode(&reader.root); err != nil {
		return nil, err
	}
	info := reader.object(reader.root["info"])
	reference := &Reference{Title: textOf(info["title"]), Intro: textOf(info["description"])}
	groups := map[string]*Group{}
	tags, _ := reader.root["tags"].([]any)
	for _, tag := range tags {
		group := &Group{Name: textOf(reader.object(tag)["name"]), Description: strings.TrimSuffix(textOf(reader.object(tag)["description"]), ".")}
		groups[group.Name] = group
		reference.Groups = append(reference.Groups, group)
	}
	rows := map[string]*Row{}
	paths := lookup(tree.Content[0], "paths")
	for i := 0; i < len(paths.Content); i += 2 {
		path := paths.Content[i].Value
		item := reader.object(reader.object(reader.root["paths"])[path])
		for _, method := range methods {
			definition, ok := item[method].(map[string]any)
			if !ok {
				continue
			}
			operation := reader.operation(strings.ToUpper(method), path, item, definition)
			tag := textOf(definition["tags"].([]any)[0])
			if groups[tag] == nil {
				return nil, fmt.Errorf("%s has the unknown tag %q", operation.ID, tag)
			}
			key := operation.Method + " " + unversioned(path)
			if rows[key] == nil {
				rows[key] = &Row{Method: operation.Method, Summary: operation.Summary}
				groups[tag].Rows = append(groups[tag].Rows, rows[key])
			}
			rows[key].add(operation)
		}
	}
	return reference, nil
}

var (
	versionInPath = regexp.MustCompile(`/(v\d+)/`)
	nameInPath    = regexp.MustCompile(`\{[a-z_]+\}`)
)

// unversioned returns a path without its version and the names of its parameters.
func unversioned(path string) string {
	return nameInPath.ReplaceAllString(versionInPath.ReplaceAllString(path, "/{version}/"), "{}")
}

// add adds a version of the row's operation, in the order of the versions.
func (r *Row) add(o Operation) {
	r.Operations = append(r.Operations, o)
	slices.SortStableFunc(r.Operations, func(a, b Operation) int { return strings.Compare(a.Version, b.Version) })
	r.Path, r.Summary = r.Operations[0].Path, r.Operations[0].Summary
	for _, operation := range r.Operations {
		if len(operation.Summary) < len(r.Summary) {
			r.Summary = operation.Summary // without what only one version has
		}
	}
	if len(r.Operations) > 1 {
		r.Path = versionInPath.ReplaceAllString(r.Path, "/{version}/")
	}
}

// documentReader reads a decoded document.
type documentReader struct {
	root   map[string]any
	labels Labels
}

func (d *documentReader) operation(method, path string, item, definition map[string]any) Operation {
	o := Operation{
		ID: textOf(definition["operationId"]), Method: method, Path: path, Summary: textOf(definition["summary"]),
		Description: textOf(definition["description"]), Label: d.labels(method, path, ""),
	}
	if version := versionInPath.FindStringSubmatch(path); version != nil {
		o.Version = version[1]
	}
	for _, listed := range []any{item["parameters"], definition["parameters"]} {
		parameters, _ := listed.([]any)
		for _, parameter := range parameters {
			o.Parameters = append(o.Parameters, d.parameter(parameter))
		}
	}
	o.Bodies = d.contents(d.object(definition["requestBody"])["content"], true)
	responses := d.object(definition["responses"])
	for _, status := range sortedKeys(responses) {
		response := d.object(responses[status])
		o.Responses = append(o.Responses, Response{
			Status: status, Description: textOf(response["description"]), Label: d.labels(method, path, status),
			Contents: d.contents(response["content"], false),
		})
	}
	return o
}

func (d *documentReader) parameter(given any) Parameter {
	definition := d.object(given)
	schema := d.object(definition["schema"])
	p := Parameter{
		Name: textOf(definition["name"]), In: textOf(definition["in"]), Description: textOf(definition["description"]),
		Type: typeOf(schema), Required: definition["required"] == true,
	}
	for _, example := range []any{definition["example"], schema["example"], schema["default"], schema["const"]} {
		if p.Example == "" {
			p.Example = textOf(example)
		}
	}
	return p
}

func (d *documentReader) contents(given any, withFields bool) (contents []Content) {
	types := d.object(given)
	for _, name := range sortedKeys(types) {
		media := d.object(types[name])
		content := Content{Type: name}
		if example, ok := media["example"]; ok {
			content.Examples = append(content.Examples, Example{Text: encode(example)})
		}
		examples := d.object(media["examples"])
		for _, name := range sortedKeys(examples) {
			content.Examples = append(content.Examples, Example{name, encode(d.object(examples[name])["value"])})
		}
		if withFields {
			content.Fields = d.fields(d.object(media["schema"]))
		}
		contents = append(contents, content)
	}
	return contents
}

// fields returns the properties of an object's schema.
func (d *documentReader) fields(schema map[string]any) (fields []Parameter) {
	required, _ := schema["required"].([]any)
	properties := d.object(schema["properties"])
	for _, name := range sortedKeys(properties) {
		property := d.object(properties[name])
		fields = append(fields, Parameter{
			Name: name, In: "body", Description: textOf(property["description"]), Type: typeOf(property), Required: slices.Contains(required, any(name)),
		})
	}
	return fields
}

// object returns an object of the document, or the one to which it refers, with what
// stands beside the reference.
func (d *documentReader) object(value any) map[string]any {
	object, _ := value.(map[string]any)
	ref, ok := object["$ref"].(string)
	if !ok {
		return object
	}
	var target any = d.root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		target = target.(map[string]any)[name]
	}
	merged := map[string]any{}
	maps.Copy(merged, d.object(target))
	for key, value := range object {
		if key != "$ref" {
			merged[key] = value
		}
	}
	return merged
}

// typeOf returns the type of a schema in a word or two.
func typeOf(schema map[string]any) string {
	if values, ok := schema["enum"].([]any); ok {
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = cmp.Or(textOf(value), "empty")
		}
		return strings.Join(texts, ", ")
	}
	if format := textOf(schema["format"]); format != "" {
		return format
	}
	if types, ok := schema["type"].([]any); ok {
		return strings.Trim(fmt.Sprint(types), "[]")
	}
	return textOf(schema["type"])
}

func textOf(value any) string {
	if value == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(value))
}

// encode returns an example as it is sent: a text, or JSON on several lines.
func encode(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(out.String())
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
