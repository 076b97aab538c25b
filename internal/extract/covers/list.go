package covers

import (
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// listedCovers returns the covers in an item or value that lists several of them, below a heading for covers: "Third
// party: Media liability, PCI".
func listedCovers(o observe.Observation) (covers []Cover) {
	requested, _ := section(o.Headings)
	if _, excluded := section([2]string{o.Label, ""}); excluded || !requested || o.Box != observe.NoBox || o.Kind != observe.Item && o.Kind != observe.Pair {
		return nil
	}
	entries := entriesBy(list, o.Text)
	for _, entry := range entries {
		c, ok := named(entry, fitItem)
		if !ok || len(vocabulary.Covers().Whole(c.Text, 0)) == 0 {
			if o.Kind == observe.Item {
				return nil
			}
			continue
		}
		covers = append(covers, c)
	}
	if len(covers) < 2 || len(covers)*2 < len(entries) || o.Kind == observe.Item && len(amount.FindAllString(o.Text, -1)) < len(covers) && len(vocabulary.Covers().Whole(bare(o.Text), 0)) == 1 {
		return nil
	}
	if c, ok := named(o.Label, fitItem); ok && o.Kind == observe.Pair {
		covers = append([]Cover{c}, covers...)
	}
	return covers
}

// included returns the covers that the value of a label for a cover includes: "Property: all risks incl. flood ($5m) and
// earthquake".
func included(o observe.Observation) (found []Cover) {
	if o.Kind != observe.Pair {
		return nil
	}
	at := includes.FindStringIndex(o.Text)
	if at == nil || denied.MatchString(o.Text) {
		return nil
	}
	for _, c := range leading(o.Text[at[1]:]) {
		if c.Meaning != c.Class || c.Class == "" {
			found = append(found, c)
		}
	}
	return found
}

// includes matches the words before what a cover includes.
var includes = vocabulary.Pattern(`(?i)(?:^|[\s,(])(?:{{connectives.including}})\s+`)

// listed returns the covers that the entries of a list name.
func listed(separator *lazyregexp.Regexp, text string) (covers []Cover) {
	for _, entry := range entriesBy(separator, text) {
		if c, ok := named(entry, fitPair); ok {
			covers = append(covers, c)
		}
	}
	return covers
}

var unbracketed = strings.NewReplacer("(", ", ", ")", "")
