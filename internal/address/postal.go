package address

import "strings"

// isZIP reports whether the word has the form 62701 or 62701-1234.
func isZIP(word string) bool {
	s := shapeOf(word)
	return s == "99999" || s == "99999-9999"
}

// outcode returns the first half of a British postcode. It returns false unless
// the text, with or without its space, has the form of a full postcode.
func outcode(text string) (string, bool) {
	text = strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	if len(text) < 5 || len(text) > 7 || shapeOf(text[len(text)-3:]) != "9AA" {
		return "", false
	}
	out := text[:len(text)-3]
	switch shapeOf(out) {
	case "A9", "A99", "AA9", "AA99", "A9A", "AA9A":
		return out, true
	}
	return "", text == "GIR0AA"
}

func isCanadianCode(text string) bool {
	switch shapeOf(text) {
	case "A9A9A9", "A9A 9A9", "A9A-9A9":
		return true
	}
	return false
}

func isEircode(text string) bool {
	text = strings.ReplaceAll(strings.ToUpper(text), " ", "")
	return len(text) == 7 && (shapeOf(text[:3]) == "A99" || text[:3] == "D6W") && strings.ContainsAny(text[3:], "0123456789")
}

// postalCodeLengths is the number of digits of a postal code by country. The
// codes of other countries have four to six digits.
var postalCodeLengths = map[string]int{
	"AT": 4, "AU": 4, "BE": 4, "BG": 4, "CH": 4, "CY": 4, "DK": 4, "HU": 4, "LI": 4, "LU": 4, "LV": 4, "NL": 4,
	"NO": 4, "NZ": 4, "PH": 4, "SI": 4, "TN": 4, "ZA": 4, "BD": 4, "GE": 4, "PY": 4,
	"DE": 5, "EE": 5, "ES": 5, "FI": 5, "FR": 5, "HR": 5, "ID": 5, "IT": 5, "KR": 5, "MA": 5, "MC": 5, "MX": 5,
	"MY": 5, "PE": 5, "PK": 5, "PR": 5, "RS": 5, "SA": 5, "SM": 5, "TH": 5, "TR": 5, "UA": 5, "UY": 5, "EG": 5,
	"LT": 5, "GR": 5, "SE": 5, "CZ": 5, "SK": 5, "PL": 5, "VN": 6, "CN": 6, "CO": 6, "IN": 6, "KZ": 6, "RO": 6,
	"RU": 6, "SG": 6, "BY": 6, "EC": 6, "CL": 7, "IL": 7, "JP": 7, "PT": 7, "BR": 8, "IS": 3,
}

// isPostalCode reports whether words, one or two of them, have the form of a
// postal code of the country, or of any country when iso is empty.
func isPostalCode(words, iso string) bool {
	prefix, rest, cut := strings.Cut(words, "-")
	if cut && len(prefix) <= 2 && isUpper(prefix) {
		return isPostalCode(rest, iso) // "D-10115", "CH-8001", "SE-111 22"
	}
	s := shapeOf(words)
	if iso == "IE" {
		return isEircode(words)
	}
	switch s {
	case "99-999": // Poland
		return iso == "" || iso == "PL"
	case "9999-999": // Portugal
		return iso == "" || iso == "PT"
	case "999-9999": // Japan, and an American telephone number without its area code
		return iso == "JP"
	case "99999-999": // Brazil
		return iso == "" || iso == "BR"
	case "999 99": // Sweden, Czechia, Slovakia, Greece
		return iso == "SE" || iso == "CZ" || iso == "SK" || iso == "GR"
	case "9999 AA", "9999AA": // Netherlands
		return iso == "" && words[4:] == strings.ToUpper(words[4:]) && !compass[strings.TrimSpace(words[4:])] || iso == "NL"
	case "999 999": // India
		return iso == "IN" || iso == "SG" || iso == "RO"
	case "AA9A 9AA", "AA99", "AA 99", "AA9 9AA", "AAA 9999": // islands and Malta
		return iso == "BM" || iso == "MT" || iso == "GI" || iso == "KY"
	}
	if !isDigits(words) {
		return false
	}
	if length, known := postalCodeLengths[iso]; known {
		return len(words) == length
	}
	return len(words) >= 4 && len(words) <= 6
}

