package address

import "strings"

// Locate returns the position of the address: of its postal code, else of its
// city, else of the state's or province's largest city, else of its country's capital;
// false when nothing of it is known.
func Locate(a Address) (Position, bool) {
	iso := a.iso()
	key := Key(a.City)
	switch iso {
	case "US":
		if p, ok := locateUS(a, key); ok {
			return p, true
		}
	case "":
		if p, ok := locateAnywhere(a, key); ok {
			return p, true
		}
		return Position{}, false
	case "GB", "JE", "GG", "IM":
		if out, ok := outcode(a.PostalCode); ok {
			if p, known := outcodes()[out]; known {
				return p, true
			}
		} else if p, known := outcodes()[strings.ToUpper(a.PostalCode)]; known {
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
		if c, ok := cityIn(provinceSeats[code], iso, code); ok {
			return c.position, true
		}
	}
	if home, ok := countries().byISO[iso]; ok {
		return home.position, true
	}
	return Position{}, false
}

// iso returns the country's code, from the name or the state when the code is
// not given.
func (a Address) iso() string {
	if a.CountryISO != "" {
		return a.CountryISO
	}
	if iso, _, ok := Country(a.Country); ok {
		return iso
	}
	if _, iso, ok := State(a.State); ok {
		return iso
	}
	if isCanadian(a.PostalCode) && a.PostalCode != "" {
		return "CA"
	}
	if knownPostcode(a.PostalCode) {
		return "GB"
	}
	return ""
}

func locateUS(a Address, key string) (Position, bool) {
	table := unitedStates()
	if len(a.PostalCode) >= 5 {
		if z, ok := table.zips[a.PostalCode[:5]]; ok {
			return z.position, true
		}
	}
	code, _, _ := State(a.State)
	if t, ok := table.in(code, key); ok {
		return t.position, true
	}
	if territory(code) {
		if c, ok := cityIn(key, code, ""); ok {
			return c.position, true
		}
		return countries().byISO[code].position, true
	}
	if towns := table.named(key); key != "" && code == "" && len(towns) > 0 {
		return largest(towns).position, true
	}
	largest, ok := table.largest[code]
	return largest.position, ok
}

// locateAnywhere finds a city whose country nobody named.
func locateAnywhere(a Address, key string) (Position, bool) {
	if key == "" {
		return Position{}, false
	}
	if home := zipOf(a.PostalCode); home.key == key {
		return unitedStates().zips[a.PostalCode[:5]].position, true
	}
	_, _, p, ok := famous(key)
	return p, ok
}

func largest(towns []town) town {
	best := towns[0]
	for _, t := range towns[1:] {
		if t.zips > best.zips {
			best = t
		}
	}
	return best
}

// Complete fills in what follows from the stated parts: city and state from a
// ZIP code, province from a Canadian postal code, country from state or postal
// code, country's name from its code. Stated parts stay as they are.
func Complete(a Address) Address {
	if a.CountryISO == "" {
		if iso := a.iso(); iso != "" {
			a.setCountry(iso)
		} else if iso, state, _, ok := famous(Key(a.City)); ok {
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
	if home := zipOf(a.PostalCode); home.key != "" {
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
	if towns := unitedStates().named(Key(a.City)); len(towns) == 1 {
		a.State = towns[0].state
	}
}
