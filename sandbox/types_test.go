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

// TestTypesMatchOpenAPI checks that each type has every field that the OpenAPI
// document of the control API lists.
func TestTypesMatchOpenAPI(t *testing.T) {
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
	schema := func(name string) any { return doc.lookup("/components/schemas/" + name) }
	operation := func(method, path string) string {
		return "/paths/" + strings.ReplaceAll(tenants+path, "/", "~1") + "/" + method
	}
	requestBody := func(method, path string) any {
		return doc.lookup(operation(method, path) + "/requestBody" + content)
	}
	responseBody := func(method, path, code string) any {
		return doc.lookup(operation(method, path) + "/responses/" + code + content)
	}
	// elements returns the schema of the elements of an array property.
	elements := func(schema any, name string) any {
		object := schema.(map[string]any)
		if object["properties"] == nil {
			object = doc.lookup(strings.TrimPrefix(object["$ref"].(string), "#")).(map[string]any)
		}
		return object["properties"].(map[string]any)[name].(map[string]any)["items"]
	}
	timeline := responseBody("get", "/{t}/transactions/{tx_id}", "200")
	delivery := elements(responseBody("get", "/{t}/deliveries", "200"), "deliveries")
	for _, typ := range []struct {
		name     string
		value    any
		untagged []string // JSON names of fields that have no tag, because they are converted or left out
		schemas  []any
	}{
		{"Sandbox", Sandbox{}, nil, []any{responseBody("post", "", "201")}},
		{"tenantRequest", tenantRequest{}, nil, []any{requestBody("post", "")}},
		{"Settings", Settings{}, nil, []any{schema("Settings"), schema("SettingsChange")}},
		{"Usage", Usage{}, nil, []any{doc.lookup("/components/schemas/Tenant/properties/usage")}},
		{"Pacing", Pacing{}, nil, []any{schema("Pacing")}},
		{"Outcome", Outcome{}, []string{"after"}, []any{schema("Outcome"), schema("OutcomePut")}},
		{"Match", Match{}, nil, []any{schema("Match")}},
		{"Fault", Fault{}, []string{"delay", "expires"}, []any{schema("Fault"), requestBody("post", "/{t}/faults")}},
		{"Effect", Effect{}, nil, []any{schema("Effect")}},
		{"Event", Event{}, nil, []any{schema("Entry")}},
		{"Transaction", Transaction{}, nil, []any{schema("Transaction"), timeline}},
		{
			"StateChange",
			StateChange{},
			[]string{"real_at"},
			[]any{elements(timeline, "timeline")},
		},
		{"Delivery", Delivery{}, nil, []any{delivery}},
		{"Attempt", Attempt{}, nil, []any{elements(delivery, "attempts")}},
		{"Subscription", Subscription{}, nil, []any{schema("Subscription")}},
		{"NewSubscription", NewSubscription{}, nil, []any{schema("SubscriptionChange")}},
		{"SignatureCheck", SignatureCheck{}, nil, []any{responseBody("post", "/{t}/signature", "200")}},
		{"Due", Due{}, nil, []any{schema("Due")}},
		{"ImportResult", ImportResult{}, nil, []any{responseBody("put", "/{t}/configuration", "200")}},
		{"ImportedClient", ImportedClient{}, nil, []any{elements(responseBody("put", "/{t}/configuration", "200"), "created_clients")}},
		{"Request", Request{}, nil, []any{schema("Call")}},
		{"HTTPMessage", HTTPMessage{}, nil, []any{schema("Message")}},
		{"UploadedFile", UploadedFile{}, nil, []any{doc.lookup("/components/schemas/Message/properties/file")}},
		{"ProbeResult", ProbeResult{}, nil, []any{schema("Probe")}},
		{"ProbeCase", ProbeCase{}, nil, []any{elements(schema("Probe"), "cases")}},
		{"ProbeSummary", ProbeSummary{}, nil, []any{doc.lookup("/components/schemas/Probe/properties/summary")}},
		{"ProbeDelivery", ProbeDelivery{}, nil, []any{schema("ProbeDelivery")}},
		{"WebhookRequest", WebhookRequest{}, nil, []any{schema("WebhookRequest")}},
		{"WebhookResponse", WebhookResponse{}, nil, []any{schema("WebhookResponse")}},
		{"Client", Client{}, nil, []any{schema("Client"), responseBody("post", "/{t}/clients", "201")}},
		{"NewClient", NewClient{}, nil, []any{requestBody("post", "/{t}/clients")}},
		{"ClientChange", ClientChange{}, nil, []any{requestBody("patch", "/{t}/clients/{client_id}")}},
		{"APIKey", APIKey{}, nil, []any{schema("APIKey"), responseBody("post", "/{t}/api-keys", "201")}},
		{"DataPackage", DataPackage{}, nil, []any{schema("Package")}},
		{"Overview", Overview{}, []string{"last_activity"}, []any{schema("Overview")}},
		{"SubmissionCounts", SubmissionCounts{}, nil, []any{doc.lookup("/components/schemas/Overview/properties/submissions")}},
		{"History", History{}, nil, []any{doc.lookup("/components/schemas/Overview/properties/history")}},
		{"DeliveryCounts", DeliveryCounts{}, nil, []any{doc.lookup("/components/schemas/Overview/properties/deliveries")}},
		{"Finding", Finding{}, nil, []any{schema("Finding")}},
	} {
		names := append(jsonNames(typ.value), typ.untagged...)
		for _, name := range doc.propertyNames(typ.schemas...) {
			if !slices.Contains(names, name) {
				t.Errorf("%s lacks the field %s of internal/control/openapi.yaml", typ.name, name)
			}
		}
	}
	var parameters []string
	for _, parameter := range doc.lookup(operation("get", "/{t}/requests") + "/parameters").([]any) {
		parameters = append(parameters, parameter.(map[string]any)["name"].(string))
	}
	query := RequestFilter{Route: "r", Method: "m", Status: "s", TxID: "t", Since: time.Now(), Until: time.Now(), Limit: 1, Client: "c", Path: "p", WithoutBodies: true}.query()
	query.Set("before", "1") // set by Requests
	checkEqual(t, "query parameters of RequestFilter", slices.Sorted(maps.Keys(query)), slices.Sorted(slices.Values(parameters)))
}

// document is an OpenAPI document.
type document map[string]any

// lookup returns the value at a JSON pointer.
func (d document) lookup(pointer string) any {
	var value any = map[string]any(d)
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		value = value.(map[string]any)[strings.ReplaceAll(name, "~1", "/")]
	}
	return value
}

// propertyNames returns the names of all properties of the schemas, including
// those of referenced and alternative schemas.
func (d document) propertyNames(schemas ...any) []string {
	var names []string
	for _, value := range schemas {
		schema := value.(map[string]any)
		if properties, ok := schema["properties"].(map[string]any); ok {
			names = slices.AppendSeq(names, maps.Keys(properties))
		}
		if ref, ok := schema["$ref"].(string); ok {
			names = append(names, d.propertyNames(d.lookup(strings.TrimPrefix(ref, "#")))...)
		}
		for _, key := range []string{"oneOf", "anyOf", "allOf"} {
			alternatives, _ := schema[key].([]any)
			names = append(names, d.propertyNames(alternatives...)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// jsonNames returns the JSON names in the tags of a struct's fields.
func jsonNames(value any) []string {
	var names []string
	for field := range reflect.TypeOf(value).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