// compass holds the quarters in the names of American streets: "2716 SW Topeka Blvd".
var compass = map[string]bool{"NE": true, "NW": true, "SE": true, "SW": true}

// takeLeadingCode splits a postal code from the beginning of the part.
func takeLeadingCode(part, iso string) (code, rest string, ok bool) {
	if iso == "NL" && isPostalCode(part, iso) && !isDigits(part) {
		return "", part, false // "1012 LG" is a code, not "1012" before a city
	}
	words := strings.Split(part, " ")
	for n := min(2, len(words)-1); n > 0; n-- {
		code := strings.Join(words[:n], " ")
		if isPostalCode(code, iso) {
			return code, strings.Join(words[n:], " "), true
		}
	}
	return "", part, false
}

// takeTrailingCode splits a postal code from the end of the part. The code may
// be the whole part.
func takeTrailingCode(part, iso string) (code, rest string, ok bool) {
	words := strings.Split(part, " ")
	for n := min(2, len(words)); n > 0; n-- {
		code := strings.Join(words[len(words)-n:], " ")
		if isPostalCode(code, iso) {
			return code, strings.Join(words[:len(words)-n], " "), true
		}
	}
	return "", part, false
}

// hasDutchCode reports whether a part after the first is a Dutch postal code, alone or
// before a city: "3511 AB", "3511 AB Utrecht".
func hasDutchCode(parts []string) bool {
	for i, part := range parts {
		code, rest := part[:min(len(part), 7)], part[min(len(part), 7):]
		if i > 0 && shapeOf(code) == "9999 AA" && code == strings.ToUpper(code) && code[0] != '0' && (rest == "" || rest[0] == ' ' && !IsStreet(rest[1:])) {
			return true
		}
	}
	return false
}

// countryOfCodeAndCity returns the country of an address whose postal code is before its
// city: the only one that has a city of this name with postal codes of this length. It
// returns "" if there is none, or if there are several.
func countryOfCodeAndCity(parts []string, a *Address) (iso string) {
	if a.PostalCode == "" || !strings.Contains(strings.Join(parts, ", "), a.PostalCode+" "+a.City) {
		return ""
	}
	for _, c := range worldCities(Key(a.City)) {
		if postalCodeLengths[c.country] != len(a.PostalCode) || !codeBeforeCity[c.country] || c.country == iso {
			continue
		}
		if iso != "" {
			return ""
		}
		iso = c.country
	}
	return iso
}

// takePostcode removes a code of one or two words that fits accepts from one of
// the last three parts, anywhere within the part. It returns the code in upper
// case with one space before its last three characters.
func takePostcode(parts []string, fits func(string) bool) (code string, rest []string, ok bool) {
	for i := len(parts) - 1; i >= 0 && i >= len(parts)-3; i-- {
		words := strings.Split(parts[i], " ")
		for from := len(words) - 1; from >= 0; from-- {
			for n := 2; n > 0; n-- {
				if from+n > len(words) || n == 2 && len(words[from+1]) != 3 || !hasDigit(words[from]) && (n == 1 || !hasDigit(words[from+1])) {
					continue // every code has a digit
				}
				code := strings.Trim(strings.ToUpper(strings.Join(words[from:from+n], "")), ".()")
				code = strings.ReplaceAll(code, "-", "")
				if !fits(code) {
					continue
				}
				others := append(append([]string{}, words[:from]...), words[from+n:]...)
				rest = replacePart(parts, i, strings.Join(others, " "))
				return code[:len(code)-3] + " " + code[len(code)-3:], rest, true
			}
		}
	}
	return "", parts, false
}

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

// replacePart returns a copy of parts with part i replaced, or removed when the
// new part is empty.
func replacePart(parts []string, i int, part string) []string {
	changed := append([]string{}, parts[:i]...)
	if fold(part) != "" {
		changed = append(changed, strings.Trim(part, " -–()"))
	}
	return append(changed, parts[i+1:]...)
}
