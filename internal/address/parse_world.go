package address

import "strings"

// parseWorld splits an address by what most countries share: the postal code
// stands beside the city, and the street before both.
func parseWorld(parts []string, a *Address) {
	known := func(key string) bool {
		if a.CountryISO == "" {
			return len(cities(key)) > 0 || len(unitedStates().named(key)) > 0
		}
		_, found := cityIn(key, a.CountryISO, a.State)
		return found
	}
	i, code, rest := findCode(parts, a.CountryISO)
	if i >= 0 {
		a.PostalCode = code
		rest = takeAustralian(rest, a)
		if letters(rest) != "" && !IsStreet(rest) && (i > 0 || len(parts) == 1 || known(Key(rest))) {
			setTown(parts, i, rest, a, known)
			nameCity(a)
			return
		}
		parts = replace(parts, i, rest)
	} else if n := len(parts) - 1; n >= 0 {
		parts = replace(parts, n, takeAustralian(parts[n], a))
	}
	takeCity(takeFarRegion(parts, a, known), a, known)
	nameCity(a)
}

// findCode looks for the postal code, from the last part to the first; before
// a town's name first, as a number behind a name may be a house's.
func findCode(parts []string, iso string) (i int, code, rest string) {
	for i := len(parts) - 1; i >= 0; i-- {
		if code, rest, ok := takeLeading(parts[i], iso); ok && !IsStreet(rest) && (!digits(code) || i > 0 && leading[iso] || !IsStreet(parts[i])) {
			return i, code, rest
		}
	}
	for i := len(parts) - 1; i >= 0; i-- {
		code, rest, ok := takeTrailing(parts[i], iso)
		ok = ok && !isUnit(parts[i])                    // "Suite 1900"
		sure := len(code) == 6 && codeLengths[iso] == 6 // longer than any house number
		if ok && (rest == "" || sure || !IsStreet(rest)) && (rest != "" || i > 0 || len(parts) == 1) {
			return i, code, rest
		}
	}
	if code, rest, ok := takePostcode(parts[max(0, len(parts)-1):], isEircode); ok && (iso == "IE") {
		return len(parts) - 1, code[:3] + " " + strings.ReplaceAll(code[3:], " ", ""), strings.Join(rest, " ")
	}
	return -1, "", ""
}

// setTown takes the text beside the postal code as the town, unless it names a
// region behind a town that is known.
func setTown(parts []string, i int, town string, a *Address, known func(key string) bool) {
	street := parts[:i]
	after := parts[i+1:]
	if space := strings.LastIndexByte(town, ' '); a.CountryISO == "IT" && space > 0 && len(town)-space == 3 {
		a.State, town = town[space+1:], town[:space] // "Milano MI"
	}
	if i > 0 && !known(Key(town)) && !IsStreet(parts[i-1]) && known(Key(parts[i-1])) {
		a.City = parts[i-1] // "Mumbai, Maharashtra 400051"
		a.State = town
		street = parts[:i-1]
	} else {
		a.City = town
	}
	if a.State == "" && len(after) > 0 {
		a.State = strings.Join(after, ", ")
	}
	a.Street = strings.Join(street, ", ")
}

// takeFarRegion cuts regions off the end: parts behind the last part that is a
// known city.
func takeFarRegion(parts []string, a *Address, known func(key string) bool) []string {
	if a.CountryISO == "" && len(parts) > 1 && counties[Key(parts[len(parts)-1])] || a.CountryISO == "IE" {
		return takeRegion(parts, a, known)
	}
	for i := len(parts) - 1; i > 0 && i >= len(parts)-3; i-- {
		if IsStreet(parts[i]) || isUnit(parts[i]) {
			break
		}
		if known(Key(parts[i])) {
			if i < len(parts)-1 && a.State == "" {
				a.State = strings.Join(parts[i+1:], ", ")
			}
			return parts[:i+1]
		}
	}
	if len(parts) > 1 && !IsStreet(parts[0]) && known(Key(parts[0])) && a.State == "" {
		a.State = strings.Join(parts[1:], ", ") // "Guadalajara, Jalisco"
		return parts[:1]
	}
	return parts
}

// takeAustralian cuts a state of Australia off the part's end. Its code with a
// postal code of four digits tells the country.
func takeAustralian(part string, a *Address) string {
	if a.CountryISO != "AU" && (a.CountryISO != "" || len(a.PostalCode) != 4) {
		return part
	}
	words := strings.Split(part, " ")
	for n := min(3, len(words)); n > 0; n-- {
		name := strings.Join(words[len(words)-n:], " ")
		if code, ok := australian(name); ok && (upperLetters(name) || a.CountryISO == "AU") {
			if a.CountryISO == "" {
				a.setCountry("AU")
			}
			a.State = code
			return strings.Join(words[:len(words)-n], " ")
		}
	}
	return part
}

// nameCity fills the city of an address in a country that is little more than
// its capital: "049315 Singapore".
func nameCity(a *Address) {
	switch a.CountryISO {
	case "SG", "HK", "MO", "LU", "MC", "GI", "SM", "VA", "DJ":
		if a.City == "" && (a.Street != "" || a.PostalCode != "") {
			a.City = a.Country
		}
	}
}
