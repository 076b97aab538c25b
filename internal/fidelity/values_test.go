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
	for _, seed := range []enrich.Seed{
		{CompanyName: "Foxglove Bakery LLC", Address: "12 Mill Street, Springfield, IL 62701"},
		{CompanyName: "Foxglove Bakery Ltd", Address: "12 Mill Street, Leeds, LS1 4AP, United Kingdom"}, // company numbers are national
	} {
		report := enrich.Enrich(enrich.Input{
			Seed:      seed,
			Locations: [][]field.Value{{extracted("location_address", "5 Dock Road, Portland, ME 04101")}},
			Facts:     []field.Value{extracted("email_id", "desk@foxglove.example")},
			Today:     time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
		})
		for _, record := range []enrich.Record{report.Facts, report.Options, report.V1, report.Locations[0].Facts, report.Locations[0].Options} {
			for name := range record.Values {
				filled[name], _ = fidelity.ValueOf(name)
			}
		}
	}
	for _, given := range []string{"company_name", "email_id"} {
		delete(filled, given)
	}
	for name, value := range filled {
		if value == fidelity.Real {
			t.Errorf("enrichment fills %s, which the table calls real", name)
		}
	}
	for _, f := range fidelity.All.Fields {
		inData := slices.Contains([]string{"Facts", "Options", "Report", "LocationFacts", "LocationOptions"}, f.Schema)
		if inData && f.Value != fidelity.Real && filled[f.Name] == "" && f.Name != "website" && f.Name != "secondary_naics_2012" {
			t.Errorf("enrichment never fills %s, which the table calls %s", f.Name, f.Value)
		}
	}
}
