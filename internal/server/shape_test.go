package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

// forms are what a string of each kind looks like when it is known.
var forms = map[field.Kind]*regexp.Regexp{
	field.Text:      regexp.MustCompile(`(?s)^.*\S.*$`),
	field.Date:      regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])$`),
	field.Money:     regexp.MustCompile(`^\d{1,3}(,\d{3})*\.\d{2}$`),
	field.Indicator: regexp.MustCompile(`^[YN]$`),
	field.Number:    regexp.MustCompile(`^-?\d+(\.\d+)?$`),
}

// known wants the record to have these fields and no others, each with a value
// of its kind, and returns the names of those that are known.
func known(t *testing.T, record any, fields []field.Field) map[string]bool {
	t.Helper()
	values, ok := record.(map[string]any)
	if !ok {
		t.Fatalf("record %v", record)
	}
	found := map[string]bool{}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
		value, there := values[f.Name]
		if !there {
			t.Errorf("%s is missing", f.Name)
			continue
		}
		filled, good := wellFormed(f.Kind, value)
		if !good {
			t.Errorf("%s is %#v", f.Name, value)
		}
		if filled {
			found[f.Name] = true
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(values))); diff != "" {
		t.Errorf("fields (- want, + got):\n%s", diff)
	}
	return found
}

// wellFormed tells whether the value is known, and whether it is of its kind's
// form.
func wellFormed(kind field.Kind, value any) (filled, good bool) {
	switch kind {
	case field.Integer:
		number, ok := value.(float64)
		return number != 0, ok && number == float64(int(number))
	case field.Texts, field.Codes:
		list, ok := value.([]any)
		for _, entry := range list {
			ok = ok && goodEntry(kind, entry)
		}
		return len(list) > 0, ok
	default:
		text, ok := value.(string)
		return text != "", ok && (text == "" || forms[kind].MatchString(text))
	}
}

func goodEntry(kind field.Kind, entry any) bool {
	if kind == field.Texts {
		text, ok := entry.(string)
		return ok && text != ""
	}
	code, _ := entry.(map[string]any)
	number, isText := code["code"].(string)
	desc, isToo := code["desc"].(string)
	return len(code) == 2 && isText && isToo && number != "" && desc != ""
}

var score = regexp.MustCompile(`^(\d{1,2}\.\d\d|100\.00)$`)

// scored wants the scores to be for fields that have a value.
func scored(t *testing.T, scores any, values ...map[string]bool) {
	t.Helper()
	all, ok := scores.(map[string]any)
	if !ok {
		t.Fatalf("scores %v", scores)
	}
	for name, value := range all {
		text, _ := value.(string)
		if !score.MatchString(text) {
			t.Errorf("score of %s is %v", name, value)
		}
		if !slices.ContainsFunc(values, func(known map[string]bool) bool { return known[name] }) {
			t.Errorf("score for %s, which has no value", name)
		}
	}
}

// keys wants an object to have these fields, given as name and kind of JSON
// value: "s" string, "n" number, "o" object, "a" array.
func keys(t *testing.T, object any, fields string) {
	t.Helper()
	values, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("object %v", object)
	}
	var got []string
	for name, value := range values {
		kind := map[string]string{"string": "s", "float64": "n", "map[string]interface {}": "o", "[]interface {}": "a"}[fmt.Sprintf("%T", value)]
		got = append(got, name+":"+kind)
	}
	slices.Sort(got)
	want := strings.Fields(fields)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (- want, + got):\n%s", diff)
	}
}

const (
	seedFields = "company_name:s address:s"
	headFields = "tx_id:s tx_start_time:s tx_end_time:s data_package_id:s tenant_id:s user_id:s c_report_id:s l_report_id:s "
)

func checkCompanyV2(t *testing.T, got servertest.Response) {
	t.Helper()
	keys(t, got.Get(t), headFields+"response_time_secs:s doc_reference_id:s seed_input:o cleansed_input:o data:o scores:o")
	keys(t, got.Get(t, "seed_input"), seedFields)
	checkCleansed(t, got, " countryISOCode:s", " bureauNumber:s")
	keys(t, got.Get(t, "data"), "facts:o options:o")
	scored(t, got.Get(t, "scores"),
		known(t, got.Get(t, "data", "facts"), field.Facts), known(t, got.Get(t, "data", "options"), field.Options))
}

func checkCompanyV1(t *testing.T, got servertest.Response) {
	t.Helper()
	keys(t, got.Get(t), headFields+"response_time_secs:n seed_input:o cleansed_input:o data:o scores:o")
	keys(t, got.Get(t, "seed_input"), seedFields)
	checkCleansed(t, got, "", "")
	scored(t, got.Get(t, "scores"), known(t, got.Get(t, "data"), field.Report))
}

// checkCleansed wants the cleansed input, with what one version has more.
func checkCleansed(t *testing.T, got servertest.Response, inAddress, atTop string) {
	t.Helper()
	const address = "streetAddr:s city:s state:s zipOrPostalCode:s country:s"
	keys(t, got.Get(t, "cleansed_input"), "companyName:s website:s phoneNumber:s confidence_score:n address:o seedInput:o"+atTop)
	keys(t, got.Get(t, "cleansed_input", "address"), address+" geoPosition:o"+inAddress)
	keys(t, got.Get(t, "cleansed_input", "address", "geoPosition"), "latitude:n longitude:n")
	keys(t, got.Get(t, "cleansed_input", "seedInput"), "companyName:s address:o")
	keys(t, got.Get(t, "cleansed_input", "seedInput", "address"), address)
}

func checkLocationsV2(t *testing.T, got servertest.Response) {
	t.Helper()
	keys(t, got.Get(t), headFields+"response_time_secs:s doc_reference_id:s data:a")
	for _, element := range got.Get(t, "data").([]any) {
		keys(t, element, "facts:o options:o scores:o")
		location := element.(map[string]any)
		scored(t, location["scores"],
			known(t, location["facts"], field.LocationFacts), known(t, location["options"], field.LocationOptions))
	}
}

// filled is a record in which every field is known.
func filled(fields []field.Field) enrich.Record {
	samples := map[field.Kind]any{
		field.Text: "text <&> “words”", field.Date: "2026-04-01", field.Money: "6,216,506.00", field.Indicator: "N",
		field.Number: "41.8781", field.Integer: 39, field.Texts: []string{"one", "two"},
		field.Codes: []field.Code{{Code: "311812", Desc: "Commercial Bakeries"}},
	}
	scores := []float64{0, 1, 0.97114, 0.005, 0.5}
	record := enrich.Record{Values: map[string]any{}, Scores: map[string]float64{}}
	for i, f := range fields {
		if f.Name == "company_id" {
			continue // the report's id, which enrichment does not know
		}
		record.Values[f.Name] = samples[f.Kind]
		if i%2 == 0 {
			record.Scores[f.Name] = scores[i/2%len(scores)]
		}
	}
	return record
}

// report replaces a transaction's report.
func (w *servertest.Server) report(txID string, report enrich.Report) {
	w.T.Helper()
	locations, err := json.Marshal(append([]enrich.Location{}, report.Locations...))
	if err != nil {
		w.T.Fatal(err)
	}
	report.Locations = nil
	w.Exec("update reports set company = $2, locations = $3 where tx_id = $1", txID, report, locations)
}
