package covers

import (
	"regexp"
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
)

// Fit of covers that no heading introduces.
const (
	fitSentence = 0.8 // several covers after a verb that asks for them
	fitAlone    = 0.8 // a list that consists of covers

	minListed = 3 // entries of a list that consists of covers
)

var (
	// asking matches the words before the covers in a sentence.
	asking = regexp.MustCompile(`(?i)\b(?:looking (?:for|to place)|seek(?:s|ing)?|need(?:s|ed|ing)?|want(?:s|ed|ing)?|require[sd]?|requiring|request(?:s|ed|ing)?|quot(?:e|es|ation|ations|ing) (?:for|on)|terms (?:for|on)|shopping|place(?:ment of)?|cover(?:age)? (?:for|required|needed|wanted|to include)\s*:?|interested in|would like|wish(?:es)? to (?:insure|cover)|suchen|benötig(?:en|t)|bitten um|wünsch(?:en|t)|souhait(?:e|ons|ent)|recherch(?:e|ons)|solicit(?:a|amos|an)|necesit(?:a|amos|an)|wens(?:en|t)|zoek(?:en|t))\b`)
	// ending matches the words after the covers.
	ending    = regexp.MustCompile(`(?i)\b(?:from|with effect|effective|eff|incepting|for (?:the|our|a|an|this|him|her|them)|as (?:of|from)|starting|at (?:a|the|present)|in respect|ab|zum|à compter|a partir|per|with (?:a|an|limits?))\b|[.:]\s|[.:]$`)
	entryTail = regexp.MustCompile(`(?i)\s*(?:,| [-–—] |\(|\blimit\b|\bsum insured\b|\bfor\b).*$`)
)

// inSentence returns the covers that a sentence asks for, if it names at least two.
func inSentence(text string) []Cover {
	at := asking.FindStringIndex(text)
	if at == nil || len(vocabulary.Covers.Find(text[at[1]:])) < 2 {
		return nil
	}
	rest := text[at[1]:]
	if end := ending.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	var found []Cover
	for _, entry := range list.Split(rest, maxCovers) {
		if c, ok := named(entry, fitSentence); ok {
			found = append(found, c)
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// besideKnown returns the covers without known words in lists of requested covers that have
// others with known words.
func besideKnown(observations []observe.Observation) []Cover {
	var found []Cover
	for start := 0; start < len(observations); {
		end, known := start, 0
		var unknown []Cover
		for end < len(observations) && observations[end].Headings == observations[start].Headings && requestedItem(observations[end]) {
			if _, ok := requestedCover(observations[end]); ok {
				known++
			} else if c, ok := ticked(entryTail.ReplaceAllString(observations[end].Text, "")); ok {
				c.Line = observations[end].Line
				unknown = append(unknown, c)
			}
			end++
		}
		if known > 0 && known >= len(unknown) {
			found = append(found, unknown...)
		}
		start = max(end, start+1)
	}
	return found
}

// requestedItem reports whether an observation is an item of a list of requested covers.
func requestedItem(o observe.Observation) bool {
	requested, _ := section(o.Headings)
	return requested && o.Kind == observe.Item && o.Box != observe.Open && !conditions.MatchString(o.Text)
}

// lists returns the covers in lists that consist of covers, whatever introduces them.
func lists(observations []observe.Observation) []Cover {
	var found []Cover
	for start := 0; start < len(observations); {
		end := start
		for end < len(observations) && observations[end].Kind == observe.Item && observations[end].Box != observe.Open &&
			observations[end].Headings == observations[start].Headings {
			end++
		}
		if end == start {
			start++
			continue
		}
		if _, excluded := section(observations[start].Headings); !excluded {
			found = append(found, allCovers(observations[start:end])...)
		}
		start = end
	}
	return found
}

// runs returns the covers in consecutive lines without marks that each name a cover or have
// an amount.
func runs(observations []observe.Observation) []Cover {
	var found, run []Cover
	known := 0
	end := func() {
		if known >= minListed && known*2 > len(run) {
			found = append(found, run...)
		}
		run, known = nil, 0
	}
	for _, o := range observations {
		if _, excluded := section(o.Headings); excluded || o.Box != observe.NoBox || o.Kind == observe.Pair || o.Kind == observe.Item || len(strings.Fields(o.Text)) > maxRunWords {
			end()
			continue
		}
		name := entryTail.ReplaceAllString(o.Text, "")
		c, ok := named(name, fitAlone)
		switch {
		case ok:
			known++
		case len(run) > 0 && amount.MatchString(o.Text) && len(strings.Fields(name)) <= maxWords:
			c = Cover{Text: bare(name), Fit: fitAlone}
		default:
			end()
			continue
		}
		c.Line = o.Line
		run = append(run, c)
	}
	end()
	return found
}

const maxRunWords = 14 // of a line

// allCovers returns the covers that the items name, if nearly all do.
func allCovers(items []observe.Observation) []Cover {
	var found []Cover
	for _, o := range items {
		if c, ok := named(entryTail.ReplaceAllString(o.Text, ""), fitAlone); ok {
			c.Line = o.Line
			found = append(found, c)
		}
	}
	if len(found) < minListed || len(found)*4 < len(items)*3 {
		return nil
	}
	return found
}

// sentence reports whether a text is long enough to be one.
func sentence(text string) bool { return len(strings.Fields(text)) >= 5 && len(text) <= 1000 }
