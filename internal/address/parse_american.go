package address

import "strings"

// parseAmerican splits an address of the US or of Canada. Without a known
// country it does so only if a state tells one, and reports whether it did.
func parseAmerican(parts []string, a *Address) bool {
	if a.CountryISO != "US" {
		if code, rest, ok := takePostcode(parts, isCanadian); ok {
			a.PostalCode, parts = code, rest
			a.setCountry("CA")
		}
	}
	rest, zipped := parts, false
	if a.CountryISO != "CA" {
		a.PostalCode, rest, zipped = takeZIP(parts, a.CountryISO == "US")
	}
	rest, ok := takeState(rest, a, zipped || a.PostalCode != "")
	if !ok && a.CountryISO == "" && !zipTown(rest, a) {
		a.PostalCode = ""
		return false
	}
	if a.CountryISO == "" {
		a.setCountry("US")
	}
	rest = dropCounty(rest, a)
	home := zipOf(a.PostalCode)
	known := func(key string) bool {
		if a.CountryISO == "CA" {
			_, found := cityIn(key, "CA", a.State)
			return found
		}
		if home.key != "" && key == home.key {
			return true
		}
		if a.State == "" {
			return len(unitedStates().named(key)) > 0
		}
		_, found := unitedStates().in(a.State, key)
		return found
	}
	if len(rest) == 0 && home.key != "" && home.key == Key(stateName(parts)) {
		a.City = home.name // "New York 10001": the state's name is the city's
		return true
	}
	takeCity(rest, a, known)
	if len(rest) < len(parts) && !known(Key(a.City)) {
		// "One Liberty Plaza, New York"
		if city := stateCity(parts[len(rest)], a.State); city != "" {
			a.Street, a.City = strings.Join(rest, ", "), city
		}
	}
	return true
}

// stateCity returns the text if it names a large city as well as the state.
func stateCity(text, state string) string {
	if t, ok := unitedStates().in(state, Key(text)); ok && t.zips >= manyZIPs {
		return text
	}
	return ""
}

// takeZIP cuts a ZIP code off the end of one of the last three parts. A bare
// number at the very beginning is a house number, not a ZIP code.
func takeZIP(parts []string, certain bool) (code string, rest []string, ok bool) {
	for i := len(parts) - 1; i >= 0 && i >= len(parts)-3; i-- {
		words := strings.Split(parts[i], " ")
		last := words[len(words)-1]
		if i == 0 && len(words) == 1 && len(parts) > 1 {
			continue
		}
		if isZIP(last) {
			return last, replace(parts[:i+1], i, strings.Join(words[:len(words)-1], " ")), true
		}
		// Spreadsheets drop the leading zero of the north-east's codes.
		if certain && digits(last) && len(last) == 4 && i == len(parts)-1 && zipOf("0"+last).key != "" && len(parts) > 1 {
			return "0" + last, replace(parts[:i+1], i, strings.Join(words[:len(words)-1], " ")), true
		}
	}
	return "", parts, false
}

// takeState cuts the state off the last part, or takes the part before it if
// the last one is a county. Codes in small letters are taken only where a
// postal code or a known city vouches for them.
func takeState(parts []string, a *Address, vouched bool) ([]string, bool) {
	if len(parts) == 0 {
		return parts, false
	}
	i := len(parts) - 1
	words := strings.Split(parts[i], " ")
	for n := min(4, len(words)); n > 0; n-- {
		name := strings.Trim(strings.Join(words[len(words)-n:], " "), "()")
		code, iso, ok := State(name)
		if !ok || a.CountryISO != "" && a.CountryISO != iso {
			continue
		}
		before := strings.Join(words[:len(words)-n], " ")
		if before != "" && !vouched && !upperLetters(strings.ReplaceAll(name, ".", "")) && !cityBefore(before, code, iso) {
			continue
		}
		if before == "" && len(parts) == 1 && a.CountryISO == "" && !vouched {
			continue
		}
		a.State = code
		if a.CountryISO == "" {
			a.setCountry(iso)
		}
		return replace(parts, i, before), true
	}
	return parts, false
}

// cityBefore tells whether the text ends with a city of the state.
func cityBefore(text, code, iso string) bool {
	words := strings.Split(text, " ")
	for n := 1; n <= min(4, len(words)); n++ {
		key := Key(strings.Join(words[len(words)-n:], " "))
		if _, ok := unitedStates().in(code, key); ok && iso == "US" {
			return true
		}
		if _, ok := cityIn(key, iso, code); ok && iso == "CA" {
			return true
		}
	}
	return false
}

// dropCounty leaves out a county that stands between city and state.
func dropCounty(parts []string, a *Address) []string {
	n := len(parts) - 1
	if n < 1 || a.CountryISO != "US" {
		return parts
	}
	last := letters(parts[n])
	if !strings.HasSuffix(last, " county") && !strings.HasSuffix(last, " parish") {
		return parts
	}
	if _, ok := unitedStates().in(a.State, Key(parts[n-1])); ok {
		return parts[:n]
	}
	return parts
}

// zipTown tells whether a ZIP code without a state stands behind its own city.
func zipTown(parts []string, a *Address) bool {
	home := zipOf(a.PostalCode)
	if home.key == "" || len(parts) == 0 {
		return false
	}
	last := Key(parts[len(parts)-1])
	return last == home.key || strings.HasSuffix(last, " "+home.key)
}

func zipOf(code string) town {
	if len(code) < 5 {
		return town{}
	}
	table := unitedStates()
	found, ok := table.zips[code[:5]]
	if !ok {
		return town{}
	}
	return table.towns[found.town]
}

// stateName returns the first part without its last word, the ZIP code.
func stateName(parts []string) string {
	first := parts[0]
	if i := strings.LastIndexByte(first, ' '); i > 0 {
		return first[:i]
	}
	return first
}
