package extract

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// Patterns of text that shows a country.
var (
	usPlace    = lazyregexp.New(`\b[A-Z][a-z]+\.?,? ([A-Z]{2})(?: (\d{5})(?:-\d{4})?)?\b`)
	ukPostcode = lazyregexp.New(`\b(?:GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2})\b`)
	caPostcode = lazyregexp.New(`\b[ABCEGHJ-NPRSTVXY]\d[A-Z] \d[A-Z]\d\b`)
	dialCode   = vocabulary.Pattern(`\+({{countries.dial}})[ (\d]`)
	domainEnd  = vocabulary.Pattern(`(?i)(?:@|www\.)[a-z0-9.-]+\.({{countries.domain}})\b`)
	euPostcode = lazyregexp.New(`\b(?:(\d{5}) \p{Lu}\p{L}{2,}|(\d{4} ?[A-Z]{2}) \p{Lu}\p{L}+)`)
	mentioned  = vocabulary.Pattern(`(?i)(?:^|[^\pL\d])({{countries.mentioned}})(?:[^\pL]|$)`)
	usPhone    = lazyregexp.New(`(?:\(\d{3}\) ?|\b\d{3}[-. ])\d{3}[-. ]\d{4}\b`)
)

// Votes of the patterns. A telephone number can belong to the broker or the insurer, and
// two capital letters after a word are not always a state.
const (
	votesPostcode = 4
	votesPlace    = 2
	votesPhone    = 1

	mostVotes = 200 // lines that are counted

	mostCells    = 1000 // cells that are counted
	maxPlaceCell = 100  // bytes of a cell that can be a place
)

// impliedCountry returns the country that the addresses and telephone numbers in the
// running text show, if nearly all show the same, and the place of the first of them.
func (d *extractor) impliedCountry() (string, source.Place) {
	votes, first, total, counted := map[string]int{}, map[string]source.Place{}, 0, 0
	count := func(text string, at source.Place) {
		country, n := countryShown(text)
		if n == 0 {
			return
		}
		if counted++; votes[country] == 0 {
			first[country] = at
		}
		votes[country] += n
		total += n
	}
	cells := 0
	for _, l := range d.Lines {
		if l.At.Quoted || counted >= mostVotes {
			continue
		}
		if l.Table != nil {
			cells = d.countryOfCells(l, cells, count)
			continue
		}
		text := l.Text
		if l.Label != "" {
			text = l.Value
		}
		count(text, l.At)
	}
	for country, n := range votes {
		if n >= votesPlace && n*5 >= total*4 {
			return country, first[country]
		}
	}
	return "", source.Place{}
}

// countryOfCells counts the texts in the cells of a table: the places of vehicles and claims. cells is
// the number of cells that were counted before.
func (d *extractor) countryOfCells(l layout.Line, cells int, count func(string, source.Place)) int {
	for _, row := range l.Table.Rows {
		for _, c := range row {
			if c.Merged || c.Number != nil || c.Date != "" || len(c.Text) > maxPlaceCell {
				continue
			}
			if cells++; cells > mostCells {
				return cells
			}
			count(c.Text, layout.CellPlace(l.At, c))
		}
	}
	return cells
}

// countryShown returns the country that a line shows, and how much it counts.
func countryShown(text string) (string, int) {
	if len(text) < 5 {
		return "", 0
	}
	numeric := parse.HasDigit(text)
	if numeric && ukPostcode.MatchString(text) {
		return "GB", votesPostcode
	}
	if numeric && caPostcode.MatchString(text) {
		return "CA", votesPostcode
	}
	if m := usPlace.FindStringSubmatch(text); m != nil {
		if _, country, ok := address.State(m[1]); ok && country == "US" {
			if m[2] != "" {
				return "US", votesPostcode
			}
			return "US", votesPlace
		}
	}
	if m := euPostcode.FindStringSubmatch(text); m != nil {
		if a := address.Parse(text); a.CountryISO != "" {
			return a.CountryISO, votesPostcode
		}
		if m[2] != "" {
			return "NL", votesPostcode
		}
	}
	if m := domainEnd.FindStringSubmatch(text); m != nil {
		return vocabulary.Classes("countries.domain")[strings.ToLower(m[1])], votesPhone
	}
	if numeric {
		if m := dialCode.FindStringSubmatch(text); m != nil {
			return vocabulary.Classes("countries.dial")[m[1]], votesPhone
		}
		if usPhone.MatchString(text) {
			return "US", votesPhone
		}
	}
	if m := mentioned.FindStringSubmatch(text); m != nil {
		return vocabulary.Classes("countries.mentioned")[strings.ToLower(m[1])], votesPhone
	}
	return "", 0
}

// formCountry returns the country whose companies have the legal form with which a name
// ends; "" if several countries have it.
func formCountry(name string) string {
	words := vocabulary.Words(name)
	for _, m := range vocabulary.TableOf("legal_forms.country").FindWords(words) {
		if m.Last == len(words)-1 {
			return m.Class
		}
	}
	return ""
}

// dropCounties removes a county that was read as the insured's state, if its address states the state of a country whose
// states are known.
func (d *extractor) dropCounties() {
	ranked := d.Ranked("address")
	if len(ranked) == 0 {
		return
	}
	home := address.Parse(ranked[0].Text)
	if _, iso, ok := address.State(home.State); !ok || iso != home.CountryISO {
		return
	}
	d.Drop("the address states another state", func(c resolve.Reading) bool {
		_, _, ok := address.State(c.Text)
		return c.Field == "state" && !ok
	})
}
