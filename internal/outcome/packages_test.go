package outcome_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/field"
	"understudy.example/internal/server/servertest"
)

// readV5 returns the elements of `data` that the tenant's package of the content shows.
func readV5(t *testing.T, tenant *servertest.Tenant, name, txID string) []map[string]any {
	t.Helper()
	content, _ := field.FindContent(name)
	id := strings.TrimSuffix(tenant.CompanyPackage, "us-c0001") + content.Suffix
	return servertest.CheckVersion5(t, tenant.Do("GET /data/v5/"+id+"/"+txID, "").Want(t, http.StatusOK), content)
}

// sample returns a value of the field as an outcome sets it.
func sample(f field.Field) any {
	members := map[string]any{}
	for _, member := range f.Fields {
		members[member.Name] = sample(member)
	}
	switch f.Kind {
	case field.Date:
		return "2026-04-01"
	case field.Money:
		return "6,216,506.00"
	case field.Indicator:
		return "Y"
	case field.Number:
		return "41.8781"
	case field.Count:
		return "34,000"
	case field.Grade:
		return "F"
	case field.Texts:
		return []any{"one", "two"}
	case field.Codes:
		return []any{map[string]any{"code": "311812", "desc": "Commercial Bakeries"}}
	case field.Amounts:
		return map[string]any{"EACH OCCURRENCE": "1,000,000.00"}
	case field.Object:
		return members
	case field.Objects:
		return []any{members, members}
	case field.Entries:
		return []any{map[string]any{"hazard": "7"}, "text"}
	}
	return "text"
}

