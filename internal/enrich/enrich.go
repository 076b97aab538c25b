// Package enrich builds a company's report from the values extracted from a
// document, or from a seed input alone: a name and an address. It is deterministic:
// the same input produces the same report on every machine. Extracted values always
// take precedence over synthetic ones. The package does not know documents, rows or
// requests.
package enrich

import (
	"time"

	"understudy.example/internal/field"
)

// Seed is the seed input: name and address of a company as first extracted from a
// document, or as submitted by the client.
type Seed struct {
	CompanyName string `json:"company_name"`
	Address     string `json:"address"` // one line
}

// Input is the data known about a company before enrichment.
type Input struct {
	Seed      Seed
	Facts     []field.Value   // fields of field.Facts, field.Report and field.MoreFacts
	Options   []field.Value   // fields of field.Options and field.MoreOptions
	Locations [][]field.Value // fields of field.LocationFacts, field.LocationOptions and field.MoreLocation
	Today     time.Time       // for the company's age, which is omitted if Today is zero; only the year counts
}

// Record holds values by field name. The type depends on the field's kind: string,
// []string, []field.Code, map[string]string (amounts), int, map[string]any (an object) or
// []any (objects); a value that an outcome sets can be anything that encoding/json decodes. Fields without a known value are
// absent. Scores, from 0 to 1, exist only for fields that have a value.
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

// GeoPosition is a position in decimal degrees, or the zero value if it is unknown.
type GeoPosition struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// SeedInput is the seed input with its address split into parts. It has only the
// parts that the seed input states.
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

// Report is all the data that inquiries can return for one company.
type Report struct {
	Seed      Seed       `json:"seed"`
	Cleansed  Cleansed   `json:"cleansed"`
	Facts     Record     `json:"facts"`   // field.Facts
	Options   Record     `json:"options"` // field.Options
	V1        Record     `json:"v1"`      // field.Report, without company_id
	More      Record     `json:"more"`    // field.MoreFacts and field.MoreOptions
	Locations []Location `json:"locations"`

	// Packages are the values that an outcome sets, by the name of the content: they
	// replace those of Version5.
	Packages map[string]Record `json:"packages,omitempty"`
}

// Location is one location of a report.
type Location struct {
	Facts    Record            `json:"facts"`   // field.LocationFacts
	Options  Record            `json:"options"` // field.LocationOptions
	More     Record            `json:"more"`    // field.MoreLocation
	Packages map[string]Record `json:"packages,omitempty"`
}

// Enrich builds the report of a company.
//
// A country is an ISO 3166-1 alpha-2 code wherever the service returns codes or
// policy data (facts.country, location_country, risk_country, the lists of
// countries), and an English name in addresses for people (the cleansed address and
// the country of version 1). The address of a company or location is its street
// line; city, state and postal code have their own fields.
//
// Enrich omits values that were neither extracted nor follow from extracted values,
// except those that Synthetic lists: estimates of age, size, industry and ratings,
// and identifiers from ranges that no real company uses. It never invents whether a
// company has been bankrupt or where its employees work.
func Enrich(in Input) Report {
	c := newCompany(in)
	c.resolve()
	c.addIndustryCodes(in)
	c.addAgeAndSize(in.Today)
	c.addSynthetic()
	locations := enrichLocations(in.Locations, c.home)
	c.addCountries(locations)
	c.addLocationTotals(locations)
	options := enrichOptions(in.Options, locations, c.home)
	return Report{
		Seed:      in.Seed,
		Cleansed:  c.cleansed(in.Seed),
		Facts:     c.record.subset(field.Facts),
		Options:   options.subset(field.Options),
		V1:        c.v1Record(),
		More:      merged(c.record.subset(field.MoreFacts), options.subset(field.MoreOptions)),
		Locations: locations,
	}
}
