package address

import "strings"

// takeCountry removes the country from the end of the address if it is named
// there, sets it in a, and reports whether it was.
func takeCountry(parts []string, a *Address) ([]string, bool) {
	if len(parts) == 0 {
		return parts, false
	}
	last := parts[len(parts)-1]
	if iso, _, ok := Country(last); ok && !meansState(parts, iso) {
		a.setCountry(iso)
		a.State = ukNations[Key(last)]
		return parts[:len(parts)-1], true
	}
	words := strings.Split(last, " ")
	if iso, rest, ok := countryBeforeCode(words); ok {
		a.setCountry(iso)
		return replacePart(parts, len(parts)-1, rest), true
	}
	for n := min(5, len(words)-1); n > 0; n-- {
		name := strings.Join(words[len(words)-n:], " ")
		if _, _, isState := State(name); isState {
			return parts, false // "New Mexico" is not Mexico
		}
		iso, _, ok := Country(name)
		if !ok || n == 1 && len(fold(name)) < 3 && name != "US" && name != "UK" && name != "U.S." && name != "U.K." {
			continue
		}
		before := words[:len(words)-n]
		if connectingWords[fold(before[len(before)-1])] || !startsUpperCase(name) {
			return parts, false // "12 Rue de France"
		}
		a.setCountry(iso)
		a.State = ukNations[Key(name)]
		return replacePart(parts, len(parts)-1, strings.Join(before, " ")), true
	}
	return parts, false
}

// countryBeforeCode finds the country in "Singapore 048616" and "New Delhi
// India 110001", and returns the remaining text.
func countryBeforeCode(words []string) (iso, rest string, ok bool) {
	n := len(words) - 1
	if n < 1 || !isDigits(words[n]) {
		return "", "", false
	}
	for first := max(0, n-3); first < n; first++ {
		name := strings.Join(words[first:n], " ")
		if _, _, isState := State(name); isState {
			return "", "", false // "New Mexico 87505" is not in Mexico
		}
		if len(name) < 4 {
			continue
		}
		iso, _, ok = Country(name)
		if ok && iso != "US" && postalCodeLengths[iso] == len(words[n]) && cityOfZIP(words[n]).key != Key(name) {
			return iso, strings.Join(append(words[:first:first], words[n]), " "), true
		}
	}
	return "", "", false
}

// connectingWords precede the name of a country that is part of a street name.
var connectingWords = keySet("de, du, des, di, of, del, la, der, van, new, and, the, west, east, north, south, rue, via, calle")

func startsUpperCase(name string) bool {
	return name[0] < 'a' || name[0] > 'z'
}

// meansState reports whether a last part that names both a state and a country
// means the state: "Dover, DE" but not "Berlin, DE", "Atlanta, Georgia" but not
// "Tbilisi, Georgia".
func meansState(parts []string, iso string) bool {
	last := parts[len(parts)-1]
	code, country, ok := State(last)
	if !ok || country == iso {
		return false
	}
	if isTerritory(code) {
		// After another part it is a state, as in "San Juan, PR 00901, PR";
		// alone it is a country.
		return len(parts) > 1
	}
	if len(parts) == 1 {
		return true
	}
	before := parts[len(parts)-2]
	words := strings.Split(before, " ")
	tail := words[len(words)-1]
	if _, home, isState := State(tail); isState && isUpper(tail) && home == iso {
		return false // "Toronto ON, CA"
	}
	if iso == "CA" {
		if _, _, postal := takePostcode(parts[:len(parts)-1], isCanadianCode); postal {
			return false
		}
	}
	_, inState := findUSCity(code, Key(before))
	_, abroad := cityIn(Key(before), iso, "")
	if _, rest, coded := takeLeadingCode(before, iso); coded && !IsStreet(before) && !abroad {
		_, abroad = cityIn(Key(rest), iso, "")
	}
	return inState || !abroad
}

func isTerritory(code string) bool {
	switch code {
	case "PR", "GU", "VI", "AS", "MP":
		return true
	}
	return false
}

// takeCity sets street and city from the remaining parts, which hold nothing
// else. The city is the last part that is not a street line. In a part that holds
// both, the city follows the street: it is a name that known accepts, or the
// words after streetEnd.
func takeCity(parts []string, a *Address, known func(key string) bool) {
	if len(parts) == 0 {
		return
	}
	n := len(parts) - 1
	last := parts[n]
	if n == 0 && *a == (Address{}) && !known(Key(last)) {
		a.Street = last // an unknown name
		return
	}
	if isUnit(last) || IsStreet(last) && (n == 0 || !known(Key(last))) {
		words := strings.Split(last, " ")
		street, city, ok := cutCity(words, known)
		if end := streetEnd(words); !ok && end > 1 && end < len(words) && !isUnit(last) {
			street, city, ok = strings.Join(words[:end], " "), strings.Join(words[end:], " "), true
		}
		if ok {
			a.City = city
			last = street
		} else if n > 0 && !IsStreet(parts[n-1]) && known(Key(parts[n-1])) {
			a.City = parts[n-1] // "Springfield, Suite 4"
			parts = append(parts[:n-1:n-1], last)
			n--
		}
		a.Street = strings.Join(append(parts[:n:n], last), ", ")
		return
	}
	a.City = last
	a.Street = strings.Join(parts[:n], ", ")
}