// TestOutcomesOfPackages checks that an outcome can set every field of every content,
// including nested fields, and that each value is shown unchanged and with a score.
func TestOutcomesOfPackages(t *testing.T) {
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	for _, name := range field.ContentNames() {
		content, _ := field.FindContent(name)
		want := map[string]any{"facts": map[string]any{}, "options": map[string]any{}, "scores": map[string]any{}}
		set := map[string]any{}
		for group, fields := range map[string][]field.Field{"facts": content.Facts, "options": content.Options} {
			for _, f := range fields {
				set[f.Name] = sample(f)
				want[group].(map[string]any)[f.Name] = set[f.Name]
				want["scores"].(map[string]any)[f.Name] = "99.00"
			}
		}
		for shape, values := range map[string]any{
			"flat":    set,
			"grouped": map[string]any{"facts": want["facts"], "options": want["options"]},
		} {
			file := name + "-" + shape + ".txt"
			body, err := json.Marshal(map[string]any{"match": map[string]any{"filename": file}, "packages": map[string]any{name: values}})
			if err != nil {
				t.Fatal(err)
			}
			tenant.Control("PUT /outcomes", string(body)).Want(t, http.StatusOK)
			txID := tenant.SubmitFile(file, []byte("hello"))
			tenant.AwaitEnd(txID)
			elements := readV5(t, tenant, name, txID)
			if diff := cmp.Diff([]map[string]any{want}, elements); diff != "" {
				t.Errorf("%s, %s (- set, + got):\n%s", name, shape, diff)
			}
		}
	}
	// A value is set only for the named content, even if other contents have a field of
	// the same name. Earlier versions do not show the values of packages.
	tenant.Control("PUT /outcomes", `{"match":{"filename":"names.txt"},"facts":{"company_name":"Foxglove Bakery LLC"},
		"locations":[{"location_address":"12 Mill Street"},{}],
		"packages":{"general-liability":{"deductible":{"Each claim":"5,000.00"}},"common":{"company_name":"Other Ltd"},
		"property":[{"year_built":"1987","100_pct_coverage_limits":{"Building":"5.00","Stock":"1,002.00"}},{"year_built":"2004","location_id":"LUS1"},{}],"advanced-property":{"wildfire_grade":"C"}}}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("names.txt", []byte("hello"))
	tenant.AwaitEnd(txID)
	for _, check := range []struct {
		content, field, want string
	}{
		{"general-liability", "deductible", "[map[Each claim:5,000.00]]"},
		{"auto", "deductible", "[map[]]"},
		{"common", "company_name", "[Other Ltd]"},
		{"property", "year_built", "[1987 2004 ]"},
		{"advanced-property", "year_built", "[  ]"},
		{"advanced-property", "wildfire_grade", "[C C C]"},
		{"property", "location_address", "[12 Mill Street  ]"},
	} {
		var got []any
		for _, element := range readV5(t, tenant, check.content, txID) {
			got = append(got, element["facts"].(map[string]any)[check.field])
		}
		if fmt.Sprint(got) != check.want {
			t.Errorf("%s: %s is %v, want %s", check.content, check.field, got, check.want)
		}
	}
	if sum := readV5(t, tenant, "property", txID)[0]["options"].(map[string]any)["100_pct_limit"]; sum != "1,007.00" {
		t.Errorf("100_pct_limit %v, want the sum of the coverage limits", sum)
	}
	if id := readV5(t, tenant, "property", txID)[1]["facts"].(map[string]any)["location_id"]; id != "LUS1" {
		t.Errorf("location_id %v, want the value of the outcome", id)
	}
	company := tenant.Do("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	if got := company.Text(t, "data", "facts", "company_name"); got != "Foxglove Bakery LLC" {
		t.Errorf("company_name in version 2 is %s", got)
	}
}

// TestOutcomeValuesHaveTheirForm checks that values of the wrong form and unknown names
// are refused with a message that shows the form, and that raw accepts any value.
func TestOutcomeValuesHaveTheirForm(t *testing.T) {
	servertest.Proves(t,
		"Chosen, control API, outcomes: unknown names and values of another form are refused, with the form",
		"Chosen, control API, outcomes: raw allows any value")
	s := servertest.New(t, servertest.Background)
	tenant := s.NewTenant(`{"pacing":{"mode":"immediate"}}`)
	const date, money, number, indicator = `a date like \"2026-04-01\", or \"\"`, `an amount like \"6,216,506.00\", or \"\"`,
		`a number in a string like \"41.8781\", or \"\"`, `\"Y\", \"N\" or \"\"`
	for _, c := range []struct{ values, path, want string }{
		{`"facts":{"annual_revenue":"6216506"}`, "facts.annual_revenue", money},
		{`"facts":{"annual_revenue":"6,216,506"}`, "facts.annual_revenue", money},
		{`"facts":{"annual_revenue":"$6,216,506.00"}`, "facts.annual_revenue", money},
		{`"facts":{"annual_revenue":6216506}`, "facts.annual_revenue", money},
		{`"facts":{"bankruptcy_indicator":"yes"}`, "facts.bankruptcy_indicator", indicator},
		{`"facts":{"bankruptcy_indicator":true}`, "facts.bankruptcy_indicator", indicator},
		{`"facts":{"bureau_review_date":"04/01/2026"}`, "facts.bureau_review_date", date},
		{`"facts":{"bureau_review_date":"2026-02-30"}`, "facts.bureau_review_date", date},
		{`"facts":{"year_founded":"1987?"}`, "facts.year_founded", number},
		{`"facts":{"year_founded":1987}`, "facts.year_founded", number},
		{`"facts":{"year_in_business":"12"}`, "facts.year_in_business", `an integer like 39, or \"\"`},
		{`"options":{"policy_inception_date":"2026-4-1"}`, "options.policy_inception_date", date},
		{`"options":{"100_pct_limit":"1.000.000,00"}`, "options.100_pct_limit", money},
		{`"options":{"product":"Property"}`, "options.product", "an array of strings"},
		{`"locations":[{},{"latitude":"north"}]`, "locations[1].latitude", number},
		{`"locations":[{"location_have_sprinklers":"y"}]`, "locations[0].location_have_sprinklers", indicator},
		{`"packages":{"common":{"target_premium":"many"}}`, "packages.common.target_premium", money},
		{`"packages":{"common":{"100_pct_limit":"1,000.00"}}`, "packages.common.100_pct_limit", `an object of amounts by name like {\"Building\": \"6,216,506.00\"}`},
		{`"packages":{"common":{"100_pct_limit":{"Building":"1000"}}}`, "packages.common.100_pct_limit.Building", money},
		{`"packages":{"common":{"facts":{"quote_target_date":"soon"}}}`, "packages.common.facts.quote_target_date", date},
		{`"packages":{"auto":{"vehicles":[{"cost_new":"41000"}]}}`, "packages.auto.vehicles[0].cost_new", money},
		{`"packages":{"auto":{"auto":{"total_power_units":4}}}`, "packages.auto.auto.total_power_units", number},
		{`"packages":{"loss-run":{"claim_history":[{"date_of_loss":"x"}]}}`, "packages.loss-run.claim_history[0].date_of_loss", date},
		{`"packages":{"property":[{"100_pct_limit":"x"}]}`, "packages.property[0].100_pct_limit", money},
		{`"packages":{"advanced-property":{"wildfire_grade":"G"}}`, "packages.advanced-property.wildfire_grade", `a grade from \"A\" to \"F\", or \"\"`},
		{`"packages":{"advanced-property":{"total_building_area_sqft":"large"}}`, "packages.advanced-property.total_building_area_sqft", `a whole number like \"34,000\", or \"\"`},
		{`"packages":{"auto":[]}`, "packages.auto", "an object"},
	} {
		s.Unchanged(t, func() {
			tenant.Control("PUT /outcomes", `{"match":{"filename":"a"},`+c.values+`}`).
				Want(t, http.StatusBadRequest, `{"message":"`+c.path+`: want `+c.want+`"}`)
		})
		if !strings.Contains(c.values, `"auto":[]`) {
			tenant.Control("PUT /outcomes", `{"match":{"filename":"a"},"raw":true,`+c.values+`}`).Want(t, http.StatusOK)
		}
	}
	for values, path := range map[string]string{
		`"packages":{"auto":{"vehicle":[]}}`:                "packages.auto.vehicle",
		`"packages":{"auto":{"vehicles":[{"wheels":"4"}]}}`: "packages.auto.vehicles[0].wheels",
		`"packages":{"auto":{"auto":{"units":"4"}}}`:        "packages.auto.auto.units",
		`"packages":{"auto":{"claim_history":[]}}`:          "packages.auto.claim_history",
		`"packages":{"property":[{"wildfire_grade":"A"}]}`:  "packages.property[0].wildfire_grade",
		`"packages":{"common":{"options":{"city":"A"}}}`:    "packages.common.options.city",
	} {
		tenant.Control("PUT /outcomes", `{"match":{"filename":"a"},`+values+`}`).
			Want(t, http.StatusBadRequest, `{"message":"unknown field \"`+path+`\""}`)
	}
	tenant.Control("PUT /outcomes", `{"match":{"filename":"a"},"packages":{"home":{}}}`).Want(t, http.StatusBadRequest, `{"message":"packages: unknown content \"home\", `+
		`want one of common, general-liability, auto, workers-compensation, loss-run, property, advanced-property"}`)
	tenant.Control("PUT /outcomes", `{"match":{"filename":"a"},"raw":"yes"}`).Want(t, http.StatusBadRequest, `{"message":"raw: want true or false"}`)

	// Any raw value of a known field is shown unchanged, even an empty one.
	tenant.Control("PUT /outcomes", `{"match":{"filename":"raw.txt"},"raw":true,"facts":{"annual_revenue":"lots","city":7,"bankruptcy_indicator":"maybe","state":"","unknown_name":"A"},
		"packages":{"common":{"unknown_name":"A","auto":"none","quote_target_date":"soon"}}}`).Want(t, http.StatusOK)
	txID := tenant.SubmitFile("raw.txt", []byte("hello"))
	tenant.AwaitEnd(txID)
	company := tenant.DoUnchecked("GET /data/v2/"+tenant.CompanyPackage+"/"+txID+"?idType=transaction", "").Want(t, http.StatusOK)
	for name, want := range map[string]any{"annual_revenue": "lots", "city": 7.0, "bankruptcy_indicator": "maybe", "state": ""} {
		if got := company.Get(t, "data", "facts", name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	common := tenant.DoUnchecked("GET /data/v5/"+strings.Replace(tenant.CompanyPackage, "-us-", "-us-common-", 1)+"/"+txID, "").Want(t, http.StatusOK)
	if strings.Contains(company.Body+common.Body, "unknown_name") {
		t.Errorf("a field with an unknown name is shown: %s %s", company.Body, common.Body)
	}
	if !strings.Contains(common.Body, `"auto":"none"`) || !strings.Contains(common.Body, `"quote_target_date":"soon"`) {
		t.Errorf("raw values of common: %s", common.Body)
	}
}
