package address

import "strings"

// Locate returns the position of the first of these that it knows: the postal
// code, the city, the largest city of the US state or Canadian province, the
// capital of the country. It returns false when it knows none of them.
func Locate(a Address) (Position, bool) {
	iso := a.inferCountry()
	key := Key(a.City)
	switch iso {
	case "US":
		if p, ok := locateUS(a, key); ok {
			return p, true
		}
	case "":
		if p, ok := locateWithoutCountry(a, key); ok {
			return p, true
		}
		return Position{}, false
	case "GB", "JE", "GG", "IM":
		if out, ok := outcode(a.PostalCode); ok {
			if p, known := findOutcode(out); known {
				return p, true
			}
		} else if p, known := findOutcode(strings.ToUpper(a.PostalCode)); known {
			return p, true
		}
	}
	if c, ok := cityIn(key, iso, a.State); ok {
		return c.position, true
	}
	if iso == "CA" {
		code, _, _ := State(a.State)
		if code == "" && a.PostalCode != "" {
			code = provinceOf[strings.ToUpper(a.PostalCode)[0]]
		}
		if c, ok := cityIn(largestProvinceCity[code], iso, code); ok {
			return c.position, true
		}
	}
	if home, ok := countries().byISO[iso]; ok {
		return home.position, true
	}
	return Position{}, false
}

// inferCountry returns the ISO code of the country: the stated code, else the
// code that follows from the country's name, the state or the postal code. It
// returns "" when none of them identifies a country.
func (a Address) inferCountry() string {
	if a.CountryISO != "" {
		return a.CountryISO
	}
	if iso, _, ok := Country(a.Country); ok {
		return iso
	}
	if _, iso, ok := State(a.State); ok {
		return iso
	}
	if isCanadianCode(a.PostalCode) && a.PostalCode != "" {
		return "CA"
	}
	if isKnownPostcode(a.PostalCode) {
		return "GB"
	}
	return ""
}

func locateUS(a Address, key string) (Position, bool) {
	if z, ok := findZIP(a.PostalCode); ok {
		return z.position, true
	}
	code, _, _ := State(a.State)
	if c, ok := findUSCity(code, key); ok {
		return c.position, true
	}
	if isTerritory(code) {
		if c, ok := cityIn(key, code, ""); ok {
			return c.position, true
		}
		return countries().byISO[code].position, true
	}
	if found := citiesOfUS(key); code == "" && len(found) > 0 {
		return largest(found).position, true
	}
	largest, ok := largestUSCities()[code]
	return largest.position, ok
}

// locateWithoutCountry locates an address whose country is unknown by its city.
func locateWithoutCountry(a Address, key string) (Position, bool) {
	if key == "" {
		return Position{}, false
	}
	if home, ok := findZIP(a.PostalCode); ok && Key(home.name) == key {
		return home.position, true
	}
	_, _, p, ok := wellKnownCity(key)
	return p, ok
}

func largest(cities []usCity) usCity {
	best := cities[0]
	for _, c := range cities[1:] {
		if c.zipCount > best.zipCount {
			best = c
		}
	}
	return best
}

// Complete fills in missing parts that follow from the stated ones: city and
// state from a ZIP code, province from a Canadian postal code, country from the
// state, postal code or city, and the country's name from its code. It does not
// change stated parts.
func Complete(a Address) Address {
	if a.CountryISO == "" {
		if iso := a.inferCountry(); iso != "" {
			a.setCountry(iso)
		} else if iso, state, _, ok := wellKnownCity(Key(a.City)); ok {
			a.setCountry(iso)
			if a.State == "" {
				a.State = state
			}
		}
	}
	if a.Country == "" {
		a.Country = countries().byISO[a.CountryISO].name
	}
	switch a.CountryISO {
	case "US":
		completeUS(&a)
	case "CA":
		if a.State == "" && a.PostalCode != "" {
			a.State = provinceOf[strings.ToUpper(a.PostalCode)[0]]
		}
	}
	return a
}

func completeUS(a *Address) {
	if home := cityOfZIP(a.PostalCode); home.key != "" {
		if a.State == "" {
			a.State = home.state
		}
		if code, _, _ := State(a.State); a.City == "" && code == home.state {
			a.City = home.name
		}
	}
	if a.State != "" || a.City == "" {
		return
	}
	if found := citiesOfUS(Key(a.City)); len(found) == 1 {
		a.State = found[0].state
	}
}
