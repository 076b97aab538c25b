package address

import "strings"

// isKnownPostcode reports whether the text is a British postcode whose first
// half is in use.
func isKnownPostcode(text string) bool {
	out, ok := outcode(text)
	if !ok {
		return false
	}
	switch out[:2] {
	case "JE", "GY", "IM": // the table does not list the islands
		return true
	}
	_, used := findOutcode(out)
	return used
}

func isBritishPostcode(text string) bool {
	_, ok := outcode(text)
	return ok
}

// parseBritish parses an address in the United Kingdom, Jersey, Guernsey or the
// Isle of Man: …, locality, town, county, postcode.
func parseBritish(parts []string, a *Address) {
	a.PostalCode, parts, _ = takePostcode(parts, isBritishPostcode)
	if a.CountryISO == "" {
		a.setCountry("GB")
		switch {
		case strings.HasPrefix(a.PostalCode, "JE"):
			a.setCountry("JE")
		case strings.HasPrefix(a.PostalCode, "GY"):
			a.setCountry("GG")
		case strings.HasPrefix(a.PostalCode, "IM"):
			a.setCountry("IM")
		}
	}
	if n := len(parts) - 1; n >= 0 {
		// "Leeds, England LS1 4DY": only without the postcode is the nation at
		// the end.
		if nation, ok := ukNations[Key(parts[n])]; ok {
			a.State, parts = nation, parts[:n]
		} else if iso, _, ok := Country(parts[n]); ok && iso == a.CountryISO {
			parts = parts[:n]
		}
	}
	known := func(key string) bool {
		_, found := cityIn(key, a.CountryISO, "")
		return found
	}
	takeCity(takeRegion(parts, a, known), a, known)
}

// takeRegion removes the last part, and sets it as the state, if it is a county
// or follows a part that is a known town.
func takeRegion(parts []string, a *Address, known func(key string) bool) []string {
	n := len(parts) - 1
	if n < 0 {
		return parts
	}
	key := Key(parts[n])
	if a.CountryISO == "IE" && n > 0 && !IsStreet(parts[n-1]) && (strings.HasPrefix(key, "co ") || strings.HasPrefix(key, "county ")) {
		a.State = parts[n] // "Ringaskiddy, Co. Cork"
		return parts[:n]
	}
	if counties[key] && (n > 0 && !IsStreet(parts[n-1]) || !known(key)) {
		a.State = parts[n]
		return parts[:n]
	}
	if n > 1 && !known(key) && !IsStreet(parts[n]) && !IsStreet(parts[n-1]) && known(Key(parts[n-1])) {
		a.State = parts[n]
		return parts[:n]
	}
	// "Guildford Surrey": town and county without a comma.
	words := strings.Split(parts[n], " ")
	for i := min(3, len(words)-1); i > 0; i-- {
		county := strings.Join(words[len(words)-i:], " ")
		town := strings.Join(words[:len(words)-i], " ")
		if counties[Key(county)] && !known(key) && (known(Key(town)) || IsStreet(town)) {
			a.State = county
			return replacePart(parts, n, town)
		}
	}
	return parts
}
