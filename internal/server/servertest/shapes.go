package servertest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/field"
)

// forms are the forms of known values that are strings.
var forms = map[field.Kind]*regexp.Regexp{
	field.Text:      regexp.MustCompile(`(?s)^.*\S.*$`),
	field.Date:      regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])$`),
	field.Money:     regexp.MustCompile(`^\d{1,3}(,\d{3})*\.\d{2}$`),
	field.Indicator: regexp.MustCompile(`^[YN]$`),
	field.Number:    regexp.MustCompile(`^-?\d+(\.\d+)?$`),
	field.Count:     regexp.MustCompile(`^\d{1,3}(,\d{3})*$`),
	field.Grade:     regexp.MustCompile(`^[A-F]$`),
}

// KnownFields checks that the record has these fields and no others, each with a
// value of its kind, and returns the names of those that are known.
func KnownFields(t *testing.T, record any, fields []field.Field) map[string]bool {
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
		filled, good := wellFormed(f, value)
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

// wellFormed reports whether the value is known, and whether it has the form of
// its field.
func wellFormed(f field.Field, value any) (known, good bool) {
	switch f.Kind {
	case field.Integer:
		number, ok := value.(float64)
		return ok, ok && number == float64(int(number)) || value == ""
	case field.Texts, field.Codes, field.Entries, field.Objects:
		list, ok := value.([]any)
		for _, entry := range list {
			ok = ok && (f.Kind == field.Entries || f.Kind == field.Objects && isObject(f.Fields, entry) || isEntry(f.Kind, entry))
		}
		return len(list) > 0, ok
	case field.Object:
		object, ok := value.(map[string]any)
		return len(object) > 0, ok && (len(object) == 0 || isObject(f.Fields, value))
	case field.Amounts:
		amounts, ok := value.(map[string]any)
		for _, amount := range amounts {
			text, _ := amount.(string)
			ok = ok && forms[field.Money].MatchString(text)
		}
		return len(amounts) > 0, ok
	default:
		text, ok := value.(string)
		return text != "", ok && (text == "" || forms[f.Kind].MatchString(text))
	}
}

// isObject reports whether the value is an object with these fields and no others.
func isObject(fields []field.Field, value any) bool {
	object, ok := value.(map[string]any)
	ok = ok && len(object) == len(fields)
	for _, f := range fields {
		_, good := wellFormed(f, object[f.Name])
		ok = ok && good
	}
	return ok
}

func isEntry(kind field.Kind, entry any) bool {
	if kind != field.Codes {
		text, ok := entry.(string)
		return ok && text != ""
	}
	code, _ := entry.(map[string]any)
	number, isText := code["code"].(string)
	desc, isToo := code["desc"].(string)
	return len(code) == 2 && isText && isToo && number != "" && desc != ""
}

var score = regexp.MustCompile(`^(\d{1,2}\.\d\d|100\.00)$`)

// CheckScores checks the form of the scores, and that only fields with a value
// have one.
func CheckScores(t *testing.T, scores any, values ...map[string]bool) {
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

// CheckKeys checks that an object has these fields and no others, given as name
// and type: "s" string, "n" number, "o" object, "a" array, "n?" number or, if it is
// unknown, "".
func CheckKeys(t *testing.T, object any, fields string) {
	t.Helper()
	values, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("object %v", object)
	}
	got := []string{}
	for name, value := range values {
		kind := map[string]string{"string": "s", "float64": "n", "map[string]interface {}": "o", "[]interface {}": "a"}[fmt.Sprintf("%T", value)]
		got = append(got, name+":"+kind)
	}
	slices.Sort(got)
	want := strings.Fields(fields)
	for i, f := range want {
		if name, optional := strings.CutSuffix(f, "n?"); optional {
			want[i] = name + "n"
			if values[strings.TrimSuffix(name, ":")] == "" {
				want[i] = name + "s"
			}
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (- want, + got):\n%s", diff)
	}
}

const (
	seedFields = "company_name:s address:s"
	headFields = "tx_id:s tx_start_time:s tx_end_time:s data_package_id:s tenant_id:s user_id:s c_report_id:s l_report_id:s "
)

// CheckCompanyV2 checks the shape of the company data of version 2.
func CheckCompanyV2(t *testing.T, got Response) {
	t.Helper()
	CheckKeys(t, got.Get(t), headFields+"response_time_secs:s doc_reference_id:s seed_input:o cleansed_input:o data:o scores:o")
	CheckKeys(t, got.Get(t, "seed_input"), seedFields)
	checkCleansed(t, got, " countryISOCode:s", " bureauNumber:s")
	CheckKeys(t, got.Get(t, "data"), "facts:o options:o")
	CheckScores(t, got.Get(t, "scores"),
		KnownFields(t, got.Get(t, "data", "facts"), field.Facts), KnownFields(t, got.Get(t, "data", "options"), field.Options))
}

// CheckCompanyV1 checks the shape of the company data of version 1.
func CheckCompanyV1(t *testing.T, got Response) {
	t.Helper()
	CheckKeys(t, got.Get(t), headFields+"response_time_secs:n seed_input:o cleansed_input:o data:o scores:o")
	CheckKeys(t, got.Get(t, "seed_input"), seedFields)
	checkCleansed(t, got, "", "")
	CheckScores(t, got.Get(t, "scores"), KnownFields(t, got.Get(t, "data"), field.Report))
}

// checkCleansed checks the cleansed input; inAddress and atTop are the fields that
// only one version has.
func checkCleansed(t *testing.T, got Response, inAddress, atTop string) {
	t.Helper()
	const address = "streetAddr:s city:s state:s zipOrPostalCode:s country:s"
	CheckKeys(t, got.Get(t, "cleansed_input"), "companyName:s website:s phoneNumber:s confidence_score:n? address:o seedInput:o"+atTop)
	CheckKeys(t, got.Get(t, "cleansed_input", "address"), address+" geoPosition:o"+inAddress)
	CheckKeys(t, got.Get(t, "cleansed_input", "address", "geoPosition"), "latitude:n? longitude:n?")
	CheckKeys(t, got.Get(t, "cleansed_input", "seedInput"), "companyName:s address:o")
	CheckKeys(t, got.Get(t, "cleansed_input", "seedInput", "address"), address)
}

// CheckLocationsV2 checks the shape of the location data of version 2.
func CheckLocationsV2(t *testing.T, got Response) {
	t.Helper()
	CheckKeys(t, got.Get(t), headFields+"response_time_secs:s doc_reference_id:s data:a")
	for _, element := range got.Get(t, "data").([]any) {
		CheckKeys(t, element, "facts:o options:o scores:o")
		location := element.(map[string]any)
		CheckScores(t, location["scores"],
			KnownFields(t, location["facts"], field.LocationFacts), KnownFields(t, location["options"], field.LocationOptions))
	}
}

// CheckVersion5 checks the shape of the data of version 5 with a package of the
// content, and returns the elements of `data`.
func CheckVersion5(t *testing.T, got Response, content field.Content) (elements []map[string]any) {
	t.Helper()
	lead := "seed_input:o cleansed_input:o "
	if content.Locations {
		lead = ""
	}
	CheckKeys(t, got.Get(t), headFields+lead+"response_time_secs:s doc_reference_id:s data:a additional_data:o")
	CheckKeys(t, got.Get(t, "additional_data"), "")
	for _, element := range got.Get(t, "data").([]any) {
		CheckKeys(t, element, "facts:o options:o scores:o")
		element := element.(map[string]any)
		CheckScores(t, element["scores"], KnownFields(t, element["facts"], content.Facts), KnownFields(t, element["options"], content.Options))
		elements = append(elements, element)
	}
	if !content.Locations && len(elements) != 1 {
		t.Fatalf("%d elements of a company package, want 1", len(elements))
	}
	return elements
}
