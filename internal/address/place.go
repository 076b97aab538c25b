// Package address knows addresses: how one line of text splits into street, city,
// state, postal code and country, and where on the earth that is. Its tables
// are embedded; it asks nobody. It knows neither companies nor documents.
package address

// Address is an address in parts. Unknown parts are empty.
type Address struct {
	Street     string
	City       string
	State      string // US and Canada: two-letter code; elsewhere region or county
	PostalCode string
	Country    string // English short name, "United States"
	CountryISO string // ISO 3166-1 alpha-2, "US"
}

// Position is a point in decimal degrees, WGS 84.
type Position struct{ Latitude, Longitude float64 }

// Parse splits an address given in one line or several. The country is told
// from the state or postal code when it is not written; nothing else is added
// (see Complete). It looks at the first 2,000 bytes.
func Parse(text string) Address {
	var a Address
	parts, written := takeCountry(split(text), &a)
	if len(parts) == 0 {
		return a
	}
	if len(parts) == 1 && !written && loneName(parts[0], &a) {
		return a
	}
	switch a.CountryISO {
	case "US", "CA":
		parseAmerican(parts, &a)
	case "GB", "JE", "GG", "IM":
		parseBritish(parts, &a)
	case "":
		parseUnknown(parts, &a)
	default:
		parseWorld(parts, &a)
	}
	return a
}

// parseUnknown finds the country from the form of the postal code or from the
// state, and splits the address by that country's custom.
func parseUnknown(parts []string, a *Address) {
	if _, _, ok := takePostcode(parts, isCanadian); ok {
		parseAmerican(parts, a)
		return
	}
	if _, _, ok := takePostcode(parts, knownPostcode); ok {
		parseBritish(parts, a)
		return
	}
	if parseAmerican(parts, a) {
		return
	}
	if code, _, ok := takeTrailing(parts[len(parts)-1], "IE"); ok && isEircode(code) {
		a.setCountry("IE")
	}
	parseWorld(parts, a)
	if a.CountryISO == "" && a.City != "" {
		if _, ok := nations[Key(a.State)]; !ok && counties[Key(a.State)] {
			a.setCountry("GB")
			return
		}
		if iso, state, _, ok := famous(Key(a.City)); ok {
			a.setCountry(iso)
			if a.State == "" {
				a.State = state
			}
		}
	}
}

// loneName reads a text that is nothing but a state's or a city's name.
func loneName(part string, a *Address) bool {
	code, iso, ok := State(part)
	key := Key(part)
	if ok {
		a.State = code
		a.setCountry(iso)
		a.City = stateCity(part, code) // "New York"
		return true
	}
	iso, state, _, ok := famous(key)
	if ok {
		a.City, a.State = part, state
		a.setCountry(iso)
	}
	return ok
}

func (a *Address) setCountry(iso string) {
	a.CountryISO, a.Country = iso, countries().byISO[iso].name
}

// CountryWritten tells whether the text of an address names its country.
func CountryWritten(text string) bool {
	_, written := takeCountry(split(text), &Address{})
	return written
}
