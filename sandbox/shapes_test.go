package sandbox

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oasdiff/yaml"

	"understudy.example/internal/control"
)

// TestShapes holds each type to the control API's document: it has every field.
func TestShapes(t *testing.T) {
	t.Parallel()
	text, err := yaml.YAMLToJSON(control.Document)
	if err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	const tenants = "/control/v1/tenants"
	const content = "/content/application~1json/schema"
	schema := func(name string) any { return doc.at("/components/schemas/" + name) }
	operation := func(method, path string) string {
		return "/paths/" + strings.ReplaceAll(tenants+path, "/", "~1") + "/" + method
	}
	body := func(method, path string) any { return doc.at(operation(method, path) + "/requestBody" + content) }
	answer := func(method, path, code string) any {
		return doc.at(operation(method, path) + "/responses/" + code + content)
	}
	of := func(schema any, name string) any {
		one := schema.(map[string]any)
		if one["properties"] == nil {
			one = doc.at(strings.TrimPrefix(one["$ref"].(string), "#")).(map[string]any)
		}
		return one["properties"].(map[string]any)[name].(map[string]any)["items"]
	}
	timeline := answer("get", "/{t}/transactions/{tx_id}", "200")
	delivery := of(answer("get", "/{t}/deliveries", "200"), "deliveries")
	for _, one := range []struct {
		name    string
		value   any
		also    []string // fields that have no tag, because they are converted
		schemas []any
	}{
		{"Sandbox", Sandbox{}, nil, []any{answer("post", "", "201")}},
		{"newTenant", newTenant{}, nil, []any{body("post", "")}},
		{"Settings", Settings{}, nil, []any{schema("Settings"), schema("SettingsChange")}},
		{"Pacing", Pacing{}, nil, []any{schema("Pacing")}},
		{"Outcome", Outcome{}, []string{"after"}, []any{schema("Outcome"), schema("OutcomePut")}},
		{"Match", Match{}, nil, []any{schema("Match")}},
		{"Fault", Fault{}, []string{"delay", "expires"}, []any{schema("Fault"), body("post", "/{t}/faults")}},
		{"Effect", Effect{}, nil, []any{schema("Effect")}},
		{"Event", Event{}, nil, []any{schema("Entry")}},
		{"Transaction", Transaction{}, nil, []any{schema("Transaction"), timeline}},
		{"Moment", Moment{}, nil, []any{of(timeline, "timeline")}},
		{"Delivery", Delivery{}, nil, []any{delivery}},
		{"Attempt", Attempt{}, nil, []any{of(delivery, "attempts")}},
		{"Request", Request{}, nil, []any{schema("Call")}},
		{"Message", Message{}, nil, []any{schema("Message")}},
		{"UploadedFile", UploadedFile{}, nil, []any{doc.at("/components/schemas/Message/properties/file")}},
		{"Probe", Probe{}, nil, []any{schema("Probe")}},
		{"ProbeCase", ProbeCase{}, nil, []any{of(schema("Probe"), "cases")}},
		{"ProbeSummary", ProbeSummary{}, nil, []any{doc.at("/components/schemas/Probe/properties/summary")}},
		{"ProbeDelivery", ProbeDelivery{}, nil, []any{schema("ProbeDelivery")}},
		{"WebhookRequest", WebhookRequest{}, nil, []any{schema("WebhookRequest")}},
		{"WebhookResponse", WebhookResponse{}, nil, []any{schema("WebhookResponse")}},
		{"Package", Package{}, nil, []any{schema("Package")}},
		{"Finding", Finding{}, nil, []any{of(answer("get", "/{t}/findings", "200"), "findings")}},
	} {
		ours := append(tags(one.value), one.also...)
		for _, name := range doc.names(one.schemas...) {
			if !slices.Contains(ours, name) {
				t.Errorf("%s has no %s, which internal/control/openapi.yaml has", one.name, name)
			}
		}
	}
	var filter []string
	for _, parameter := range doc.at(operation("get", "/{t}/requests") + "/parameters").([]any) {
		filter = append(filter, parameter.(map[string]any)["name"].(string))
	}
	everything := Filter{Route: "r", Method: "m", Status: "s", TxID: "t", Since: time.Now(), Until: time.Now(), Limit: 1}.query()
	everything.Set("before", "1") // which Requests adds
	equal(t, "filter", slices.Sorted(maps.Keys(everything)), slices.Sorted(slices.Values(filter)))
}

// document is an OpenAPI document.
type document map[string]any

// at follows a JSON pointer.
func (d document) at(pointer string) any {
	var at any = map[string]any(d)
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		at = at.(map[string]any)[strings.ReplaceAll(name, "~1", "/")]
	}
	return at
}

// names are those of the properties that schemas and their alternatives have.
func (d document) names(schemas ...any) []string {
	var names []string
	for _, one := range schemas {
		schema := one.(map[string]any)
		if properties, ok := schema["properties"].(map[string]any); ok {
			names = slices.AppendSeq(names, maps.Keys(properties))
		}
		if ref, ok := schema["$ref"].(string); ok {
			names = append(names, d.names(d.at(strings.TrimPrefix(ref, "#")))...)
		}
		for _, key := range []string{"oneOf", "anyOf", "allOf"} {
			alternatives, _ := schema[key].([]any)
			names = append(names, d.names(alternatives...)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tags are the names that a struct's fields have in JSON.
func tags(value any) []string {
	var names []string
	for field := range reflect.TypeOf(value).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
