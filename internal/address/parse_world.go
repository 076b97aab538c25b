package address

import (
	"slices"
	"strings"

	"understudy.example/internal/lazyregexp"
)

// parseWorld parses an address by the conventions that most countries share: the
// postal code is next to the city, and the street comes before both.
func parseWorld(parts []string, a *Address) {
	known := func(key string) bool {
		if a.CountryISO == "" {
			return len(worldCities(key)) > 0 || isUSCity(key)
		}
		_, found := cityIn(key, a.CountryISO, a.State)
		return found
	}
	i, code, rest := findPostalCode(parts, a.CountryISO)
	if i >= 0 {
		a.PostalCode = code
		rest = takeAustralianState(rest, a)
		if fold(rest) != "" && !IsStreet(rest) && (i > 0 || len(parts) == 1 || known(Key(rest))) {
			setCity(parts, i, rest, a, known)
			fillCityOfCityState(a)
			return
		}
		parts = replacePart(parts, i, rest)
	} else if n := len(parts) - 1; n >= 0 {
		parts = replacePart(parts, n, takeAustralianState(parts[n], a))
	}
	takeCity(takeWorldRegion(parts, a, known), a, known)
	fillCityOfCityState(a)
}

// findPostalCode searches for the postal code from the last part to the first.
// It looks before names first: a number after a name may be a house number.
// i is the index of the part, or -1; rest is the part without the code.
func findPostalCode(parts []string, iso string) (i int, code, rest string) {
	for i := len(parts) - 1; i >= 0; i-- {
		if code, rest, ok := takeLeadingCode(parts[i], iso); ok && !IsStreet(rest) && (!isDigits(code) || i > 0 && codeBeforeCity[iso] || !IsStreet(parts[i]) || endsWithCodeAndName(parts, i, code, iso)) {
			return i, code, rest
		}
	}
	for i := len(parts) - 1; i >= 0; i-- {
		code, rest, ok := takeTrailingCode(parts[i], iso)
		ok = ok && !isUnit(parts[i])                             // "Suite 1900"
		certain := len(code) == 6 && postalCodeLengths[iso] == 6 // longer than any house number
		if ok && (rest == "" || certain || !IsStreet(rest)) && (rest != "" || i > 0 || len(parts) == 1) {
			return i, code, rest
		}
	}
	if code, rest, ok := takePostcode(parts[max(0, len(parts)-1):], isEircode); ok && iso == "IE" {
		return len(parts) - 1, code[:3] + " " + strings.ReplaceAll(code[3:], " ", ""), strings.Join(rest, " ")
	}
	return -1, "", ""
}

// endsWithCodeAndName reports whether the last part begins with five digits that are hardly a
// house number, because an earlier part of the address, which does not name its country, has
// one: "Carretera de Alcora km 7, 12130 Sant Joan de Moró".
func endsWithCodeAndName(parts []string, i int, code, iso string) bool {
	return iso == "" && i > 0 && i == len(parts)-1 && len(code) == 5 && slices.ContainsFunc(parts[:i], func(part string) bool {
		return (!isUnit(part) || isForeignUnit(part)) && strings.ContainsAny(part, "0123456789")
	})
}

// setCity sets the text next to the postal code, in part i, as the city. If the
// text is not a known city and the part before it is, the text is the region.
func setCity(parts []string, i int, text string, a *Address, known func(key string) bool) {
	street := parts[:i]
	after := parts[i+1:]
	if space := strings.LastIndexByte(text, ' '); a.CountryISO == "IT" && space > 0 && len(text)-space == 3 {
		a.State, text = text[space+1:], text[:space] // "Milano MI"
	}
	if i > 0 && !known(Key(text)) && !IsStreet(parts[i-1]) && known(Key(parts[i-1])) {
		a.City = parts[i-1] // "Mumbai, Maharashtra 400051"
		a.State = text
		street = parts[:i-1]
	} else {
		a.City = text
	}
	if cut := cedex.FindStringIndex(a.City); cut != nil && cut[0] > 0 {
		a.City = a.City[:cut[0]] // "Lille Cedex 9"
	}
	if a.State == "" && len(after) > 0 {
		a.State = strings.Join(after, ", ")
	}
	a.Street = strings.Join(street, ", ")
}

// cedex matches the mark after a French city for mail to companies, which is sorted separately.
var cedex = lazyregexp.New(`(?i) cedex(?: \d{1,2})?$`)

// takeWorldRegion removes the parts after the last part that is a known city,
// and sets them as the state.
func takeWorldRegion(parts []string, a *Address, known func(key string) bool) []string {
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

// takeAustralianState removes an Australian state from the end of the part. A
// state code together with a postal code of four digits identifies the country
// as Australia.
func takeAustralianState(part string, a *Address) string {
	if a.CountryISO != "AU" && (a.CountryISO != "" || len(a.PostalCode) != 4) {
		return part
	}
	words := strings.Split(part, " ")
	for n := min(3, len(words)); n > 0; n-- {
		name := strings.Join(words[len(words)-n:], " ")
		if code, ok := australianState(name); ok && (isUpper(name) || a.CountryISO == "AU") {
			if a.CountryISO == "" {
				a.setCountry("AU")
			}
			a.State = code
			return strings.Join(words[:len(words)-n], " ")
		}
	}
	return part
}

// fillCityOfCityState sets the city of an address in a country that is little
// more than its capital: "049315 Singapore".
func fillCityOfCityState(a *Address) {
	switch a.CountryISO {
	case "SG", "HK", "MO", "LU", "MC", "GI", "SM", "VA", "DJ":
		if a.City == "" && (a.Street != "" || a.PostalCode != "") {
			a.City = a.Country
		}
	}
}
