package address

import "strings"

// cantons are the codes of the Swiss cantons. ambiguousCantons are those that are also codes of countries
// or states, or directions.
var (
	cantons          = keySet("ag, ai, ar, be, bl, bs, fr, ge, gl, gr, ju, lu, ne, nw, ow, sg, sh, so, sz, tg, ti, ur, vd, vs, zg, zh")
	ambiguousCantons = keySet("ar, be, fr, gr, lu, ne, nw")
)

// takeCanton removes the code of a canton after a Swiss city, and sets the country and the state: "9200
// Gossau SG", "CH-9200 Gossau (SG)". The part must begin with a postal code, and follow the street unless
// the country is certain.
func takeCanton(parts []string, a *Address) []string {
	n := len(parts) - 1
	words := strings.Split(parts[n], " ")
	if len(words) < 3 {
		return parts
	}
	code := strings.Trim(words[len(words)-1], "()")
	first, marked := strings.CutPrefix(words[0], "CH-")
	if len(code) != 2 || !isUpper(code) || !cantons[fold(code)] || len(first) != 4 || !isDigits(first) || n == 0 && !marked && a.CountryISO == "" {
		return parts
	}
	city := strings.Join(words[1:len(words)-1], " ")
	if _, found := cityIn(Key(city), "CH", ""); !found && !marked && a.CountryISO == "" && (ambiguousCantons[fold(code)] || IsStreet(city)) {
		return parts
	}
	a.setCountry("CH")
	a.State = code
	return replacePart(parts, n, words[0]+" "+city)
}
