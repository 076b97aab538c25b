package grade

import (
	"time"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// WithDerived adds the values that follow from extracted ones, as the API shows
// them: the parts of addresses, and countries. It leaves out estimates.
func WithDerived(facts, options []field.Value, locations [][]field.Value) ([]field.Value, []field.Value, [][]field.Value) {
	report := enrich.Enrich(enrich.Input{Facts: facts, Options: options, Locations: locations, Today: time.Now()})
	derivedLocations := make([][]field.Value, len(locations))
	for i, row := range locations {
		derivedLocations[i] = row
		if i < len(report.Locations) {
			derivedLocations[i] = addDerived(row, report.Locations[i].Facts,
				"location_city", "location_state", "location_postal_code", "location_country")
			derivedLocations[i] = addDerived(derivedLocations[i], report.Locations[i].Version5(), "location_occupancy_description")
		}
	}
	return addDerived(facts, report.Facts, "city", "state", "postal_code", "country"),
		addDerived(options, report.Options, "risk_country", "broker_city", "broker_state", "broker_postal_code"),
		derivedLocations
}

// addDerived adds the record's values of the named fields that were not
// extracted.
func addDerived(extracted []field.Value, record enrich.Record, names ...string) []field.Value {
	given := map[string]bool{}
	for _, value := range extracted {
		given[value.Field] = true
	}
	for _, name := range names {
		if text, _ := record.Values[name].(string); text != "" && !given[name] {
			extracted = append(extracted, field.Value{Field: name, Text: text, Score: record.Scores[name], Evidence: "follows from others"})
		}
	}
	return extracted
}
