package letters

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/labelled"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// readTerms extracts the policy period from two dates that are a year apart, such as "1
// September 2026 to 31 August 2027", unless the text is about something else.
func (d *Reader) readTerms() {
	for _, t := range d.saidTexts() {
		if !strings.ContainsAny(t.text, parse.Digits) || len(t.text) > maxTerm {
			continue
		}
		found := parse.Dates(t.text, d.Order)
		for n := 1; n < len(found); n++ {
			first, last := found[n-1], found[n]
			if between.MatchString(t.text[first.End:last.Start]) && parse.AYear(first.Text, last.Text) && !otherTerm(t.text[:first.Start]) {
				labelled.New(d.Set, nil).GivePeriod(t.text[first.Start:last.End], source.Guess, 1, t.at)
				return
			}
		}
	}
}

const maxTerm = 300 // bytes of a text that can state the period

// between matches what stands between the two dates of a period.
var between = lazyregexp.New(`(?i)^[\s,(]*(?:[-–—/]|to|until|thru|through|and|bis(?: zum)?|au|al|hasta(?: el)?|tot(?: en met)?|t/m)[\s,]*$`)

// otherTerm reports whether the words before a period say that it is not that of the policy.
func otherTerm(before string) bool {
	lower := strings.ToLower(before)
	return words.Any(lower, otherTerms) || slices.ContainsFunc(vocabulary.Parties().Find(before), func(m vocabulary.Match) bool { return m.Meaning == "prior" })
}

const otherTerms = "prior|previous|expiring|current|existing|loss|claim|lease|contract|project|financial year|fiscal|accounting|incident|vorjahr|sinistre|actual|huidig"
