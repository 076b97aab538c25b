package enrich

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/address"
	"understudy.example/internal/field"
)

var update = flag.Bool("update", false, "rewrite the expected reports in testdata")

var today = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func value(name, text string, score float64) field.Value {
	return field.Value{Field: name, Text: text, Score: score, Evidence: "a test"}
}

// nameAndAddress is a company of which only the name and address are known.
var nameAndAddress = Input{
	Seed:  Seed{CompanyName: "Harbour Lane Brewery Inc", Address: "5 Dock Road, Portland, ME 04101"},
	Today: today,
}

// documented is a company with values extracted from a document.
var documented = Input{
	Seed: Seed{CompanyName: "Quarrybank Bakehouse Ltd", Address: "Unit 4, Mill Lane, Leeds, West Yorkshire, LS1 4DY, UK"},
	Facts: []field.Value{
		value("company_name", "Quarrybank Bakehouse Ltd", 0.92),
		value("address", "Unit 4, Mill Lane, Leeds, West Yorkshire, LS1 4DY, UK", 0.85),
		value("email_id", "office@quarrybank.example", 0.75),
		value("company_description", "Commercial bakery with two retail shops and delivery vans", 0.85),
		value("year_founded", "1987", 0.92),
		value("annual_revenue", "4250000", 0.85),
		value("is_non_profit_company", "No", 0.6),
		value("does_any_employee_works_with_heat_fire", "Y", 0.92),
	},
	Options: []field.Value{
		value("product", "Property", 0.92), value("product", "Employers Liability", 0.85), value("product", "Property", 0.5),
		value("policy_inception_date", "2027-01-01", 0.92), value("100_pct_limit", "6216506", 0.92),
		value("estimated_premium", "£12,500", 0.7), value("end_date", "next year", 0.4),
	},
	Locations: [][]field.Value{
		{value("location_address", "Unit 4, Mill Lane", 0.93), value("location_city", "Leeds", 0.93), value("location_postal_code", "LS1 4DY", 0.93), value("building_value", "2500000", 0.93), value("location_have_sprinklers", "yes", 0.93)},
		{value("location_address", "12 Station Road, York, YO1 6GA", 0.93), value("contents_tiv", "300000.5", 0.93), value("location_id", "B7", 0.93)},
	},
	Today: today,
}

func TestGoldenReports(t *testing.T) {
	for name, in := range map[string]Input{"name_and_address": nameAndAddress, "documented": documented} {
		t.Run(name, func(t *testing.T) {
			got, err := json.MarshalIndent(Enrich(in), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			path := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("report differs from %s; run with -update and review the change:\n%s", path, got)
			}
		})
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for _, in := range []Input{{}, nameAndAddress, documented} {
		report := Enrich(in)
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		var back Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(report, back) {
			t.Errorf("after a JSON round trip\n got %+v\nwant %+v", back, report)
		}
	}
}

func TestExtractedValuesTakePrecedence(t *testing.T) {
	report := Enrich(documented)
	for _, test := range []struct {
		record Record
		name   string
		want   any
		score  float64
	}{
		{report.Facts, "year_founded", "1987", 0.92},
		{report.Facts, "annual_revenue", "4,250,000.00", 0.85},
		{report.Facts, "is_non_profit_company", "N", 0.6},
		{report.Facts, "address", "Unit 4, Mill Lane", 0.85},
		{report.V1, "email_id", "office@quarrybank.example", 0.75},
		{report.V1, "year_in_business", 39, 0.8924},
		{report.Options, "product", []string{"Property", "Employers Liability"}, 0.92},
		{report.Options, "100_pct_limit", "6,216,506.00", 0.92},
		{report.Options, "estimated_premium", "12,500.00", 0.7},
		{report.Locations[1].Facts, "location_id", "B7", 0.93},
		{report.Locations[1].Facts, "location_city", "York", 0.9021},
		{report.Locations[1].Options, "contents_tiv", "300,000.50", 0.93},
	} {
		if got := test.record.Values[test.name]; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s = %#v, want %#v", test.name, got, test.want)
		}
		if got := test.record.Scores[test.name]; got != test.score {
			t.Errorf("score of %s = %v, want %v", test.name, got, test.score)
		}
	}
	if _, ok := report.Options.Values["end_date"]; ok {
		t.Error("got a value for end_date from a text that is not a date")
	}
}

