package address

import "strings"

// takeCountry cuts the country off the end of the address, if it is written
// there, and tells whether it was.
func takeCountry(parts []string, a *Address) ([]string, bool) {
	if len(parts) == 0 {
		return parts, false
	}
	last := parts[len(parts)-1]
	if iso, _, ok := Country(last); ok && !meansState(parts, iso) {
		a.setCountry(iso)
		a.State = nations[Key(last)]
		return parts[:len(parts)-1], true
	}
	words := strings.Split(last, " ")
	if iso, rest, ok := countryBeforeCode(words); ok {
		a.setCountry(iso)
		return replace(parts, len(parts)-1, rest), true
	}
	for n := min(5, len(words)-1); n > 0; n-- {
		name := strings.Join(words[len(words)-n:], " ")
		if _, _, isState := State(name); isState {
			return parts, false // "New Mexico" before "Mexico"
		}
		iso, _, ok := Country(name)
		if !ok || n == 1 && len(letters(name)) < 3 && name != "US" && name != "UK" && name != "U.S." && name != "U.K." {
			continue
		}
		before := words[:len(words)-n]
		if joins[letters(before[len(before)-1])] || !upperFirst(name) {
			return parts, false // "12 Rue de France"
		}
		a.setCountry(iso)
		a.State = nations[Key(name)]
		return replace(parts, len(parts)-1, strings.Join(before, " ")), true
	}
	return parts, false
}

// countryBeforeCode finds the country in "Singapore 048616" and "New Delhi
// India 110001", and returns what is left without it.
func countryBeforeCode(words []string) (iso, rest string, ok bool) {
	n := len(words) - 1
	if n < 1 || !digits(words[n]) {
		return "", "", false
	}
	for first := max(0, n-3); first < n; first++ {
		name := strings.Join(words[first:n], " ")
		if _, _, isState := State(name); isState || len(name) < 4 {
			continue
		}
		iso, _, ok = Country(name)
		if ok && iso != "US" && codeLengths[iso] == len(words[n]) && zipOf(words[n]).key != Key(name) {
			return iso, strings.Join(append(words[:first:first], words[n]), " "), true
		}
	}
	return "", "", false
}

var joins = keys("de, du, des, di, of, del, la, der, van, new, and, the, west, east, north, south, rue, via, calle")

func upperFirst(name string) bool {
	return name[0] < 'a' || name[0] > 'z'
}

// meansState decides on a last part that names a state of the US as well as a
// country: "Dover, DE" and "Berlin, DE", "Atlanta, Georgia" and "Tbilisi, Georgia".
func meansState(parts []string, iso string) bool {
	last := parts[len(parts)-1]
	code, country, ok := State(last)
	if !ok || country == iso {
		return false
	}
	if territory(code) {
		// "San Juan, PR 00901, PR" names the state twice; else it is a country.
		return len(parts) > 1
	}
	if len(parts) == 1 {
		return true
	}
	before := parts[len(parts)-2]
	words := strings.Split(before, " ")
	tail := words[len(words)-1]
	if _, home, isState := State(tail); isState && upperLetters(tail) && home == iso {
		return false // "Toronto ON, CA"
	}
	if iso == "CA" {
		if _, _, postal := takePostcode(parts[:len(parts)-1], isCanadian); postal {
			return false
		}
	}
	_, town := unitedStates().in(code, Key(before))
	_, abroad := cityIn(Key(before), iso, "")
	if _, rest, coded := takeLeading(before, iso); coded && !IsStreet(before) && !abroad {
		_, abroad = cityIn(Key(rest), iso, "")
	}
	return town || !abroad
}

func territory(code string) bool {
	switch code {
	case "PR", "GU", "VI", "AS", "MP":
		return true
	}
	return false
}

// takeCity sets street and city from parts that hold nothing else any more:
// the city is the last part that is no street line; in a single part it is cut
// off the street's end, where known tells its name.
func takeCity(parts []string, a *Address, known func(key string) bool) {
	if len(parts) == 0 {
		return
	}
	n := len(parts) - 1
	last := parts[n]
	if n == 0 && *a == (Address{}) && !known(Key(last)) {
		a.Street = last // nothing is known of it
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
