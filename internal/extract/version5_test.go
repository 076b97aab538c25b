package extract

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/field"
)

// TestBuildingColumns checks the columns of a statement of values that only version 5
// shows, and the names of the coverages.
func TestBuildingColumns(t *testing.T) {
	e := understand(t, sheet("SOV",
		"Loc # | Bldg # | Address | City | State | Zip | Yr Built | Sq Ft | # Stories | Roof Type | Protection Class | % Sprinklered | Burglar Alarm Type | Building Value ($000) | Contents | Business Income",
		"1 | 1 | 12 Grain Road | Omaha | NE | 68102 | 1987 | 34,000 | 2 | Built-up | 4 | 100% | Central station | 1,500 | 200 | 90",
		"2 | 1 | 9 Mill Road | Omaha | NE | 68104 | 2004 | 12,500 | 1 | Metal | 4 | 0 | None | 500 | | "))
	for name, want := range map[string]string{
		"building_number": "1 | 1", "year_built": "1987 | 2004", "total_building_area_sqft": "34000 | 12500", "total_floors": "2 | 1",
		"roof_type": "Built-up | Metal", "fire_protection_class_code": "4 | 4", "sprinkler_pct": "100 | 0", "burglar_alarm_type": "Central station | ",
		field.NamedCoverageLimits: "Building Value: 1,500,000.00; Contents: 200.00; Business Income: 90.00 | Building Value: 500,000.00",
	} {
		var got []string
		for _, location := range e.Locations {
			got = append(got, stated(location, name))
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, location := range e.Locations {
		for _, v := range location {
			if v.Evidence == "" || v.Score <= 0 {
				t.Errorf("%s has no evidence or no score", v.Field)
			}
		}
	}
}

// TestColumnsAboutTheBuilding checks headers that statements of values use for the building.
func TestColumnsAboutTheBuilding(t *testing.T) {
	for header, want := range map[string]map[string]string{
		"Area (sq ft)":            {"total_building_area_sqft": "52000"},
		"Area (sqft)":             {"total_building_area_sqft": "52000"},
		"Area":                    {"total_building_area_sqft": "52000"},
		"# Buildings":             {"total_buildings": "2"},
		"Total Buildings":         {"total_buildings": "2"},
		"Roof Shape":              {"roof_shape": "52000"},
		"Roof Configuration":      {"roof_configuration": "52000"},
		"Exterior Construction":   {"exterior_construction_features": "52000"},
		"Fire Alarm Manufacturer": {"fire_alarm_manufacturer": "52000"},
		"Fire Hydrant Distance":   {"fire_hydrant_distance": "52000"},
		"Distance to Coast (mi)":  {"coast_distance": "52000", "coast_distance_unit": "miles"},
	} {
		value := "52000"
		if strings.Contains(header, "Buildings") {
			value = "2"
		}
		e := understand(t, sheet("SOV", "Loc # | Address | City | State | Zip | Building Value | "+header, "1 | 12 Grain Road | Omaha | NE | 68102 | 1,500,000 | "+value))
		for name, text := range want {
			if len(e.Locations) != 1 || stated(e.Locations[0], name) != text {
				t.Errorf("%s: %v, want %s %q", header, e.Locations, name, text)
			}
		}
	}
}

// TestLimitsByName checks limits with the names of the document: on labels, in running
// text, and in a table of coverages.
func TestLimitsByName(t *testing.T) {
	for name, c := range map[string]struct {
		blocks []content.Block
		want   string
	}{
		"labels": {
			[]content.Block{{Text: "Each Occurrence: $1,000,000\nGeneral Aggregate Limit: $2,000,000"}},
			"Each Occurrence: 1,000,000.00; General Aggregate Limit: 2,000,000.00",
		},
		"lines": {
			[]content.Block{{Text: "EACH OCCURRENCE $1,000,000\nMED EXP (Any one person) $ 5,000"}},
			"EACH OCCURRENCE: 1,000,000.00; MED EXP (Any one person): 5,000.00",
		},
		"table": {
			[]content.Block{grid("Cover", "Coverage | Limit | Deductible", "Building | $1,500,000 | $5,000", "Business income | $300,000 | 72 hours")},
			"Building: 1,500,000.00; Business income: 300,000.00",
		},
		"no amount": {[]content.Block{{Text: "Each Occurrence: see policy"}}, ""},
	} {
		e := understand(t, content.Part{Name: "a.txt", Format: content.Text, Blocks: c.blocks})
		if got := stated(e.Options, field.NamedLimits); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestLabelsOfVersion5 checks the labels that only version 5 has a field for.
func TestLabelsOfVersion5(t *testing.T) {
	e := understand(t, text("a.txt", "Full time employees: 12\nPart time employees: 3\nNumber of locations: 4\nFleet size: 9\n"+
		"Quote needed by: 03/20/2026\nRetroactive date: 04/01/2020\nExpiring premium: $41,500\nUnderwriter email: sam@carrier.example"))
	for name, want := range map[string]string{
		"total_full_time_employees": "12", "total_part_time_employees": "3", "total_number_of_locations": "4", field.PowerUnits: "9",
		"quote_target_date": "2026-03-20",
	} {
		if got := stated(e.Facts, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"retroactive_date": "2020-04-01", "expiring_premium": "41,500.00", "underwriter_email": "sam@carrier.example",
	} {
		if got := stated(e.Options, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
