// Package enrich fills a company's data from what a document states, or from a
// bare name and address. It is deterministic: the same input gives the same
// company on every machine. Values that were read always win over made ones. It
// knows neither documents nor rows nor requests.
package enrich

import (
	"time"

	"understudy.example/internal/field"
)

// Seed is a company as first extracted, or as the client gave it.
type Seed struct {
	CompanyName string `json:"company_name"`
	Address     string `json:"address"` // one line
}

// Input is what is known of a company before enrichment.
type Input struct {
	Seed      Seed
	Facts     []field.Value   // named as in field.Facts or field.Report
	Options   []field.Value   // named as in field.Options
	Locations [][]field.Value // named as in field.LocationFacts and field.LocationOptions
	Today     time.Time       // for ages; only its date counts
}

// Record holds values by field name, in the form of each field's kind: string,
// []string, []field.Code or int. Unknown fields are absent. Scores, from 0 to
// 1, are there only for fields that have a value.
type Record struct {
	Values map[string]any     `json:"values"`
	Scores map[string]float64 `json:"scores"`
}

// Cleansed is the `cleansed_input` of an inquiry (service.md, version 2).
// ConfidenceScore is from 0 to 1.
type Cleansed struct {
	CompanyName     string  `json:"companyName"`
	Website         string  `json:"website"`
	PhoneNumber     string  `json:"phoneNumber"`
	ConfidenceScore float64 `json:"confidence_score"`
	Address         struct {
		StreetAddr      string      `json:"streetAddr"`
		City            string      `json:"city"`
		State           string      `json:"state"`
		ZipOrPostalCode string      `json:"zipOrPostalCode"`
		Country         string      `json:"country"`
		CountryISOCode  string      `json:"countryISOCode"`
		GeoPosition     GeoPosition `json:"geoPosition"`
	} `json:"address"`
	SeedInput    SeedInput `json:"seedInput"`
	BureauNumber string    `json:"bureauNumber"`
}

// GeoPosition is in decimal degrees; zero when unknown.
type GeoPosition struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// SeedInput is the seed with its address in parts, only what was written.
type SeedInput struct {
	CompanyName string `json:"companyName"`
	Address     struct {
		StreetAddr      string `json:"streetAddr"`
		City            string `json:"city"`
		State           string `json:"state"`
		ZipOrPostalCode string `json:"zipOrPostalCode"`
		Country         string `json:"country"`
	} `json:"address"`
}

// Report is everything that an inquiry can show of one company.
type Report struct {
	Seed      Seed       `json:"seed"`
	Cleansed  Cleansed   `json:"cleansed"`
	Facts     Record     `json:"facts"`   // field.Facts
	Options   Record     `json:"options"` // field.Options
	V1        Record     `json:"v1"`      // field.Report, without company_id
	Locations []Location `json:"locations"`
}

// Location is one location of a report.
type Location struct {
	Facts   Record `json:"facts"`   // field.LocationFacts
	Options Record `json:"options"` // field.LocationOptions
}

// Enrich makes the report of a company.
//
// A country is shown as its ISO 3166-1 alpha-2 code wherever the service lists
// codes or policy data (facts.country, location_country, risk_country, the
// arrays of countries), and by its English name where an address is shown to
// people (the cleansed address and version 1's country). The address of a
// company or location is its street line; city, state and postal code have
// fields of their own.
//
// What was neither read nor follows from what was read is left out, except for
// what Synthetic lists: estimates of age, size, industry and ratings, and
// numbers and names from ranges in which no real company stands. Whether a
// company went bankrupt, or where its people work, is never made up.
func Enrich(in Input) Report {
	c := newCompany(in)
	c.identify()
	c.classify(in)
	c.estimate(in.Today)
	c.invent()
	locations := locate(in.Locations, c.home)
	c.countries(locations)
	return Report{
		Seed:      in.Seed,
		Cleansed:  c.cleansed(in.Seed),
		Facts:     c.record.pick(field.Facts),
		Options:   options(in.Options, locations, c.home),
		V1:        c.versionOne(),
		Locations: locations,
	}
}
