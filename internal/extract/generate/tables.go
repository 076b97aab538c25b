package generate

import (
	_ "embed"
	"slices"
	"strings"

	"understudy.example/internal/extract/vocabulary"
)

//go:embed data/heldout.tsv
var heldOutFile string

//go:embed data/markets.tsv
var marketsFile string

//go:embed data/phrases.tsv
var phrasesFile string

// table holds texts by two keys: the market or language or field, and the kind.
type table map[[2]string][]string

var (
	heldOut = readTable(heldOutFile) // by field and language
	markets = readTable(marketsFile) // by market and kind
	phrases = readTable(phrasesFile) // by language and kind
	known   = knownLabels()          // by field and language
)

func readTable(file string) table {
	t := table{}
	for line := range strings.Lines(file) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		if len(columns) == 3 && line[0] != '#' {
			t[[2]string{columns[0], columns[1]}] = strings.Split(columns[2], "|")
		}
	}
	return t
}

// unclear are terms of the vocabulary whose meaning depends on a context that the
// generator does not make, such as "from" and "to" on both sides of a period.
var unclear = []string{"from", "to", "start", "end", "ending", "until", "who", "area", "type", "name", "item", "prov", "effective", "target", "business", "company", "trade"}

// knownLabels returns the terms of the vocabulary. Keys of headers of schedules begin with "h.".
func knownLabels() table {
	t := table{}
	add := func(prefix string, entries []vocabulary.Entry) {
		for _, e := range entries {
			shortest := 3
			if e.Language == "en" && prefix == "" {
				shortest = 4
			}
			if key := [2]string{prefix + e.Meaning, e.Language}; len(e.Term) >= shortest && !slices.Contains(unclear, e.Term) {
				t[key] = append(t[key], e.Term)
			}
		}
	}
	add("", vocabulary.Labels())
	for _, language := range []string{"en", "de", "fr", "es", "nl"} {
		website := [2]string{"website", language}
		t[website] = append(t[website], t[[2]string{"~website", language}]...)
	}
	add("h.", vocabulary.Headers())
	return t
}

// HeldOutTerms returns the labels that the vocabulary must not have.
func HeldOutTerms() []string {
	var terms []string
	for _, list := range heldOut {
		terms = append(terms, list...)
	}
	slices.Sort(terms)
	return terms
}
