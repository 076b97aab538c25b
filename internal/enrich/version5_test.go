package enrich

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/field"
)

// stored returns the report as it is after it has been stored and loaded.
func stored(t *testing.T, report Report) Report {
	t.Helper()
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var read Report
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// TestVersion5FitsContents checks that the values of version 5 have the kinds of their
// fields in every content, with and without extracted values, and that they are the same
// for the same report.
func TestVersion5FitsContents(t *testing.T) {
	for _, in := range []Input{
		{Today: today},
		nameAndAddress, documented,
		{Locations: [][]field.Value{{value("location_address", "1 Ocean Drive, Miami, FL 33139", 0.9)}, {value("location_city", "Denver", 0.9)}, {value("latitude", "91", 0.9)}, {}}},
	} {
		report := stored(t, Enrich(in))
		again := stored(t, Enrich(in))
		if !reflect.DeepEqual(report.Version5(today), again.Version5(today)) {
			t.Error("two reports for the same input differ in version 5")
		}
		for _, content := range field.Contents {
			records := []Record{report.Version5(today)}
			if content.Locations {
				records = nil
				for _, location := range report.Locations {
					records = append(records, location.Version5())
				}
			}
			for _, record := range records {
				checkContent(t, content, record)
			}
		}
	}
}

func checkContent(t *testing.T, content field.Content, record Record) {
	t.Helper()
	for _, f := range content.Fields() {
		value, ok := record.Values[f.Name]
		if !ok {
			continue
		}
		if score := record.Scores[f.Name]; score < 0 || score > 1 || !Known(value) {
			t.Errorf("%s: %s is %v with the score %v", content.Name, f.Name, value, score)
		}
		fits := false
		switch f.Kind {
		case field.Texts:
			_, fits = value.([]string)
		case field.Codes:
			_, fits = value.([]field.Code)
		case field.Amounts:
			_, fits = value.(map[string]string)
		case field.Object:
			_, fits = value.(map[string]any)
		case field.Grade:
			text, _ := value.(string)
			fits = len(text) == 1 && strings.Contains("ABCDEF", text)
		case field.Number:
			_, fits = parseNumber(record.text(f.Name))
		default:
			_, fits = value.(string)
		}
		if !fits {
			t.Errorf("%s: %s is %#v, which does not fit kind %d", content.Name, f.Name, value, f.Kind)
		}
	}
}

// TestStatedValuesWin checks that values of the document take precedence over synthetic
// ones.
func TestStatedValuesWin(t *testing.T) {
	report := stored(t, Enrich(Input{Today: today, Locations: [][]field.Value{{
		value("location_address", "5 Dock Road, Portland, ME 04101", 0.9), value("fire_protection_class_code", "3/9", 0.9),
		value("fire_hydrant_distance", "200 ft", 0.9), value("total_building_area_sqft", "34000", 0.9), value("construction_type", "Wood frame", 0.9),
		value("building_value", "1000000", 0.9), value(field.NamedCoverageLimits, "Building 1: 600000", 0.9), value(field.NamedCoverageLimits, "Stock: at cost: 50000.5", 0.8),
	}}}))
	got := report.Locations[0].Version5()
	for name, want := range map[string]any{
		"fire_protection_class_code": "3/9", "fire_hydrant_distance": "200 ft", "total_building_area_sqft": "34,000",
		"construction_type": "Wood frame", "rms_construction_code": "1", "rms_construction_description": "Wood",
		"100_pct_coverage_limits": map[string]string{"Building 1": "600,000.00", "Stock: at cost": "50,000.50"}, "100_pct_limit": "650,000.50",
	} {
		if !reflect.DeepEqual(got.Values[name], want) {
			t.Errorf("%s is %v, want %v", name, got.Values[name], want)
		}
	}
}

// TestNormalNames checks the normal names of products and coverages.
func TestNormalNames(t *testing.T) {
	for text, want := range map[string]string{
		"Commercial Property": "Property Insurance", "GL": "General Liability", "Public liability": "General Liability", "Employers' Liability": "Workers Compensation",
		"Business Auto": "Commercial Auto", "Workers' Compensation": "Workers Compensation", "Excess Liability": "Umbrella", "Flora": "",
	} {
		if got := strings.Join(normal(products, []string{text}), ", "); got != want {
			t.Errorf("product %q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"PRODUCTS - COMP/OP AGG": "", "Products/completed operations aggregate": "Product Liability", "MED EXP (any one person)": "Medical Payment",
		"GENERAL AGGREGATE": "General Liability", "Buildings": "Building", "Loss of income": "Business Interruption", "BPP": "Business Personal Property",
	} {
		if got := strings.Join(normal(coverages, []string{text}), ", "); got != want {
			t.Errorf("coverage %q is %q, want %q", text, got, want)
		}
	}
}

// TestGradesDiffer checks that grades depend on the address, and that those of crimes
// are alike in one city.
func TestGradesDiffer(t *testing.T) {
	grades := map[string]bool{}
	for i := range 60 {
		report := Enrich(Input{Locations: [][]field.Value{{value("location_address", fmt.Sprintf("%d Dock Road", i), 0.9), value("location_city", "Portland", 0.9), value("location_state", "ME", 0.9)}}})
		v := report.Locations[0].Version5()
		grades[v.text("wildfire_grade")+v.text("hail_grade")+v.text("fire_hydrant_distance")] = true
		if lowest, highest := slices.Min([]string{v.text("murder_grade"), v.text("burglary_grade"), v.text("crime_grade")}), slices.Max([]string{v.text("murder_grade"), v.text("burglary_grade"), v.text("crime_grade")}); highest[0]-lowest[0] > 2 {
			t.Errorf("grades of crimes from %s to %s at one address", lowest, highest)
		}
	}
	if len(grades) < 4 {
		t.Errorf("60 addresses have only %d combinations of grades", len(grades))
	}
}

// TestSICGroup checks that every industry has a major group, and some that are easy to
// get wrong.
func TestSICGroup(t *testing.T) {
	for subsector, group := range sicOfSubsector {
		if sicTitles[group] == "" {
			t.Errorf("subsector %s: major group %s has no title", subsector, group)
		}
	}
	for naics, want := range map[string]string{"337122": "25", "311812": "20", "722511": "58", "493110": "42", "238220": "17", "99": ""} {
		if got, _ := sicGroup(naics); got.Code != want {
			t.Errorf("%s: major group %q, want %q", naics, got.Code, want)
		}
	}
}

// TestNormalNamesOfLongTexts checks that only the beginning of a list of long texts is
// searched for names.
func TestNormalNamesOfLongTexts(t *testing.T) {
	long := strings.Repeat("a b ", maxName)
	if got := normal(products, []string{"Cyber " + long, long + " Flood"}); !slices.Equal(got, []string{"Cyber"}) {
		t.Errorf("got %v, want only the name in the first %d bytes", got, maxName)
	}
	if got := normal(products, append(slices.Repeat([]string{""}, maxNames), "Cyber")); len(got) > 0 {
		t.Errorf("got %v from text %d", got, maxNames+1)
	}
}
