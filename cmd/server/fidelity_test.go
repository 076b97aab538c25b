package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"understudy/internal/enrich"
	"understudy/internal/fidelity"
	"understudy/internal/field"
)

// described is the API's document.
func described(t *testing.T) *openapi3.T {
	t.Helper()
	spec, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestFidelityPage: FIDELITY.md is what the table says.
func TestFidelityPage(t *testing.T) {
	const page = "../../FIDELITY.md"
	want := fidelity.All.Markdown()
	if *update {
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
	found := answerFields{}
	for _, item := range described(t).Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				_, name, _ := strings.Cut(strings.TrimPrefix(response.Ref, "#/"), "responses/")
				for _, media := range response.Value.Content {
					found.schema(name, media.Schema)
				}
			}
		}
	}
	listed := answerFields{}
	for _, f := range fidelity.All.Fields {
		if listed[f.Schema+" "+f.Name] {
			t.Errorf("%s %s stands there twice", f.Schema, f.Name)
		}
		listed[f.Schema+" "+f.Name] = true
	}
	if diff := cmp.Diff(found, listed); diff != "" {
		t.Errorf("document (-) and table (+):\n%s", diff)
	}
}

// answerFields are the fields of answers, by schema and name.
type answerFields map[string]bool

// schema adds the fields of a schema that is a component, or else the inline
// one of the response of that name.
func (f answerFields) schema(name string, ref *openapi3.SchemaRef) {
	if ref.Ref != "" {
		name = ref.Ref[strings.LastIndex(ref.Ref, "/")+1:]
	}
	f.add(name, "", ref.Value)
}

func (f answerFields) add(schema, prefix string, of *openapi3.Schema) {
	if of.Items != nil {
		f.inner(schema, prefix+"[]", of.Items)
	}
	for name, property := range of.Properties {
		path := strings.TrimPrefix(prefix+"."+name, ".")
		if property.Value == nil || !f.inner(schema, path, property) {
			f[schema+" "+path] = true
		}
	}
	if more := of.AdditionalProperties.Schema; more != nil && more.Value != nil && len(of.Properties) == 0 && schema != "" {
		f[schema+" *"] = true
	}
	for _, one := range of.OneOf {
		if one.Ref != "" {
			f.schema("", one)
		}
	}
}

// inner adds what is inside a field, and tells whether that is fields.
func (f answerFields) inner(schema, path string, ref *openapi3.SchemaRef) bool {
	of := ref.Value
	fields := len(of.Properties) > 0 || of.AdditionalProperties.Schema != nil ||
		of.Items != nil && (len(of.Items.Value.Properties) > 0 && ref.Ref == "")
	if ref.Ref != "" {
		f.schema("", ref)
	} else if fields {
		f.add(schema, path, of)
	}
	return fields
}

// TestFidelityValues: what enrichment fills without having read it is named as
// derived or synthetic.
func TestFidelityValues(t *testing.T) {
	read := func(name, text string) field.Value { return field.Value{Field: name, Text: text, Score: 0.9} }
	report := enrich.Enrich(enrich.Input{
		Seed:      enrich.Seed{CompanyName: "Foxglove Bakery LLC", Address: "12 Mill Street, Springfield, IL 62701"},
		Locations: [][]field.Value{{read("location_address", "5 Dock Road, Portland, ME 04101")}},
		Facts:     []field.Value{read("email_id", "desk@foxglove.example")},
		Today:     time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
	})
	made := map[string]fidelity.Value{}
	for _, record := range []enrich.Record{report.Facts, report.Options, report.V1, report.Locations[0].Facts, report.Locations[0].Options} {
		for name := range record.Values {
			made[name] = fidelity.ValueOf(name)
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

// TestFidelityServed: the control API shows the table, and a call's label.
func TestFidelityServed(t *testing.T) {
	w := newControlWorld(t)
	shown := w.control("GET /fidelity", "").want(t, http.StatusOK)
	if got := len(shown.get(t, "operations").([]any)); got != len(fidelity.All.Operations) {
		t.Errorf("%d operations", got)
	}
	of := w.tenant(`{}`)
	of.announce("a.txt")
	of.caller.status("none")
	of.ask("POST /faults", `{"route":"*","status":503,"times":1}`).want(t, http.StatusCreated)
	of.caller.status("none")
	var labels []string
	for _, call := range of.ask("GET /requests", "").want(t, http.StatusOK).get(t, "requests").([]any) {
		entry := call.(map[string]any)
		labels = append(labels, fmt.Sprint(entry["status"], " ", entry["fidelity"]))
	}
	want := []string{"503 <nil>", "404 chosen", "200 stated", "200 stated"}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Errorf("labels of the calls, newest first:\n%s", diff)
	}
}
