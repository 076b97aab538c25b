package address

import "strings"

// parseNorthAmerican parses a US or Canadian address. When the country is
// unknown, it parses only an address whose state or ZIP code identifies the
// country. It reports whether it parsed the address.
func parseNorthAmerican(parts []string, a *Address) bool {
	if a.CountryISO != "US" {
		if code, rest, ok := takePostcode(parts, isCanadianCode); ok {
			a.PostalCode, parts = code, rest
			a.setCountry("CA")
		}
	}
	rest, zipped := parts, false
	if a.CountryISO != "CA" {
		a.PostalCode, rest, zipped = takeZIP(parts, a.CountryISO == "US")
	}
	rest, ok := takeState(rest, a, zipped || a.PostalCode != "")
	if !ok && a.CountryISO == "" && !zipFollowsItsCity(rest, a) {
		a.PostalCode = ""
		return false
	}
	if a.CountryISO == "" {
		a.setCountry("US")
	}
	rest = dropCounty(rest, a)
	home := cityOfZIP(a.PostalCode)
	known := func(key string) bool {
		if a.CountryISO == "CA" {
			_, found := cityIn(key, "CA", a.State)
			return found
		}
		if home.key != "" && key == home.key {
			return true
		}
		if a.State == "" {
			return isUSCity(key)
		}
		_, found := findUSCity(a.State, key)
		return found
	}
	if len(rest) == 0 && home.key != "" && home.key == Key(withoutLastWord(parts[0])) {
		a.City = home.name // "New York 10001": the state's name is the city's
		return true
	}
	takeCity(rest, a, known)
	if len(rest) < len(parts) && !known(Key(a.City)) {
		// "One Liberty Plaza, New York"
		if city := cityNamedAsState(parts[len(rest)], a.State); city != "" {
			a.Street, a.City = strings.Join(rest, ", "), city
		}
	}
	return true
}

// cityNamedAsState returns the text, the name of a state, if the state has a
// large city of the same name, else "".
func cityNamedAsState(text, state string) string {
	if c, ok := findUSCity(state, Key(text)); ok && c.zipCount >= largeCityZIPs {
		return text
	}
	return ""
}

// takeZIP removes a ZIP code from the end of one of the last three parts. A bare
// number as the first part is a house number, not a ZIP code.
func takeZIP(parts []string, isUS bool) (code string, rest []string, ok bool) {
	for i := len(parts) - 1; i >= 0 && i >= len(parts)-3; i-- {
		words := strings.Split(parts[i], " ")
		last := words[len(words)-1]
		if i == 0 && len(words) == 1 && len(parts) > 1 {
			continue
		}
		if isZIP(last) {
			return last, replacePart(parts[:i+1], i, strings.Join(words[:len(words)-1], " ")), true
		}
		// Spreadsheets drop the leading zero of ZIP codes in the north-east.
		if isUS && isDigits(last) && len(last) == 4 && i == len(parts)-1 && cityOfZIP("0"+last).key != "" && len(parts) > 1 {
			return "0" + last, replacePart(parts[:i+1], i, strings.Join(words[:len(words)-1], " ")), true
		}
	}
	return "", parts, false
}

// takeState removes the state from the end of the last part. After other words,
// it accepts a name or code that is not in upper case only if the address has a
// postal code or those words end with a city in the state.
func takeState(parts []string, a *Address, hasPostalCode bool) ([]string, bool) {
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
		if before != "" && !hasPostalCode && !isUpper(strings.ReplaceAll(name, ".", "")) && !endsWithCity(before, code, iso) {
			continue
		}
		if before == "" && len(parts) == 1 && a.CountryISO == "" && !hasPostalCode {
			continue
		}
		a.State = code
		if a.CountryISO == "" {
			a.setCountry(iso)
		}
		return replacePart(parts, i, before), true
	}
	return parts, false
}

// endsWithCity reports whether the text ends with the name of a city in the state.
func endsWithCity(text, code, iso string) bool {
	words := strings.Split(text, " ")
	for n := 1; n <= min(4, len(words)); n++ {
		key := Key(strings.Join(words[len(words)-n:], " "))
		if _, ok := findUSCity(code, key); ok && iso == "US" {
			return true
		}
		if _, ok := cityIn(key, iso, code); ok && iso == "CA" {
			return true
		}
	}
	return false
}

// dropCounty removes a county written between city and state.
func dropCounty(parts []string, a *Address) []string {
	n := len(parts) - 1
	if n < 1 || a.CountryISO != "US" {
		return parts
	}
	last := fold(parts[n])
	if !strings.HasSuffix(last, " county") && !strings.HasSuffix(last, " parish") {
		return parts
	}
	if _, ok := findUSCity(a.State, Key(parts[n-1])); ok {
		return parts[:n]
	}
	return parts
}

// zipFollowsItsCity reports whether the parts before the ZIP code end with the
// name of its city.
func zipFollowsItsCity(parts []string, a *Address) bool {
	home := cityOfZIP(a.PostalCode)
	if home.key == "" || len(parts) == 0 {
		return false
	}
	last := Key(parts[len(parts)-1])
	return last == home.key || strings.HasSuffix(last, " "+home.key)
}

func cityOfZIP(code string) usCity {
	zip, ok := findZIP(code)
	if !ok {
		return usCity{}
	}
	key := Key(zip.name)
	return newUSCity(key, zip.state, append([]string{zip.name}, usCities.first(key, zip.state, zip.name)...))
}

// withoutLastWord returns the text without its last word, or all of it when it
// is one word.
func withoutLastWord(text string) string {
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		return text[:i]
	}
	return text
}