// TestEveryFieldKept checks that an extracted value of each field of each shape is in
// the report.
func TestEveryFieldKept(t *testing.T) {
	texts := map[field.Kind]string{
		field.Text: "Something", field.Date: "2026-01-02", field.Money: "1234.5", field.Indicator: "Y",
		field.Number: "12", field.Integer: "7", field.Texts: "Entry", field.Codes: "311812",
	}
	all := func(shapes ...[]field.Field) (values []field.Value) {
		for _, f := range slices.Concat(shapes...) {
			values = append(values, value(f.Name, texts[f.Kind], 0.9))
		}
		return values
	}
	report := Enrich(Input{
		Facts: all(field.Facts, field.Report), Options: all(field.Options),
		Locations: [][]field.Value{all(field.LocationFacts, field.LocationOptions)}, Today: today,
	})
	for name, shape := range map[string]struct {
		fields []field.Field
		record Record
	}{
		"facts": {field.Facts, report.Facts}, "options": {field.Options, report.Options}, "v1": {field.Report[1:], report.V1},
		"location facts": {field.LocationFacts, report.Locations[0].Facts}, "location options": {field.LocationOptions, report.Locations[0].Options},
	} {
		for _, f := range shape.fields {
			if shape.record.Scores[f.Name] != 0.9 {
				t.Errorf("%s: %s has score %v and value %v, want score 0.9", name, f.Name, shape.record.Scores[f.Name], shape.record.Values[f.Name])
			}
		}
	}
	if want := []field.Code{{Code: "311812", Desc: "Commercial Bakeries"}}; !reflect.DeepEqual(report.Facts.Values["primary_naics_2012"], want) {
		t.Errorf("extracted code: got %v, want %v", report.Facts.Values["primary_naics_2012"], want)
	}
}

// TestValuesFitKinds checks the names, types, scores and forms of all values in the
// reports of many companies.
func TestValuesFitKinds(t *testing.T) {
	names := []string{"Cedar Software Inc", "Blue Ridge Machine Shop LLC", "Oak Street Bakery", "Zeta", "", "株式会社テスト", "Smith & Sons Roofing GmbH"}
	addresses := []string{"", "12 Oak Ln, Miami, FL 33101", "Unter den Linden 1, 10117 Berlin", "Toronto, ON M5X 1A9", "????", "Texas"}
	for _, name := range names {
		for _, address := range addresses {
			report := Enrich(Input{
				Seed: Seed{name, address}, Today: today,
				Locations: [][]field.Value{{value("location_address", address, 0.9)}, {}, {value("latitude", "91", 0.9)}},
			})
			checkRecord(t, "facts", field.Facts, report.Facts)
			checkRecord(t, "options", field.Options, report.Options)
			checkRecord(t, "v1", field.Report, report.V1)
			for _, location := range report.Locations {
				checkRecord(t, "location facts", field.LocationFacts, location.Facts)
				checkRecord(t, "location options", field.LocationOptions, location.Options)
			}
			if c := report.Cleansed.ConfidenceScore; c < 0 || c > 1 {
				t.Errorf("got confidence score %v, want one from 0 to 1", c)
			}
		}
	}
}

