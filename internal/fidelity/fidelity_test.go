package fidelity_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/oasdiff/yaml"

	"understudy.example/internal/enrich"
	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
	"understudy.example/internal/openapi"
	"understudy.example/internal/server/servertest"
)

// described is the API's document.
func described(t *testing.T) *openapi3.T {
	t.Helper()
	spec, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestFidelityPage: FIDELITY.md is what the table says.
func TestFidelityPage(t *testing.T) {
	const page = "../../FIDELITY.md"
	want := fidelity.All.Markdown()
	if *servertest.Update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("FIDELITY.md is old (-update writes it):\n%s", diff)
	}
}

// TestFidelityOperations: the table has every operation and status code of the
// document, and no other; each is found by a path of its own.
func TestFidelityOperations(t *testing.T) {
	var documented, listed []string
	for path, item := range described(t).Paths.Map() {
		for method, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				documented = append(documented, method+" "+path+" "+status)
			}
		}
	}
	for _, operation := range fidelity.All.Operations {
		method, pattern, _ := strings.Cut(operation.Line, " ")
		for _, answer := range operation.Answers {
			listed = append(listed, operation.Line+" "+strconv.Itoa(answer.Status))
			path := strings.NewReplacer("{", "", "}", "x").Replace(pattern)
			if found, ok := fidelity.Find(method, path, answer.Status); !ok || found.Note != answer.Note {
				t.Errorf("%s %s %d is found as %+v", method, path, answer.Status, found)
			}
		}
	}
	slices.Sort(documented)
	slices.Sort(listed)
	if diff := cmp.Diff(documented, listed); diff != "" {
		t.Errorf("document (-) and table (+):\n%s", diff)
	}
}

// TestFidelityFields: the table has every field of every answer of the
// document, and no other.
func TestFidelityFields(t *testing.T) {
	fields := answerFields{components: raw(t)["components"].(map[string]any), found: map[string]bool{}, seen: map[string]bool{}}
	for _, item := range raw(t)["paths"].(map[string]any) {
		for _, operation := range item.(map[string]any) {
			operation, _ := operation.(map[string]any) // a path's parameters are none
			responses, _ := operation["responses"].(map[string]any)
			for _, response := range responses {
				fields.response(response.(map[string]any))
			}
		}
	}
	listed := map[string]bool{}
	for _, f := range fidelity.All.Fields {
		if listed[f.Schema+" "+f.Name] {
			t.Errorf("%s %s stands there twice", f.Schema, f.Name)
		}
		listed[f.Schema+" "+f.Name] = true
	}
	if diff := cmp.Diff(fields.found, listed); diff != "" {
		t.Errorf("document (-) and table (+):\n%s", diff)
	}
}

