package servertest

import (
	"encoding/json"

	"understudy.example/internal/enrich"
	"understudy.example/internal/field"
)

// FullReport returns a report in which every field is known.
func FullReport() enrich.Report {
	report := enrich.Report{
		Seed:    enrich.Seed{CompanyName: "Foxglove Bakery LLC", Address: "12 Mill Street, Springfield, IL 62701"},
		Facts:   filled(field.Facts),
		Options: filled(field.Options),
		V1:      filled(field.Report),
		Locations: []enrich.Location{
			{Facts: filled(field.LocationFacts), Options: filled(field.LocationOptions)},
			{},
		},
	}
	c := &report.Cleansed
	c.CompanyName, c.Website, c.PhoneNumber, c.BureauNumber = "Foxglove Bakery", "www.foxglove.example", "+1 217-555-0100", "123456789"
	c.ConfidenceScore = 0.97114
	a := &c.Address
	a.StreetAddr, a.City, a.State, a.ZipOrPostalCode, a.Country, a.CountryISOCode = "12 Mill Street", "Springfield", "IL", "62701", "United States", "US"
	a.GeoPosition = enrich.GeoPosition{Latitude: 39.8204, Longitude: -89.59863}
	c.SeedInput.CompanyName = "Foxglove Bakery LLC"
	s := &c.SeedInput.Address
	s.StreetAddr, s.City, s.State, s.ZipOrPostalCode, s.Country = "12 Mill Street", "Springfield", "IL", "62701", "USA"
	return report
}

// filled returns a record in which every field is known.
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

// ReplaceReport replaces the report of a transaction in the database.
func (s *Server) ReplaceReport(txID string, report enrich.Report) {
	s.T.Helper()
	locations, err := json.Marshal(append([]enrich.Location{}, report.Locations...))
	if err != nil {
		s.T.Fatal(err)
	}
	report.Locations = nil
	s.Exec("update reports set company = $2, locations = $3 where tx_id = $1", txID, report, locations)
}
