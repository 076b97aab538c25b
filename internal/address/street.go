package address

import "strings"

// streetWords end or begin the name of a street, in the languages of the
// addresses that are met most.
var streetWords = keys(`street, st, str, avenue, ave, av, road, rd, boulevard, blvd, bd, drive, dr, lane, ln, way, court, ct,
	circle, cir, highway, hwy, parkway, pkwy, plaza, plz, square, sq, terrace, ter, trail, trl, turnpike, tpke, pike,
	expressway, expy, freeway, fwy, place, pl, loop, alley, aly, crescent, cres, close, mews, gardens, grove, row, quay,
	wharf, walk, broadway, route, rte, rue, quai, chemin, allee, cours, impasse, via, viale, piazza, corso, largo, calle,
	avenida, avda, paseo, carrera, carretera, camino, rua, alameda, praca, travessa, strasse, gasse, platz, weg, allee,
	ring, damm, ufer, straat, laan, plein, kade, gade, vej, gatan, vagen, gata, katu, tie, ulica, ul, jalan, jl, marg,
	building, bldg, tower, house, floor, suite, ste, unit, apt, estate, park, industrial, loop`)

// units come with a number and name a part of a building.
var units = keys(`suite, ste, unit, apt, apartment, room, rm, floor, fl, level, bldg, building, block, lot, dept, box, units, bureau, etage`)

// suffixes end the one word that German, Dutch and Nordic street names are.
var suffixes = []string{"strasse", "str", "gasse", "platz", "weg", "allee", "damm", "ufer", "straat", "laan", "plein", "kade", "gracht", "gade", "vej", "gatan", "vagen", "katu", "gata"}

// fullWords are street words that are enough without a number.
var fullWords = keys(`street, avenue, road, boulevard, drive, lane, highway, parkway, strasse, terrace, crescent, close, mews`)

// IsStreet tells whether the text looks like the street line of an address: a
// number with a street's name, a post office box, a suite or floor.
func IsStreet(text string) bool {
	if len(text) > 200 {
		return false
	}
	key := letters(text)
	if isBox(key) {
		return true
	}
	words := strings.Split(key, " ")
	last := words[len(words)-1]
	if !strings.ContainsAny(key, "0123456789") {
		return len(words) > 1 && (fullWords[last] || longSuffix(last)) || len(words) == 1 && longSuffix(last)
	}
	for i, word := range words {
		if (streetWords[word] && !(word == "st" && i == 0)) || longSuffix(word) || strings.HasPrefix(word, "suite") {
			return true
		}
	}
	if len(words) < 2 {
		return strings.HasPrefix(text, "#")
	}
	return houseNumber(words[0]) && !isPostalTown(words[0], strings.Join(words[1:], " "))
}

// isBox recognises post office boxes, by key.
func isBox(key string) bool {
	for _, box := range [...]string{"po box ", "p o box ", "post office box ", "pmb ", "postfach ", "apartado ", "bp ", "boite postale ", "gpo box ", "locked bag ", "private bag "} {
		if strings.HasPrefix(key, box) {
			return true
		}
	}
	return strings.HasPrefix(key, "attn ") || strings.HasPrefix(key, "c o ")
}

func longSuffix(word string) bool {
	for _, suffix := range suffixes {
		if len(word) > len(suffix)+3 && strings.HasSuffix(word, suffix) {
			return true
		}
	}
	return false
}

// houseNumber recognises 12, 12a, 12-14 (as its first word) and 10 digits at most.
func houseNumber(word string) bool {
	if len(word) == 0 || len(word) > 7 || word[0] < '0' || word[0] > '9' {
		return false
	}
	return digits(strings.TrimRight(word, "abcdefgh"))
}

// isPostalTown tells "8001 Zürich" from "1500 Broadway".
func isPostalTown(code, rest string) bool {
	if !digits(code) || len(code) < 4 || len(code) > 6 {
		return false
	}
	for _, c := range cities(rest) {
		if codeLengths[c.country] == len(code) && leading[c.country] {
			return true
		}
	}
	return false
}

// leading are the countries that write the postal code before the town.
var leading = map[string]bool{
	"AT": true, "BE": true, "BG": true, "CH": true, "CY": true, "CZ": true, "DE": true, "DK": true, "EE": true,
	"ES": true, "FI": true, "FR": true, "GR": true, "HR": true, "HU": true, "IL": true, "IS": true, "IT": true,
	"LI": true, "LT": true, "LU": true, "MA": true, "MC": true, "MX": true, "MY": true, "NL": true, "NO": true,
	"PL": true, "PT": true, "RO": true, "RS": true, "SE": true, "SI": true, "SK": true, "SM": true, "TN": true,
	"TR": true,
}

// isUnit recognises "Suite 400", "Unit 4", "#12", "3rd Floor".
func isUnit(part string) bool {
	if strings.HasPrefix(part, "#") {
		return true
	}
	words := strings.Split(letters(part), " ")
	return len(words) <= 3 && (units[words[0]] || units[words[len(words)-1]]) && strings.ContainsAny(part, "0123456789")
}

// streetEnd returns how many of the words are the street, judged by the last
// street word and the unit after it; 0 when nothing tells.
func streetEnd(words []string) int {
	end := 0
	for i, word := range words {
		key := letters(word)
		if i > 0 && (streetWords[key] && !(key == "st" && i+1 < len(words) && i == end) || longSuffix(key)) {
			end = i + 1
		}
		if strings.HasPrefix(word, "#") {
			end = i + 1
		}
		if units[key] && i+1 < len(words) {
			end = i + 2
		}
	}
	if isBox(letters(strings.Join(words, " "))) {
		for i, word := range words {
			if strings.ContainsAny(word, "0123456789") {
				end = max(end, i+1)
				break
			}
		}
	}
	return min(end, len(words))
}
