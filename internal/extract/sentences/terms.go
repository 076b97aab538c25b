package sentences

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
)

// readTerms extracts the policy period from two dates that are a year apart, such as "1
// September 2026 to 31 August 2027", unless the text is about something else.
func (d *Reader) readTerms() {
	start := d.Best("policy_inception_date")
	for _, t := range d.TextsInOrder(d.tables.Taken) {
		if !parse.HasDigit(t.Text) || len(t.Text) > maxTerm {
			continue
		}
		found := parse.Dates(t.Text, d.Order)
		for n := 1; n < len(found); n++ {
			first, last := found[n-1], found[n]
			between := t.Text[first.End:last.Start]
			if (joinsDates(between) || runsTo(between) && first.Text == start) && parse.OneYearApart(first.Text, last.Text) && !otherTerm(t.Text[:first.Start]) {
				assign.New(d.Set).ProposePeriod(t.Text[first.Start:last.End], source.Guess, 1, t.At)
				return
			}
		}
	}
}

const maxTerm = 300 // bytes of a text that can state the period

// joinsDates reports whether a text can stand between the two dates of a period.
func joinsDates(text string) bool {
	text = strings.Trim(clock.ReplaceAllString(text, ""), " ,(\t")
	return text == "-" || text == "–" || text == "—" || text == "/" || vocabulary.Connectives().Only(text, "between")
}

// clock matches the time at which a policy begins or ends: "4pm 30 June 2031 to 4pm 30 June 2032".
var clock = vocabulary.Pattern(`(?i)\b(?:at\s+)?(?:\d{1,2}(?:[.:]\d\d)?\s*(?:{{dates.hour}})|(?:{{dates.time of day}})\b)(?:\s+(?:{{dates.time zone}})\b)*`)

// runsTo reports whether a text between two dates of a sentence says that something runs from one to the
// other: "and expire", "and should run for one year, to".
func runsTo(text string) bool {
	return len(text) <= maxRunsTo && !strings.ContainsAny(text, ".;:?!\n\t") && untilWord.MatchString(text)
}

const maxRunsTo = 60 // bytes between the two dates of a period

// untilWord matches the word before the end of a period.
var untilWord = vocabulary.Pattern(`(?i)\b(?:{{connectives.to|connectives.until}})\W*$`)

// otherTerm reports whether the words before a period say that it is not that of the policy.
func otherTerm(before string) bool {
	return slices.ContainsFunc(vocabulary.Connectives().Find(before), func(m vocabulary.Match) bool { return m.Meaning == "other period" }) ||
		slices.ContainsFunc(vocabulary.Parties().Find(before), func(m vocabulary.Match) bool { return m.Meaning == "prior" })
}
