// Package address parses postal addresses and locates them: it splits text into
// street, city, state, postal code and country, and returns a position in
// decimal degrees. It works from embedded tables and calls no other service. It
// does not know companies or documents.
package address

import "understudy.example/internal/memo"

// Address is a postal address in parts. Unknown parts are empty.
type Address struct {
	Street     string
	City       string
	State      string // US and Canada: two-letter code; elsewhere: region or county
	PostalCode string
	Country    string // English short name, "United States"
	CountryISO string // ISO 3166-1 alpha-2, "US"
}

// Position is a point in decimal degrees, WGS 84.
type Position struct{ Latitude, Longitude float64 }

// Parse splits an address written on one or more lines into its parts. When the
// text does not name the country, Parse infers it from the state, postal code or
// city; it adds no other missing part (Complete does). It reads at most the first
// 2,000 bytes.
func Parse(text string) Address { return parsed.Of(text) }

var parsed = memo.New(parse)

func parse(text string) Address {
	var a Address
	parts, named := takeCountry(splitParts(text), &a)
	if len(parts) == 0 {
		return a
	}
	if len(parts) == 1 && !named && parseLoneName(parts[0], &a) {
		return a
	}
	if a.CountryISO == "" || a.CountryISO == "CH" {
		parts = takeCanton(parts, &a)
	}
	if a.CountryISO == "" || a.CountryISO == "IT" {
		parts = takeProvince(parts, &a)
	}
	if a.CountryISO == "" || a.CountryISO == "ES" {
		parts = takeSpanishProvince(parts, &a)
	}
	switch a.CountryISO {
	case "US", "CA":
		if !parseForeignCode(parts, &a) {
			parseNorthAmerican(parts, &a)
		}
	case "GB", "JE", "GG", "IM":
		parseBritish(parts, &a)
	case "":
		parseWithoutCountry(parts, &a)
	default:
		parseWorld(parts, &a)
	}
	return a
}

// parseWithoutCountry infers the country from the form of the postal code or
// from the state, and splits the address by the conventions of that country.
func parseWithoutCountry(parts []string, a *Address) {
	if _, _, ok := takePostcode(parts, isCanadianCode); ok {
		parseNorthAmerican(parts, a)
		return
	}
	if _, _, ok := takePostcode(parts, isKnownPostcode); ok {
		parseBritish(parts, a)
		return
	}
	if hasDutchCode(parts) {
		a.setCountry("NL")
		parseWorld(parts, a)
		return
	}
	if parseNorthAmerican(parts, a) {
		return
	}
	if code, _, ok := takeTrailingCode(parts[len(parts)-1], "IE"); ok && isEircode(code) {
		a.setCountry("IE")
	}
	parseWorld(parts, a)
	if a.CountryISO == "" && a.City != "" {
		if _, ok := ukNations[Key(a.State)]; !ok && counties[Key(a.State)] {
			a.setCountry("GB")
			return
		}
		if iso := countryOfCodeAndCity(parts, a); iso != "" {
			a.setCountry(iso)
			return
		}
		if iso, state, _, ok := wellKnownCity(Key(a.City)); ok {
			a.setCountry(iso)
			if a.State == "" {
				a.State = state
			}
		}
	}
}

// parseForeignCode parses an address that ends with a British or Irish postal code although it names
// a country in North America, and reports whether it did. It keeps the named country.
func parseForeignCode(parts []string, a *Address) bool {
	country, iso := a.Country, a.CountryISO
	last := parts[len(parts)-1:]
	switch {
	case isEircode(last[0]) && !isDigits(last[0][3:]):
		a.setCountry("IE")
		parseWorld(parts, a)
	case isKnownPostcode(last[0]):
		a.setCountry("GB")
		parseBritish(parts, a)
	default:
		return false
	}
	a.Country, a.CountryISO = country, iso
	return true
}

// parseLoneName parses text that consists of the name of a state or city alone,
// and reports whether it did.
func parseLoneName(part string, a *Address) bool {
	code, iso, ok := State(part)
	key := Key(part)
	if ok {
		a.State = code
		a.setCountry(iso)
		a.City = cityNamedAsState(part, code) // "New York"
		return true
	}
	iso, state, _, ok := wellKnownCity(key)
	if ok {
		a.City, a.State = part, state
		a.setCountry(iso)
	}
	return ok
}

func (a *Address) setCountry(iso string) {
	a.CountryISO, a.Country = iso, countries().byISO[iso].name
}

// NamesCountry reports whether the text of an address names its country.
func NamesCountry(text string) bool {
	_, named := takeCountry(splitParts(text), &Address{})
	return named
}
