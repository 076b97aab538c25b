package covers

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

const (
	minKnown    = 2 // known covers in a list that can also have unknown ones
	maxUnnamed  = 5 // words of a cover that is not known
	knownToPair = 2 // known covers for each unknown one in a list of labels with amounts
)

// bracketed matches a text in brackets.
var bracketed = lazyregexp.New(`\s*\([^)]*\)`)

// besideListed returns the unrecognized entries of a list after a label for covers, if at least half of its entries
// are known covers: "Cover: Cargo (sea and land), Stock, Larch Cover".
func besideListed(text string, known int) (found []Cover) {
	if known < minKnown {
		return nil
	}
	for _, entry := range entriesBy(list, bracketed.ReplaceAllString(text, "")) {
		if _, ok := named(entry, fitPair); ok {
			continue
		}
		c, ok := namedUnknown(entry)
		if !ok {
			return nil
		}
		found = append(found, c)
	}
	if len(found) > known {
		return nil
	}
	return found
}

// namedUnknown returns the cover that a text without known words may stand for.
func namedUnknown(text string) (Cover, bool) {
	name := bare(text)
	words := len(strings.Fields(name))
	if words == 0 || words > maxUnnamed || strings.ContainsAny(name, "0123456789:@?") || !strings.ContainsFunc(name, unicode.IsLetter) ||
		retention.MatchString(name) || total.MatchString(name) || limits.MatchString(name) || denied.MatchString(name) || answer.MatchString(name) ||
		len(vocabulary.Property().Find(name)) > 0 || sectionNoun.MatchString(name) {
		return Cover{}, false
	}
	return Cover{Text: name, Fit: fitOther}, true
}

// unknownPairs returns the unrecognized labels with amounts below a heading for covers, if most of the labels there
// name known covers.
func unknownPairs(observations []observe.Observation) (found []Cover) {
	for start := 0; start < len(observations); {
		end, known := start, 0
		var unknown []Cover
		for end < len(observations) && requestedPair(observations[end]) && observations[end].Headings == observations[start].Headings {
			o := observations[end]
			if _, ok := named(o.Label, fitPair); ok {
				known++
			} else if c, ok := namedUnknown(o.Label); ok && startsAmount(o.Text) {
				c.Line = o.Line
				unknown = append(unknown, c)
			}
			end++
		}
		if known >= minListed && len(unknown)*knownToPair <= known {
			found = append(found, unknown...)
		}
		start = max(end, start+1)
	}
	return found
}

// startsAmount reports whether a text begins with an amount.
func startsAmount(text string) bool {
	at := amount.FindStringIndex(text)
	return at != nil && at[0] == 0 || bigNumber.MatchString(text)
}

// requestedPair reports whether an observation is a label with a value below a heading for covers.
func requestedPair(o observe.Observation) bool {
	if o.Kind != observe.Pair {
		return false
	}
	requested, _ := section(o.Headings)
	return requested
}

// coverLists returns the covers in lines and values that consist of a list of covers, whatever stands before it: "Renewal:
// property (28 buildings), GL, D&O, umbrella $10M".
func coverLists(observations []observe.Observation) (found []Cover) {
	for _, o := range observations {
		if o.Kind != observe.Pair && o.Kind != observe.Text || o.Box != observe.NoBox || strings.Count(o.Text, ",")+strings.Count(o.Text, ";") < minListed-1 || len(vocabulary.Covers().Find(o.Text)) < minListed {
			continue
		}
		_, excluded := section([2]string{o.Label, o.Headings[0]})
		_, introduced := section([2]string{o.Headings[1], ""})
		if excluded || introduced || expiringColumn.MatchString(o.Label) || ofClaims.MatchString(o.Label) {
			continue
		}
		sentence := sentencesOf(bracketed.ReplaceAllString(o.Text, ""))[0]
		entries := entriesBy(list, sentence)
		var covers []Cover
		for _, entry := range entries {
			if c, ok := named(entry, fitAlone); ok && len(vocabulary.Covers().Whole(bare(entry), 1)) > 0 {
				c.Line = o.Line
				covers = append(covers, c)
			}
		}
		lines := slices.ContainsFunc(covers, func(c Cover) bool { return c.Class != covers[0].Class })
		if len(covers) >= minListed && lines && len(covers)*4 >= len(entries)*3 && !refuses(sentence) {
			found = append(found, covers...)
		}
	}
	return found
}
