package address

import (
	"math"
	"testing"
)

func TestLocate(t *testing.T) {
	for text, want := range map[string]Position{
		"New York, NY":                           {40.71, -74.01},
		"Los Angeles, CA":                        {34.05, -118.24},
		"Chicago, IL":                            {41.88, -87.63},
		"Houston, TX":                            {29.76, -95.37},
		"Phoenix, AZ":                            {33.45, -112.07},
		"Miami, FL":                              {25.77, -80.19},
		"Springfield, IL":                        {39.80, -89.64},
		"St. Louis, MO":                          {38.63, -90.20},
		"350 5th Ave, New York, NY 10118":        {40.75, -73.99},
		"San Juan, PR 00901":                     {18.47, -66.11},
		"10 Downing Street, London SW1A 2AA":     {51.50, -0.13},
		"Leeds, LS1 4DY":                         {53.80, -1.55},
		"Edinburgh, Scotland":                    {55.95, -3.19},
		"Newcastle upon Tyne, UK":                {54.97, -1.61},
		"Toronto, ON M5X 1A9":                    {43.65, -79.38},
		"London, ON, Canada":                     {42.98, -81.25},
		"Montréal, Québec":                       {45.51, -73.57},
		"Vancouver, BC":                          {49.28, -123.12},
		"80331 München, Germany":                 {48.14, 11.58},
		"Frankfurt, Germany":                     {50.11, 8.68},
		"50667 Köln, Germany":                    {50.94, 6.96},
		"75001 Paris, France":                    {48.86, 2.35},
		"Sydney NSW 2000, Australia":             {-33.87, 151.21},
		"Newcastle NSW 2300, Australia":          {-32.93, 151.78},
		"Tokyo 100-0005, Japan":                  {35.69, 139.69},
		"Singapore 079903":                       {1.29, 103.85},
		"Mumbai, India":                          {19.08, 72.88},
		"Nowhere at all, Kenya":                  {-1.29, 36.82},
		"São Paulo, Brazil":                      {-23.55, -46.63},
		"12 Patrick Street, Cork, Ireland":       {51.90, -8.47},
		"Bahnhofstrasse 1, 8001 Zürich, Schweiz": {47.37, 8.54},
	} {
		got, ok := Locate(Parse(text))
		if !ok || math.Abs(got.Latitude-want.Latitude) > 0.2 || math.Abs(got.Longitude-want.Longitude) > 0.2 {
			t.Errorf("Locate(%q) = %v %v, want %v (parsed %+v)", text, got, ok, want, Parse(text))
		}
	}
	for _, text := range []string{"", "123 Main St", "Somewhere unheard of"} {
		if got, ok := Locate(Parse(text)); ok {
			t.Errorf("Locate(%q) = %v, want no position", text, got)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, test := range []struct{ given, want Address }{
		{Address{PostalCode: "62701", CountryISO: "US"}, Address{City: "Springfield", State: "IL", PostalCode: "62701", Country: "United States", CountryISO: "US"}},
		{Address{City: "Chicago", State: "IL"}, Address{City: "Chicago", State: "IL", Country: "United States", CountryISO: "US"}},
		{Address{PostalCode: "M5X 1A9"}, Address{State: "ON", PostalCode: "M5X 1A9", Country: "Canada", CountryISO: "CA"}},
		{Address{PostalCode: "SW1A 2AA"}, Address{PostalCode: "SW1A 2AA", Country: "United Kingdom", CountryISO: "GB"}},
		{Address{City: "Peoria", State: "IL", PostalCode: "62701"}, Address{City: "Peoria", State: "IL", PostalCode: "62701", Country: "United States", CountryISO: "US"}},
		{Address{}, Address{}},
	} {
		if got := Complete(test.given); got != test.want {
			t.Errorf("Complete(%+v) = %+v, want %+v", test.given, got, test.want)
		}
	}
}

func TestCountry(t *testing.T) {
	for text, want := range map[string]string{
		"USA": "US", "U.S.": "US", "us": "US", "United States of America": "US", "America": "US",
		"UK": "GB", "England": "GB", "Scotland": "GB", "Wales": "GB", "Great Britain": "GB", "GBR": "GB",
		"Republic of Ireland": "IE", "Eire": "IE", "Deutschland": "DE", "The Netherlands": "NL", "Holland": "NL",
		"Côte d'Ivoire": "CI", "Ivory Coast": "CI", "Türkiye": "TR", "Czech Republic": "CZ", "South Korea": "KR",
		"": "", "Springfield": "", "Atlantis": "",
	} {
		iso, name, ok := Country(text)
		if iso != want || ok != (want != "") || ok != (name != "") {
			t.Errorf("Country(%q) = %q %q %v, want %q", text, iso, name, ok, want)
		}
	}
}

func TestState(t *testing.T) {
	for text, want := range map[string]string{
		"IL": "IL US", "Illinois": "IL US", "illinois": "IL US", "D.C.": "DC US", "New York": "NY US", "Calif.": "CA US",
		"ON": "ON CA", "Ontario": "ON CA", "Québec": "QC CA", "British Columbia": "BC CA", "Puerto Rico": "PR US",
		"": " ", "Surrey": " ", "XX": " ",
	} {
		code, iso, ok := State(text)
		if code+" "+iso != want || ok != (want != " ") {
			t.Errorf("State(%q) = %q %q %v, want %q", text, code, iso, ok, want)
		}
	}
}

func TestIsStreet(t *testing.T) {
	for text, want := range map[string]bool{
		"123 Main St": true, "PO Box 4": true, "P.O. Box 12": true, "Suite 400": true, "Station Road": true,
		"Friedrichstraße 12": true, "1500 Broadway": true, "221B Baker Street": true, "Via Roma 1": true,
		"St. Louis": false, "9000 St. Gallen": false, "1200 St. Charles": true, "10115 Berlin": false, "8001 Zürich": false, "Springfield": false, "Plant & Machinery": false,
		"": false, "12": false, "Acme Holdings": false,
	} {
		if got := IsStreet(text); got != want {
			t.Errorf("IsStreet(%q) = %v, want %v", text, got, want)
		}
	}
}