// raw is the API's document as plain values, its references as they stand.
func raw(t *testing.T) map[string]any {
	t.Helper()
	var plain map[string]any
	if _, err := yaml.Unmarshal(document, &plain, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	return plain
}

// answerFields finds the fields of answers, by schema and name.
type answerFields struct {
	components map[string]any
	found      map[string]bool
	seen       map[string]bool // schemas that were walked
}

// refersTo is the name of the component that a node refers to, or extends.
func refersTo(node map[string]any) string {
	ref, _ := node["$ref"].(string)
	for _, one := range list(node["allOf"]) {
		if to, ok := one.(map[string]any)["$ref"].(string); ok {
			ref = to
		}
	}
	return ref[strings.LastIndex(ref, "/")+1:]
}

func (f answerFields) named(kind, name string) map[string]any {
	node, _ := f.components[kind].(map[string]any)[name].(map[string]any)
	return node
}

// response adds what a response holds. An inline schema bears the response's
// name.
func (f answerFields) response(node map[string]any) {
	name := refersTo(node)
	if name != "" {
		node = f.named("responses", name)
	}
	content, _ := node["content"].(map[string]any)
	for _, media := range content {
		schema := media.(map[string]any)["schema"].(map[string]any)
		if to := refersTo(schema); to != "" {
			f.schema(to)
		} else {
			f.add(name, "", schema)
		}
	}
}

func (f answerFields) schema(name string) {
	if !f.seen[name] {
		f.seen[name] = true
		f.add(name, "", f.named("schemas", name))
	}
}

// add adds the fields of a node of the schema. Those of a schema that it
// extends are that one's.
func (f answerFields) add(schema, prefix string, node map[string]any) {
	extended := map[string]bool{}
	for to := refersTo(node); to != ""; to = refersTo(f.named("schemas", to)) {
		f.schema(to)
		for name := range properties(f.named("schemas", to)) {
			extended[name] = true
		}
	}
	for name, property := range properties(node) {
		path := strings.TrimPrefix(prefix+"."+name, ".")
		if !extended[name] && !f.inner(schema, path, property.(map[string]any)) {
			f.found[schema+" "+path] = true
		}
	}
	if items, ok := node["items"].(map[string]any); ok {
		f.inner(schema, prefix+"[]", items)
	}
	if _, ok := node["additionalProperties"].(map[string]any); ok && len(properties(node)) == 0 {
		f.found[schema+" *"] = true
	}
	for _, one := range slices.Concat(list(node["oneOf"]), list(node["anyOf"])) {
		if to := refersTo(one.(map[string]any)); to != "" {
			f.schema(to)
		}
	}
}

func properties(node map[string]any) map[string]any {
	of, _ := node["properties"].(map[string]any)
	return of
}

func list(node any) []any {
	of, _ := node.([]any)
	return of
}

// inner adds what is inside a field, and tells whether that is fields.
func (f answerFields) inner(schema, path string, node map[string]any) bool {
	if to := refersTo(node); to != "" {
		f.schema(to)
		of := f.named("schemas", to)
		_, mapping := of["additionalProperties"].(map[string]any)
		return mapping || len(properties(of)) > 0 || refersTo(of) != ""
	}
	items, _ := node["items"].(map[string]any)
	if len(properties(node)) == 0 && len(properties(items)) == 0 {
		return false
	}
	f.add(schema, path, node)
	return true
}

// TestFidelityValues: what enrichment fills without having read it is named as
// derived or synthetic.
func TestFidelityValues(t *testing.T) {
	read := func(name, text string) field.Value { return field.Value{Field: name, Text: text, Score: 0.9} }
	made := map[string]fidelity.Value{}
	for _, seed := range []enrich.Seed{
		{CompanyName: "Foxglove Bakery LLC", Address: "12 Mill Street, Springfield, IL 62701"},
		{CompanyName: "Foxglove Bakery Ltd", Address: "12 Mill Street, Leeds, LS1 4AP, United Kingdom"}, // numbers are national
	} {
		report := enrich.Enrich(enrich.Input{
			Seed:      seed,
			Locations: [][]field.Value{{read("location_address", "5 Dock Road, Portland, ME 04101")}},
			Facts:     []field.Value{read("email_id", "desk@foxglove.example")},
			Today:     time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
		})
		for _, record := range []enrich.Record{report.Facts, report.Options, report.V1, report.Locations[0].Facts, report.Locations[0].Options} {
			for name := range record.Values {
				made[name], _ = fidelity.ValueOf(name)
			}
		}
	}
	for _, given := range []string{"company_name", "email_id"} {
		delete(made, given)
	}
	for name, value := range made {
		if value == fidelity.Real {
			t.Errorf("%s is filled by enrichment, and called real", name)
		}
	}
	for _, f := range fidelity.All.Fields {
		inData := slices.Contains([]string{"Facts", "Options", "Report", "LocationFacts", "LocationOptions"}, f.Schema)
		if inData && f.Value != fidelity.Real && made[f.Name] == "" && f.Name != "website" && f.Name != "secondary_naics_2012" {
			t.Errorf("%s is called %s, and is never filled", f.Name, f.Value)
		}
	}
}

// TestFidelityServed: the control API shows the table, and a call's label, by
// what was asked and what was answered.
func TestFidelityServed(t *testing.T) {
	w := servertest.New(t, servertest.Background)
	shown := w.Control("GET /fidelity", "").Want(t, http.StatusOK)
	if got := len(shown.Get(t, "operations").([]any)); got != len(fidelity.All.Operations) {
		t.Errorf("%d operations", got)
	}
	of := w.NewTenant(`{}`)
	of.Announce("a.txt")
	of.caller.Status("none")
	of.Control("POST /faults", `{"route":"*","status":503,"times":1}`).Want(t, http.StatusCreated)
	of.caller.Status("none")
	of.caller.Do("POST /hooks", `{}`).Want(t, http.StatusUnprocessableEntity)
	of.caller.Do("POST /hooks", `{"url":"https://example.com","header":"none"}`).Want(t, http.StatusUnprocessableEntity)
	of.caller.Do("POST /hooks", `{"url":"ftp://example.com"}`).Want(t, http.StatusUnprocessableEntity)
	of.caller.Do("POST /hooks", `{"url":"","header":"none"}`).Want(t, http.StatusUnprocessableEntity)
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {of.client.ClientID}, "client_secret": {of.client.ClientSecret}}
	urlencoded := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	granted := w.Do(servertest.Call{Line: "POST /auth/token", Header: urlencoded, Body: form.Encode()}).Want(t, http.StatusOK)
	form.Set("grant_type", "refresh_token")
	form.Set("refresh_token", granted.Text(t, "refresh_token"))
	w.Do(servertest.Call{Line: "POST /auth/token", Header: urlencoded, Body: form.Encode()}).Want(t, http.StatusOK)

	var labels []string
	for _, call := range of.Control("GET /requests", "").Want(t, http.StatusOK).Get(t, "requests").([]any) {
		entry := call.(map[string]any)
		labels = append(labels, fmt.Sprint(entry["status"], " ", entry["fidelity"]))
	}
	want := []string{
		"200 chosen", "200 public", // tokens: refreshed, by form fields
		"422 chosen", "422 chosen", "422 stated", "422 stated", // two at once, another kind of url; the header, no url
		"503 <nil>", "404 chosen", "200 stated", "200 stated",
	}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels of the calls, newest first:\n%s", diff)
	}
}

// TestFidelityLabels: no answer is surer than its operation.
func TestFidelityLabels(t *testing.T) {
	for _, operation := range fidelity.All.Operations {
		method, path, _ := strings.Cut(operation.Line, " ")
		for _, answer := range operation.Answers {
			if found, _ := fidelity.Find(method, path, answer.Status); found.Label != answer.Label || found.Body != answer.Body {
				t.Errorf("%s %d is %s and %s, and the operation %s", operation.Line, answer.Status, answer.Label, answer.Body, operation.Label)
			}
		}
	}
}