func checkRecord(t *testing.T, shape string, fields []field.Field, r Record) {
	t.Helper()
	known := map[string]field.Kind{}
	for _, f := range fields {
		known[f.Name] = f.Kind
	}
	for name, value := range r.Values {
		kind, ok := known[name]
		if score := r.Scores[name]; !ok || score < 0 || score > 1 {
			t.Errorf("%s: %s is in the shape: %v, score %v", shape, name, ok, score)
		}
		fits := false
		switch v := value.(type) {
		case string:
			fits = !kind.IsList() && kind != field.Integer && v != ""
			if kind == field.Money {
				amount, ok := parseNumber(v)
				fits = ok && formatMoney(amount) == v
			}
			if kind == field.Indicator {
				fits = v == "Y" || v == "N"
			}
			if kind == field.Number {
				_, fits = parseNumber(v)
			}
		case []string:
			fits = kind == field.Texts && len(v) > 0
		case []field.Code:
			fits = kind == field.Codes && len(v) > 0 && v[0].Desc != ""
		case int:
			fits = kind == field.Integer && v >= 0
		}
		if !fits {
			t.Errorf("%s: %s is %#v, which does not fit kind %d", shape, name, value, kind)
		}
	}
	for name := range r.Scores {
		if _, ok := r.Values[name]; !ok {
			t.Errorf("%s: %s has a score but no value", shape, name)
		}
	}
}

func TestEmptyInput(t *testing.T) {
	report := Enrich(Input{Today: today})
	if n := len(report.Facts.Values) + len(report.Options.Values) + len(report.V1.Values); n > 0 {
		t.Errorf("got %d values without input: %+v", n, report)
	}
	if report.Cleansed != (Cleansed{}) {
		t.Errorf("got a cleansed input without input: %+v", report.Cleansed)
	}
	withoutName := Enrich(Input{Seed: Seed{Address: "5 Dock Road, Portland, ME 04101"}, Today: today})
	for _, name := range []string{"company_name", "year_founded", "annual_revenue", "legal_entity_type"} {
		if value, ok := withoutName.Facts.Values[name]; ok {
			t.Errorf("got %s without a company name: %v", name, value)
		}
	}
}

// TestDrawsAreIndependent checks that an extracted value does not change the draws of
// fields that do not follow from it.
func TestDrawsAreIndependent(t *testing.T) {
	before := Enrich(nameAndAddress)
	in := nameAndAddress
	in.Facts = []field.Value{value("year_founded", "1901", 0.9), value("fein", "00-0000000", 0.9)}
	after := Enrich(in)
	for _, name := range []string{"annual_revenue", "annual_payroll", "total_full_time_employees"} {
		if before.V1.Values[name] != after.V1.Values[name] {
			t.Errorf("%s changed from %v to %v", name, before.V1.Values[name], after.V1.Values[name])
		}
	}
	h := newHash("A", "US", "1")
	if h.draw("a", 1<<62) == h.draw("b", 1<<62) || h.draw("a", 1<<62) != newHash(" a. ", "US", "1").draw("a", 1<<62) {
		t.Error("draws must depend on the field, and not on case or punctuation of the company name")
	}
}

func TestIndustry(t *testing.T) {
	for text, want := range map[string]string{
		"Oak Street Bakery": "311812", "Smith & Sons Roofing": "238160", "Blue Ridge Machine Shop": "332710",
		"Cedar Software Inc": "511210", "Green Valley Apartments LP": "531110", "Sunrise Trucking Co": "484121",
		"Riverside Cold Storage": "493120", "manufacture of corrugated boxes": "322211", "dairy farm": "112120",
		"operates three hotels and a restaurant": "721110", "Law offices": "541110", "XYZ Holdings": "",
		"Northbridge Brewing Company": "312120", "Residential and commercial painting contractor": "238320",
		"Wholesale distributor of plumbing supplies": "423720", "general freight trucking, local": "484110",
	} {
		got := ""
		if found := industries().classify(map[string]float64{text: 1}); len(found) > 0 {
			got = found[0].code
		}
		if got != want {
			t.Errorf("%q: got code %q, want %q", text, got, want)
		}
	}
}

