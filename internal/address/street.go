package address

import "strings"

// streetWords begin or end a street line, in the languages of the most common
// addresses.
var streetWords = keySet(`street, st, str, avenue, ave, av, road, rd, boulevard, blvd, bd, drive, dr, lane, ln, way, court, ct,
	circle, cir, highway, hwy, parkway, pkwy, plaza, plz, square, sq, terrace, ter, trail, trl, turnpike, tpke, pike,
	expressway, expy, freeway, fwy, place, pl, loop, alley, aly, crescent, cres, close, mews, gardens, grove, row, quay,
	wharf, walk, broadway, route, rte, rue, quai, chemin, allee, cours, impasse, via, viale, piazza, piazzale, corso, largo, vicolo, contrada, strada, calle,
	avenida, avda, paseo, carrera, carretera, camino, rua, alameda, praca, travessa, strasse, gasse, platz, weg, allee,
	ring, damm, ufer, straat, laan, plein, kade, gade, vej, gatan, vagen, gata, katu, tie, ulica, ul, jalan, jl, marg,
	building, bldg, tower, house, floor, suite, ste, unit, apt, estate, park, industrial, loop`)

// unitWords, together with a number, name a part of a building.
var unitWords = keySet(`suite, ste, unit, apt, apartment, room, rm, floor, fl, level, bldg, building, block, lot, dept, box, units, bureau, etage`)

// foreignUnitWords are such words in other languages.
var foreignUnitWords = keySet(`parcela, nave, planta, piso, puerta, portal, bloque, local, oficina, manzana, batiment, appartement, halle, gebaude, verdieping, plot`)

// streetSuffixes end German, Dutch and Nordic street names, which are one word.
var streetSuffixes = []string{"strasse", "str", "gasse", "platz", "weg", "allee", "damm", "ufer", "straat", "laan", "plein", "kade", "gracht", "gade", "vej", "gatan", "vagen", "katu", "gata"}

// numberlessStreetWords identify a street line that has no number.
var numberlessStreetWords = keySet(`street, avenue, road, boulevard, drive, lane, highway, parkway, strasse, terrace, crescent, close, mews`)

// IsStreet reports whether the text looks like the street line of an address: a
// street name, usually with a number, a post office box, a suite or a floor.
func IsStreet(text string) bool {
	if len(text) > 200 {
		return false
	}
	key := fold(text)
	if isPostBox(key) {
		return true
	}
	words := strings.Split(key, " ")
	last := words[len(words)-1]
	if !strings.ContainsAny(key, "0123456789") {
		return len(words) > 1 && (numberlessStreetWords[last] || hasStreetSuffix(last) && !namedAfterStreet(key)) || len(words) == 1 && hasStreetSuffix(last)
	}
	codeAndCity := len(words) > 1 && isCodeAndCity(words[0], strings.Join(words[1:], " "))
	for i, word := range words {
		saint := word == "st" && (i == 0 || i == 1 && codeAndCity) // "9000 St. Gallen"
		if streetWords[word] && !saint || hasStreetSuffix(word) || strings.HasPrefix(word, "suite") {
			return true
		}
	}
	if len(words) < 2 {
		return strings.HasPrefix(text, "#")
	}
	return isHouseNumber(words[0]) && !codeAndCity
}

// namedAfterStreet reports whether the folded text is a German town whose name ends with that of a long road:
// "Neustadt an der Weinstraße".
func namedAfterStreet(key string) bool {
	return strings.Contains(key, " an der ") || strings.Contains(key, " a d ")
}

// isPostBox reports whether the folded text begins like a post office box or
// another delivery line ("attn", "c/o").
func isPostBox(key string) bool {
	for _, box := range [...]string{"po box ", "p o box ", "post office box ", "pmb ", "postfach ", "apartado ", "bp ", "boite postale ", "casella postale ", "gpo box ", "locked bag ", "private bag "} {
		if strings.HasPrefix(key, box) {
			return true
		}
	}
	return strings.HasPrefix(key, "attn ") || strings.HasPrefix(key, "c o ")
}

func hasStreetSuffix(word string) bool {
	for _, suffix := range streetSuffixes {
		if len(word) > len(suffix)+3 && strings.HasSuffix(word, suffix) {
			return true
		}
	}
	return false
}

// isHouseNumber reports whether the word has at most seven characters and is a
// number with optional letters a to h: 12, 12a, the first word of 12-14.
func isHouseNumber(word string) bool {
	if len(word) == 0 || len(word) > 7 || word[0] < '0' || word[0] > '9' {
		return false
	}
	return isDigits(strings.TrimRight(word, "abcdefgh"))
}

// isCodeAndCity reports whether a number and the text after it are a postal code
// and its city, as in "8001 Zürich" but not in "1500 Broadway".
func isCodeAndCity(code, rest string) bool {
	if !isDigits(code) || len(code) < 4 || len(code) > 6 {
		return false
	}
	for _, c := range worldCities(Key(rest)) {
		if postalCodeLengths[c.country] == len(code) && codeBeforeCity[c.country] {
			return true
		}
	}
	return false
}

// codeBeforeCity lists the countries that write the postal code before the city.
var codeBeforeCity = map[string]bool{
	"AT": true, "BE": true, "BG": true, "CH": true, "CY": true, "CZ": true, "DE": true, "DK": true, "EE": true,
	"ES": true, "FI": true, "FR": true, "GR": true, "HR": true, "HU": true, "IL": true, "IS": true, "IT": true,
	"LI": true, "LT": true, "LU": true, "MA": true, "MC": true, "MX": true, "MY": true, "NL": true, "NO": true,
	"PL": true, "PT": true, "RO": true, "RS": true, "SE": true, "SI": true, "SK": true, "SM": true, "TN": true,
	"TR": true,
}

// isUnit reports whether the part names a part of a building: "Suite 400",
// "Unit 4", "#12", "3rd Floor".
func isUnit(part string) bool {
	if strings.HasPrefix(part, "#") {
		return true
	}
	words := strings.Split(fold(part), " ")
	return isForeignUnit(part) || len(words) <= 3 && (unitWords[words[0]] || unitWords[words[len(words)-1]]) && strings.ContainsAny(part, "0123456789")
}

// isForeignUnit reports whether the part is a unit in a language other than English: "parcela 21".
func isForeignUnit(part string) bool {
	word, number, ok := strings.Cut(fold(part), " ")
	return ok && len(number) <= 5 && foreignUnitWords[word] && strings.ContainsAny(number, "0123456789")
}

// streetEnd returns the number of words, from the first, that form the street:
// up to the last street word or unit. It returns 0 when it finds neither.
func streetEnd(words []string) int {
	end := 0
	for i, word := range words {
		key := fold(word)
		if i > 0 && (streetWords[key] && !(key == "st" && i+1 < len(words) && i == end) || hasStreetSuffix(key)) {
			end = i + 1
		}
		if strings.HasPrefix(word, "#") {
			end = i + 1
		}
		if unitWords[key] && i+1 < len(words) {
			end = i + 2
		}
	}
	if isPostBox(fold(strings.Join(words, " "))) {
		for i, word := range words {
			if strings.ContainsAny(word, "0123456789") {
				end = max(end, i+1)
				break
			}
		}
	}
	return min(end, len(words))
}
