package fidelity_test

import (
	"slices"
	"testing"
	"time"

	"understudy.example/internal/enrich"
	"understudy.example/internal/fidelity"
	"understudy.example/internal/field"
)

// TestFieldsThatEnrichmentFillsAreNotReal checks that a field which enrichment fills
// without an extracted value is derived or synthetic, and no other field is.
func TestFieldsThatEnrichmentFillsAreNotReal(t *testing.T) {
	t.Parallel()
	extracted := func(name, text string) field.Value { return field.Value{Field: name, Text: text, Score: 0.9} }
	filled := map[string]fidelity.Value{}
	today := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for _, seed := range []enrich.Seed{
		{CompanyName: "Foxglove Bakery LLC", Address: "12 Mill Street, Springfield, IL 62701"},
		{CompanyName: "Foxglove Bakery Ltd", Address: "12 Mill Street, Leeds, LS1 4AP, United Kingdom"}, // company numbers are national
	} {
		report := enrich.Enrich(enrich.Input{
			Seed: seed,
			Locations: [][]field.Value{{
				extracted("location_address", "5 Dock Road, Portland, ME 04101"), extracted("location_occupancy_code", "Warehouse"),
				extracted("building_value", "1000000"),
			}},
			Facts: []field.Value{extracted("email_id", "desk@foxglove.example"), extracted(field.PowerUnits, "4")},
			Options: []field.Value{
				extracted("product", "Workers Compensation"), extracted("estimated_premium", "12000"),
			},
			Today: today,
		})
		for _, record := range []enrich.Record{
			report.Facts, report.Options, report.V1, report.Locations[0].Facts, report.Locations[0].Options,
			report.Version5(today), report.Locations[0].Version5(),
		} {
			for name := range record.Values {
				filled[name], _ = fidelity.ValueOf(name)
			}
		}
	}
	for _, given := range []string{
		"company_name", "email_id", field.PowerUnits, "product", "estimated_premium", "location_occupancy_code", "building_value",
		"submission_received_date", "100_pct_coverage_limits", "100_pct_limit", // of the values above, or of the server's own
	} {
		delete(filled, given)
	}
	for name, value := range filled {
		if value == fidelity.Real {
			t.Errorf("enrichment fills %s, which the table calls real", name)
		}
	}
	for _, f := range fidelity.All.Fields {
		inData := slices.Contains([]string{
			"Facts", "Options", "Report", "LocationFacts", "LocationOptions",
			"CommonFacts", "CommonOptions", "AdvancedPropertyFacts", "AdvancedPropertyOptions",
		}, f.Schema)
		if inData && f.Value != fidelity.Real && filled[f.Name] == "" && f.Name != "website" && f.Name != "secondary_naics_2012" {
			t.Errorf("enrichment never fills %s, which the table calls %s", f.Name, f.Value)
		}
	}
}
