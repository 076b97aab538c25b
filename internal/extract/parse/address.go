package parse

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// postalEnd matches the end of an address: a postal code, with the town or the state where
// the code does not stand last.
var postalEnd = vocabulary.Pattern(`\b[A-Z](?:\d\d|6W) [A-Z\d]{4}\b|\b(?:[A-Z]{2}|[A-Z][a-z]+),? \d{5}(?:-\d{4})?\b|\b[ABCEGHJ-NPRSTVXY]\d[A-Z] \d[A-Z]\d\b|\b[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2}\b|\b(?:NSW|VIC|QLD|SA|WA|TAS|ACT|NT),? \d{4}\b|\b\d{1,4}\pL?, \d{4} (?:(?i:{{addresses.before town}})[ -])?\p{Lu}\p{Ll}[\pL'’-]+(?:[ -](?:{{addresses.in town}}[ -])*\p{Lu}[\pL'’-]*)*|\b(?:\d{5}|\d{4} [A-Z]{2}) (?:(?i:{{addresses.before town}})[ -])?\p{Lu}[\pL'’-]+(?:[ -](?:{{addresses.in town}}[ -])*\p{Lu}[\pL'’-]*)*`)

// postalEnds returns the places that postalEnd matches. Most texts contain no digits that can
// be those of a postal code, and are not compared.
func postalEnds(text string, n int) [][]int {
	for i := range len(text) - 3 {
		if isDigit(text[i]) && (isDigit(text[i+1]) && isDigit(text[i+2]) && isDigit(text[i+3]) || inwardCode(text[i+1:]) || inwardCode(text[i+2:]) || routingKey(text[:i], text[i+1:])) {
			return postalEnd.FindAllStringIndex(text, n)
		}
	}
	return nil
}

// inwardCode reports whether a text begins as the second half of a British or Canadian postal
// code does: " 4HJ".
func inwardCode(text string) bool {
	return len(text) > 2 && text[0] == ' ' && isDigit(text[1]) && text[2] >= 'A' && text[2] <= 'Z'
}

// routingKey reports whether a digit with these texts before and after it can be the first digit of an Irish postal code:
// "E21 XR40".
func routingKey(before, behind string) bool {
	n := len(before)
	return n > 0 && before[n-1] >= 'A' && before[n-1] <= 'Z' && len(behind) > 4 && (isDigit(behind[0]) || behind[0] == 'W') && behind[1] == ' '
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// CountryLine reports whether a line contains only a country.
func CountryLine(text string) bool {
	_, _, ok := address.Country(strings.Trim(text, " .,"))
	return ok
}

// startsWithArticle reports whether the name of a town begins with an article, such as "'s-Gravenhage".
func startsWithArticle(town string) bool {
	return (strings.HasPrefix(town, "'") || strings.HasPrefix(town, "’")) && address.IsCity(town, "NL")
}

// WrittenAddress reports whether the parts can be those of an address: a town of a few words
// without digits, and a postal code that is not a year.
func WrittenAddress(a address.Address) bool {
	return a.PostalCode != "" && !(a.CountryISO == "" && words.Calendar.MatchString(a.PostalCode)) && (words.Capital(a.City) || startsWithArticle(a.City)) &&
		!strings.ContainsAny(a.City, "0123456789:;()") && (!strings.Contains(a.City, "/") || address.IsCity(a.City, a.CountryISO)) && words.Count(a.City) <= 5 && words.Count(a.State) <= 4 && len(a.Street) < 120 && !RegisterNumber.MatchString(a.Street)
}

// Arranged returns the parts of an address that may have dashes between them or its town first, and whether the text is an
// address.
func Arranged(text string) (address.Address, bool) {
	a := address.Parse(address.Arrange(text))
	return a, WrittenAddress(a)
}

// RegisterNumber matches the number of a register or a licence at the beginning of a text: "ABN 12 345 678 901".
var RegisterNumber = vocabulary.Pattern(`(?i)^\s*{{contacts.register}}\.?:?\s*\w?\d[\w.]*(?: [\w.]*\d[\w.]*)*`)
