package data

import (
	"math"

	"understudy.example/internal/enrich"
)

// cleansedBody is the cleansed input in version 2 and later. Unknown numbers are "".
type cleansedBody struct {
	CompanyName     string           `json:"companyName"`
	Website         string           `json:"website"`
	PhoneNumber     string           `json:"phoneNumber"`
	ConfidenceScore any              `json:"confidence_score"` // 0 to 100, rounded to two decimals
	Address         cleansedAddress  `json:"address"`
	SeedInput       enrich.SeedInput `json:"seedInput"`
	BureauNumber    string           `json:"bureauNumber"`
}

type cleansedAddress struct {
	StreetAddr      string      `json:"streetAddr"`
	City            string      `json:"city"`
	State           string      `json:"state"`
	ZipOrPostalCode string      `json:"zipOrPostalCode"`
	Country         string      `json:"country"`
	CountryISOCode  string      `json:"countryISOCode"`
	GeoPosition     geoPosition `json:"geoPosition"`
}

// geoPosition is a position in decimal degrees.
type geoPosition struct {
	Latitude  any `json:"latitude"`
	Longitude any `json:"longitude"`
}

// cleansedV1 is cleansedBody as version 1 shows it: without countryISOCode and
// bureauNumber.
type cleansedV1 struct {
	CompanyName     string           `json:"companyName"`
	Website         string           `json:"website"`
	PhoneNumber     string           `json:"phoneNumber"`
	ConfidenceScore any              `json:"confidence_score"`
	Address         addressV1        `json:"address"`
	SeedInput       enrich.SeedInput `json:"seedInput"`
}

type addressV1 struct {
	StreetAddr      string      `json:"streetAddr"`
	City            string      `json:"city"`
	State           string      `json:"state"`
	ZipOrPostalCode string      `json:"zipOrPostalCode"`
	Country         string      `json:"country"`
	CountryISOCode  string      `json:"-"`
	GeoPosition     geoPosition `json:"geoPosition"`
}

// version1 returns the cleansed input as version 1 shows it.
func (b cleansedBody) version1() cleansedV1 {
	return cleansedV1{b.CompanyName, b.Website, b.PhoneNumber, b.ConfidenceScore, addressV1(b.Address), b.SeedInput}
}

func newCleansedBody(c enrich.Cleansed) cleansedBody {
	body := cleansedBody{
		CompanyName: c.CompanyName, Website: c.Website, PhoneNumber: c.PhoneNumber, ConfidenceScore: "",
		SeedInput: c.SeedInput, BureauNumber: c.BureauNumber,
		Address: cleansedAddress{
			StreetAddr: c.Address.StreetAddr, City: c.Address.City, State: c.Address.State, ZipOrPostalCode: c.Address.ZipOrPostalCode,
			Country: c.Address.Country, CountryISOCode: c.Address.CountryISOCode, GeoPosition: geoPosition{"", ""},
		},
	}
	if c.ConfidenceScore > 0 {
		body.ConfidenceScore = math.Round(10_000*min(c.ConfidenceScore, 1)) / 100
	}
	if at := c.Address.GeoPosition; at != (enrich.GeoPosition{}) {
		body.Address.GeoPosition = geoPosition{at.Latitude, at.Longitude}
	}
	return body
}
