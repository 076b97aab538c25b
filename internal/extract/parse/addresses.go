package parse

import (
	"strings"
	"unicode"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

// wordAndCode matches a word and a postal code, which can be the state or the end of a street.
var wordAndCode = lazyregexp.New(`^([A-Z][a-z]+),? \d{5}$`)

// townBehind matches the name of a town after its postal code.
var townBehind = vocabulary.Pattern(`^ (?:(?i:{{addresses.before town}})[ -])?\p{Lu}[\pL'’-]+(?:[ -](?:{{addresses.in town}}[ -])*\p{Lu}[\pL'’-]*)*`)

// AddressesIn returns the addresses in a text, with the text before each. The caller must not
// change the lists.
func AddressesIn(text string) (found []string, before []string) {
	lists := addresses.Of(text)
	return lists[0], lists[1]
}

var addresses = memo.New(func(text string) [2][]string {
	found, before := addressesIn(text)
	return [2][]string{found, before}
})

func addressesIn(text string) (found []string, before []string) {
	for _, end := range postalEnds(text, maxPostalCode) {
		if m := wordAndCode.FindStringSubmatch(text[end[0]:end[1]]); m != nil {
			// "Nord, 67000 Strasbourg": the town follows the code.
			if _, _, ok := address.State(m[1]); !ok {
				end[0] = end[1] - len("67000") // the word can be part of another: "rue de l'Artisanat"
				end[1] += len(townBehind.FindString(text[end[1]:]))
			}
		}
		short := shortCode.MatchString(text[end[0]:end[1]])
		if short {
			end[1] = behindTown(text, end[1])
		}
		start := addressStart(text, end[0])
		piece := strings.Trim(text[start:end[1]], " ,")
		if m := LegalAtStart.FindStringSubmatch(piece); m != nil && strings.Trim(m[1], Digits) != "" { // "1801 SE Delaware Ave"
			piece = strings.Trim(piece[len(m[0]):], " ,")
		}
		if m := postBox.FindStringIndex(piece); m != nil && m[0] > 0 && !HasDigit(piece[:m[0]]) {
			start += strings.Index(text[start:], piece[m[0]:]) // a name stands before the post box
			piece = strings.TrimLeft(piece[m[0]:], " ,")
		}
		if m := placeBefore.FindStringSubmatch(piece); m != nil {
			start += strings.Index(text[start:], piece) + len(m[1])
			piece = piece[len(m[1]):]
		}
		if a := address.Parse(piece); (!short || a.CountryISO != "" && address.IsCity(a.City, a.CountryISO) && len(a.PostalCode) == 4) && len(piece) <= MaxAddress && WrittenAddress(a) && strings.ContainsFunc(a.Street, unicode.IsLetter) && !address.IsCity(a.Street, "") {
			found, before = append(found, piece), append(before, text[:start])
		}
	}
	return found, before
}

// IsPostBox reports whether an address begins with a post office box.
func IsPostBox(text string) bool {
	at := postBox.FindStringIndex(text)
	return at != nil && at[0] == 0
}

// postBox matches the number of a post box at the beginning of an address or after a name.
var postBox = vocabulary.Pattern(`(?i)(?:^|[,\s])\s*{{addresses.post box}}\s+\d`)

// shortCode matches a house number before a postal code of four digits, which can also be another number.
var shortCode = lazyregexp.New(`^\d{1,4}\pL?, \d{4} \p{L}`)

// behindTown returns the end of the canton and the country behind a town.
func behindTown(text string, end int) int {
	for {
		m := partBehind.FindStringSubmatch(text[end:])
		if m == nil || len(m[1]) > 2 && !CountryLine(m[1]) {
			return end
		}
		end += len(m[0])
	}
}

// partBehind matches what can follow the town of such an address: a canton or a country.
var partBehind = lazyregexp.New(`^,? \(?(\p{Lu}{2}|\p{Lu}\p{Ll}{3,}(?: \p{Lu}\p{Ll}+)?)\b\)?`)

// placeBefore matches an address behind the word for what is there: "Magazzino di Via Roma 7".
var placeBefore = vocabulary.Pattern(`^((?i:{{sites.place}}) \p{Ll}{2,3} )(?i:{{addresses.begins}}) `)

// addressStart returns the place where the address that contains the given place begins: it
// consists of capitalised words, numbers and the small words between them.
func addressStart(text string, at int) int {
	start := at
	for start > 0 && at-start < MaxAddress {
		rest := strings.TrimRight(text[:start], " ")
		word := rest[strings.LastIndexAny(rest, " \t(")+1:]
		trimmed := strings.Trim(word, ",")
		if trimmed == "" || strings.ContainsAny(trimmed[len(trimmed)-1:], ";:)?!") || strings.HasSuffix(trimmed, ".") && len(trimmed) > 5 {
			break
		}
		if !words.Capital(withoutArticle(trimmed)) && !HasDigit(trimmed[:1]) && (!vocabulary.Set("addresses.joiner")[trimmed] || len(rest) == len(word)) {
			break
		}
		start = len(rest) - len(word)
		if start > 0 && (text[start-1] == '(' || text[start-1] == '\t') {
			break
		}
	}
	// An address does not begin with a small word.
	for {
		word, rest, ok := strings.Cut(text[start:at], " ")
		if !ok || !vocabulary.Set("addresses.joiner")[strings.Trim(word, ",")] {
			return start
		}
		start = at - len(rest)
	}
}

// article matches an article without its vowel: "rue de l'Artisanat", "Via dell'Industria".
var article = vocabulary.Pattern(`(?i)^{{addresses.article}}['’]`)

// withoutArticle returns a word without the article that is part of it.
func withoutArticle(word string) string { return word[len(article.FindString(word)):] }

const maxPostalCode = 5 // of a line that are examined

// IndemnityPeriod matches a period of business interruption in months, with the words before it.
var IndemnityPeriod = vocabulary.Pattern(`(?i)\b{{cues.business_interruption_period}}\b.{0,60}?\b\d{1,2}[ -]?(?:{{dates.unit/months}}|{{dates.short months}})\b`)

// MaxAddress is the maximum length of an address in bytes.
const MaxAddress = 140

// AddressWords reports whether all words of a text can occur in an address: words in lower case
// must be small words such as "of" or "rue".
func AddressWords(text string) bool {
	for w := range strings.FieldsSeq(text) {
		w = strings.Trim(w, "(),.")
		if w != "" && !words.Capital(withoutArticle(w)) && !HasDigit(w) && !vocabulary.Set("addresses.joiner")[w] && !IsJoiner(w) {
			return false
		}
	}
	return true
}

// codeBetween matches a postal code between a street and a town, without commas.
var codeBetween = lazyregexp.New(`^([^,\n]{4,60}) ((?:[A-Z]{1,2}-)?\d{5}|\d{4} ?[A-Z]{2}|\d{4}) (\p{Lu}[\pL .'’()-]{1,40})$`)

// SpacedAddress separates the parts of an address by a comma if only spaces separate them, as in
// "Hafenweg 3 68159 Mannheim". It returns other texts unchanged.
func SpacedAddress(text string) string {
	m := codeBetween.FindStringSubmatch(text)
	if m == nil || !HasDigit(m[1]) || !address.IsStreet(m[1]) || len(m[2]) == 4 && !address.IsCity(m[3], "") {
		return text
	}
	return m[1] + ", " + m[2] + " " + m[3]
}
