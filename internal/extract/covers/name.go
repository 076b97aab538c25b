package covers

import (
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

// named returns the cover that a text names, if it names one and little else.
func named(text string, fit float64) (Cover, bool) {
	name := dottedTail.ReplaceAllString(bare(text), "")
	if strings.EqualFold(name, "excess") && millions.MatchString(text) {
		name = "Excess Liability"
	}
	if name == "" || len(name) > 90 || retention.MatchString(name) {
		return Cover{}, false
	}
	found := vocabulary.Covers().Whole(name, others)
	if len(found) == 0 {
		return Cover{}, false
	}
	return Cover{Text: name, Meaning: found[0].Meaning, Class: found[0].Class, Fit: fit}, true
}

var (
	// joinsAmount matches the word before an amount at the end of a text.
	joinsAmount = vocabulary.Pattern(`(?i)\s+{{limits.joining amount}}[\s:,.]*$`)
	// itemNumber matches the number of an entry.
	itemNumber = lazyregexp.New(`^\s*\(\d{1,2}\)\s+`)
)

// dottedTail matches an abbreviation of "including" that ends with a period ("incl."), and the rest of the text.
var dottedTail = vocabulary.Pattern(`(?i)\s+(?:{{connectives.including header}})\.\s.*$`)

// bare returns the text without amounts, the words around them, and what is in brackets at
// its end.
func bare(text string) string { return bareNames.Of(text) }

var bareNames = memo.New(func(text string) string {
	text = brackets.ReplaceAllString(text, "")
	if without := strings.TrimSpace(amount.ReplaceAllString(text, " ")); without != strings.TrimSpace(text) {
		text = joinsAmount.ReplaceAllString(without, "")
	}
	text = text[len(itemNumber.FindString(text)):]
	text = beforeSum.ReplaceAllString(limitEnd.ReplaceAllString(text, ""), "")
	return joinedBy.ReplaceAllString(strings.Trim(strings.Join(strings.Fields(text), " "), " -–—:•,;./?"), "")
})

// joinedBy matches the words that join an entry of a list to the entry before it.
var joinedBy = vocabulary.Pattern(`(?i)^(?:{{connectives.and|connectives.or|connectives.including|connectives.joining}})\s+`)
