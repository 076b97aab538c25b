package grade

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/field"
)

func TestMatchesStated(t *testing.T) {
	for _, test := range []struct {
		name, stated, extracted string
		want                    bool
	}{
		{"company_name", "Foxglove Bakery", "FOXGLOVE Bakery, LLC", true},
		{"company_name", "Foxglove Bakery LLC", "Foxglove Bakery", false},
		{"company_name", "Foxglove Bakery", "", false},
		{"postal_code", "BD3 7DN", "bd37dn", true},
		{"location_state", "Ohio", "OH", true},
		{"location_state", "OH", "Oregon", false},
		{"location_state", "Essex", "essex", true},
		{"risk_country", "GB", "United Kingdom", true},
		{"risk_country", "GB", "Guernsey", false},
		{"broker_contact_phone", "+44 (0) 20 7946 0958", "020 7946 0958", true},
		{"broker_contact_phone", "020 7946 0958", "020 7946 0959", false},
		{"building_value", "6216506.00", "6,216,506.00", true},
		{"building_value", "6216506.00", "16,216,506.00", false},
		{"building_value", "100.00", "100.004", true},
		{"building_value", "100.00", "100.01", false},
		{"business_interruption_period", "24 months", "2 years", true},
		{"business_interruption_period", "12 months", "365 days", true},
		{"business_interruption_period", "12 months", "18 months", false},
		{"construction_type", "Joisted Masonry", "Masonry, joisted (ISO 2)", true},
		{"construction_type", "Frame", "Framework", false},
		{"location_have_sprinklers", "Y", "y", true},
		{"location_have_sprinklers", "N", "Y", false},
		{"policy_inception_date", "2026-04-01", "2026-04-01", true},
	} {
		if got := matchesStated(test.name, test.stated, test.extracted); got != test.want {
			t.Errorf("matchesStated(%q, %q, %q) = %v, want %v", test.name, test.stated, test.extracted, got, test.want)
		}
	}
}

func values(pairs ...string) (all []field.Value) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, field.Value{Field: pairs[i], Text: pairs[i+1], Evidence: "line 1"})
	}
	return all
}

func parseDocument(t *testing.T, text string) (d Document) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTally(t *testing.T) {
	for name, test := range map[string]struct {
		truth          string
		facts, options []field.Value
		locations      [][]field.Value
		want           map[string]Count
	}{
		"right, wrong, missed and other": {
			truth: `{"facts": {"company_name": "Foxglove", "city": "Springfield", "state": "IL"}}`,
			facts: values("company_name", "Foxglove LLC", "city", "Salem", "website", "www.foxglove.example"),
			want: map[string]Count{
				"facts.company_name": {Stated: 1, Right: 1},
				"facts.city":         {Stated: 1, Wrong: 1, Missed: 1},
				"facts.state":        {Stated: 1, Missed: 1},
				"facts.website":      {Other: 1},
			},
		},
		"known mistake": {
			truth: `{"not": {"company_name": ["Quill Brokers"], "annual_revenue": [593.10]}}`,
			facts: values("company_name", "QUILL BROKERS", "annual_revenue", "593.10"),
			want:  map[string]Count{"facts.company_name": {Wrong: 1}, "facts.annual_revenue": {Wrong: 1}},
		},
		"further right values and acceptable ones": {
			truth: `{"facts": {"company_name": "Foxglove", "city": "Springfield"},
				"also": {"facts.company_name": "Fox"}, "soft": {"facts.city": ["Salem"], "facts.state": ["OR"]}}`,
			facts: values("company_name", "Fox", "city", "Salem", "state", "Oregon"),
			want:  map[string]Count{"facts.company_name": {Stated: 1, Right: 1}},
		},
		"lists": {
			truth:   `{"options": {"coverage": ["Property Damage", "Terrorism"], "product": ["Property"]}}`,
			options: values("coverage", "Terrorism (full)", "coverage", "Glass", "product", "Motor"),
			want: map[string]Count{
				"options.coverage": {Stated: 2, Right: 1, Missed: 1},
				"options.product":  {Stated: 1, Wrong: 1, Missed: 1},
			},
		},
		"rows paired by address, then by order": {
			truth: `{"locations": {"count": 3, "sum_building_value": "6.00", "rows": [
				{"location_address": "2 Mill Street", "building_value": "2.00"},
				{"building_value": "1.00"}]}}`,
			locations: [][]field.Value{
				values("location_address", "1 Mill Street", "building_value", "1.00"),
				values("location_address", "2 Mill Street, Salem", "building_value", "2.00"),
			},
			want: map[string]Count{
				"locations.rows":               {Stated: 3, Right: 2, Missed: 1},
				"locations.location_address":   {Stated: 1, Right: 1, Other: 1},
				"locations.building_value":     {Stated: 2, Right: 2},
				"locations.sum_building_value": {Stated: 1, Wrong: 1, Missed: 1},
			},
		},
		"extracted row that is no location": {
			truth:     `{"locations": {"count": 0}, "not": {"location_city": ["Total"]}}`,
			locations: [][]field.Value{values("location_city", "Total")},
			want:      map[string]Count{"locations.rows": {Wrong: 1}, "locations.location_city": {Wrong: 1}},
		},
		"acceptable number of rows": {
			truth:     `{"soft": {"locations.count": [0, 1]}}`,
			locations: [][]field.Value{nil},
			want:      map[string]Count{},
		},
		"more rows than acceptable": {
			truth:     `{"soft": {"locations.count": [0, 1]}}`,
			locations: [][]field.Value{nil, nil, nil},
			want:      map[string]Count{"locations.rows": {Stated: 1, Right: 1, Wrong: 2}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tally := Tally{Counts: map[string]Count{}}
			tally.Add("a.pdf", parseDocument(t, test.truth), test.facts, test.options, test.locations)
			if diff := cmp.Diff(test.want, tally.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	var tally Tally
	tally.Add("a.pdf", parseDocument(t, `{"facts": {"city": "Springfield", "state": "IL"}, "options": {"underwriter": "J. Marsh"}, "locations": {"count": 2}}`),
		values("city", "Salem", "state", "IL"), nil, [][]field.Value{nil, nil})
	var got strings.Builder
	if err := tally.Write(&got); err != nil {
		t.Fatal(err)
	}
	want := `FILE   FIELD                STATED       READ   WHERE
a.pdf  facts.city           Springfield  Salem  line 1
a.pdf  options.underwriter  J. Marsh            

FIELD                STATED  RIGHT  WRONG  MISSED  OTHER  PRECISION  RECALL
facts.city           1       0      1      1       0      0.0 %      0.0 %
facts.state          1       1      0      0       0      100.0 %    100.0 %
locations.rows       2       2      0      0       0      100.0 %    100.0 %
options.underwriter  1       0      0      1       0      -          0.0 %
                                                                     
facts                2       1      1      1       0      50.0 %     50.0 %
options              1       0      0      1       0      -          0.0 %
locations.rows       2       2      0      0       0      100.0 %    100.0 %
location values      0       0      0      0       0      -          -
all                  5       3      1      2       0      75.0 %     60.0 %
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}