func TestLegalForm(t *testing.T) {
	for name, want := range map[string]string{
		"Acme Inc.": "Corporation", "Acme, LLC": "Limited Liability Company", "Acme Ltd": "Private Limited Company",
		"Acme P.L.C.": "Public Limited Company", "Acme GmbH & Co. KG": "GmbH & Co. KG", "Acme S.A.": "Société anonyme", "Acme": "",
	} {
		if got := legalForm(name, "GB"); got != want {
			t.Errorf("legalForm(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPerils(t *testing.T) {
	score := func(address, name string) float64 {
		report := Enrich(Input{Locations: [][]field.Value{{value("location_address", address, 0.9)}}})
		amount, ok := parseNumber(report.Locations[0].Facts.text(name))
		if !ok {
			t.Fatalf("no %s for %s", name, address)
		}
		return amount
	}
	for _, test := range []struct{ higher, lower, name string }{
		{"1 Ocean Dr, Miami, FL 33139", "1 Main St, Denver, CO 80202", "wind_score"},
		{"1 Market St, San Francisco, CA 94105", "1 Main St, Minneapolis, MN 55401", "earthquake_score"},
		{"1 Canal St, New Orleans, LA 70130", "1 Main St, Denver, CO 80202", "flood_score"},
	} {
		if higher, lower := score(test.higher, test.name), score(test.lower, test.name); higher <= lower+10 {
			t.Errorf("%s: got %v for %s and %v for %s, want a difference of more than 10", test.name, higher, test.higher, lower, test.lower)
		}
	}
}

func TestPositionJitter(t *testing.T) {
	centre, _ := address.Locate(address.Parse("Springfield, IL 62701"))
	seen := map[GeoPosition]bool{}
	for i := range 50 {
		report := Enrich(Input{Seed: Seed{"A", fmt.Sprintf("%d Main St, Springfield, IL 62701", i+1)}})
		position := report.Cleansed.Address.GeoPosition
		seen[position] = true
		north := (position.Latitude - centre.Latitude) * 111_000
		east := (position.Longitude - centre.Longitude) * 111_000 * math.Cos(centre.Latitude*math.Pi/180)
		if distance := math.Hypot(north, east); distance > 300 {
			t.Errorf("%d Main St: got %v, %v m from the centre, want at most 300 m", i+1, position, distance)
		}
	}
	if len(seen) < 45 {
		t.Errorf("got %d positions for 50 buildings, want at least 45", len(seen))
	}
}

// TestLocationAddress checks which parts are split from the address line of a
// location.
func TestLocationAddress(t *testing.T) {
	home := Seed{"A Ltd", "1 High Street, Leeds LS1 4DY"}
	for _, test := range []struct {
		row  []field.Value
		want string
	}{
		{[]field.Value{value("location_address", "12 Station Road, York", 1), value("location_postal_code", "YO1 6GA", 1)}, "12 Station Road|York||YO1 6GA|GB"},
		{[]field.Value{value("location_address", "Forge Lane, Brookfield Works", 1), value("location_postal_code", "CV6 4BX", 1)}, "Forge Lane, Brookfield Works|||CV6 4BX|GB"},
		{[]field.Value{value("location_address", "9 Elm St", 1), value("location_postal_code", "62701", 1), value("location_country", "USA", 1)}, "9 Elm St|Springfield|IL|62701|US"},
		{[]field.Value{value("location_address", "9 Elm St", 1), value("location_state", "Illinois", 1)}, "9 Elm St||IL||US"},
		{[]field.Value{value("location_address", "9 Elm St, Chicago, IL 60601", 1)}, "9 Elm St|Chicago|IL|60601|US"},
		{[]field.Value{value("location_address", "Forge Lane", 1), value("location_city", "Coventry", 1)}, "Forge Lane|Coventry|||GB"},
		{[]field.Value{value("building_value", "1", 1)}, "||||"},
	} {
		r := Enrich(Input{Seed: home, Locations: [][]field.Value{test.row}}).Locations[0].Facts
		got := strings.Join([]string{r.text("location_address"), r.text("location_city"), r.text("location_state"), r.text("location_postal_code"), r.text("location_country")}, "|")
		if got != test.want {
			t.Errorf("%v\n got %s\nwant %s", test.row, got, test.want)
		}
	}
}

func TestAddressWithoutCity(t *testing.T) {
	report := Enrich(Input{Facts: []field.Value{value("address", "Forge Lane, Brookfield Works", 0.9), value("city", "Coventry", 0.9), value("postal_code", "CV6 4BX", 0.9)}})
	r := report.Facts
	if got := r.text("address") + "|" + r.text("city") + "|" + r.text("country"); got != "Forge Lane, Brookfield Works|Coventry|GB" {
		t.Errorf("got %s", got)
	}
}

func TestTenThousandLocations(t *testing.T) {
	in := nameAndAddress
	for i := range 10_000 {
		in.Locations = append(in.Locations, []field.Value{
			value("location_address", fmt.Sprintf("%d Main St, Springfield, IL 62701", i), 0.93), value("building_value", "100000", 0.93),
		})
	}
	Enrich(nameAndAddress)
	start := time.Now()
	report := Enrich(in)
	t.Logf("10,000 locations in %v", time.Since(start))
	if len(report.Locations) != 10_000 || !strings.HasPrefix(report.Locations[9_999].Facts.text("location_address"), "9999 Main") {
		t.Errorf("got %d locations, want 10,000 in their order", len(report.Locations))
	}
}

func BenchmarkEnrich(b *testing.B) {
	Enrich(documented)
	for b.Loop() {
		Enrich(documented)
	}
}

// TestSynthetic checks that Synthetic lists all synthetic values, that they are in
// reserved ranges, and that their scores are at most 0.60.
func TestSynthetic(t *testing.T) {
	listed, inVersion5 := map[string]bool{}, map[string]bool{}
	for _, content := range field.Contents {
		for _, f := range content.Fields() {
			inVersion5[f.Name] = true
		}
	}
	for _, s := range Synthetic {
		if _, known := kindOf[s.Field]; !known && !inVersion5[s.Field] || s.How == "" || listed[s.Field] {
			t.Errorf("Synthetic lists %q, which is unknown, a duplicate or not described", s.Field)
		}
		listed[s.Field] = true
	}
	derived := map[string]bool{
		"company_name": true, "address": true, "city": true, "state": true, "postal_code": true, "country": true,
		"legal_entity_type": true, "company_jurisdiction": true, "registered_in_countries": true, "assets_in_countries": true,
	}
	for address, phone := range map[string]string{
		"5 Dock Road, Portland, ME 04101": `^\(207\) 555-01\d\d$`, "1 High Street, Leeds LS1 4DY": `^0113 496 0\d{3}$`, "2 Pier Road, Falkirk FK2 7AB": `^01632 960\d{3}$`,
		"800 Main St, Laval, QC H7S 1M9": `^\(514\) 555-01\d\d$`, "Unter den Linden 1, 10117 Berlin": `^\+49 30 23125 \d{3}$`, "Via Emilia 88, 40132 Bologna, Italy": `^$`,
	} {
		for _, name := range []string{"Harbour Lane Brewery Inc", "Smith & Sons GmbH", "株式会社テスト"} {
			report := Enrich(Input{Seed: Seed{name, address}, Today: today})
			for _, r := range []Record{report.Facts, report.V1} {
				for field := range r.Values {
					if !derived[field] && (!listed[field] || r.Scores[field] > 0.60) {
						t.Errorf("%s is synthetic and not listed, or its score %v is above 0.60", field, r.Scores[field])
					}
				}
			}
			if got := report.V1.text("phone_number"); !regexp.MustCompile(phone).MatchString(got) {
				t.Errorf("%s: got phone number %q, want a match of %s", address, got, phone)
			}
			if got := report.Facts.text("website"); got != "" && !strings.HasSuffix(got, ".example") {
				t.Errorf("got website %q, want one under .example", got)
			}
			for field := range report.Facts.Values {
				if kindOf[field] == kindOf["bankruptcy_indicator"] && field != "has_business_in_operation_for_more_than_3yrs" {
					t.Errorf("indicator %s was invented", field)
				}
			}
		}
	}
}
