package extract

import (
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/extract/vocabulary"
)

// A term is a known label as the set of the stems of its words.
type term struct {
	field string
	stems []string
}

// similarTerms are the known labels with at least two words that matter, by the rarest
// of their stems.
var similarTerms = sync.OnceValue(func() map[string][]term {
	var terms []term
	known := map[string]bool{}
	counts := map[string]int{}
	for _, l := range vocabulary.Labels {
		if strings.HasPrefix(l.Meaning, "~") {
			continue // too short to be found among other words
		}
		stems := stemsOf(words(l.Term))
		key := strings.Join(stems, " ")
		if len(stems) < 2 || known[key] {
			continue
		}
		known[key] = true
		terms = append(terms, term{l.Meaning, stems})
		for _, s := range stems {
			counts[s]++
		}
	}
	byStem := map[string][]term{}
	for _, t := range terms {
		rarest := slices.MinFunc(t.stems, func(a, b string) int { return counts[a] - counts[b] })
		byStem[rarest] = append(byStem[rarest], t)
	}
	return byStem
})

// Limits of a similar label.
const (
	minShare     = 0.6  // of the label's words that the known label covers
	minNameShare = 0.75 // of the words of a label for a firm, since any text can be a firm's name
	maxSimilar   = 12   // words of a label that is compared
)

// similarLabel finds the field that a label names in other words than a known label: in
// another order, with other endings, or with further words.
func similarLabel(key string) (labelMatch, bool) {
	stems := stemsOf(key)
	if len(stems) < 2 || len(stems) > maxSimilar {
		return labelMatch{}, false
	}
	best, share, fields := term{}, 0.0, map[string]bool{}
	for _, s := range stems {
		for _, t := range similarTerms()[s] {
			if !containsAll(stems, t.stems) {
				continue
			}
			switch covered := float64(len(t.stems)) / float64(len(stems)); {
			case covered > share:
				best, share, fields = t, covered, map[string]bool{t.field: true}
			case covered == share:
				fields[t.field] = true
			}
		}
	}
	if share < minShare || len(fields) > 1 || share < minNameShare && (company(best.field) || best.field == "insurer") {
		return labelMatch{}, false
	}
	return labelMatch{best.field, fromFuzzy}, true
}

func containsAll(words, wanted []string) bool {
	for _, w := range wanted {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}

// stemsOf returns the different stems of the words that matter, sorted. The key is in the
// form that words returns.
func stemsOf(key string) []string {
	var stems []string
	for w := range strings.SplitSeq(key, " ") {
		if w == "" || needless[w] || asking[w] {
			continue
		}
		stems = append(stems, stem(w))
	}
	slices.Sort(stems)
	return slices.Compact(stems)
}

// asking are words with which a form asks for a value.
var asking = set("enter", "state", "specify", "give", "insert", "indicate", "list", "show", "tell", "us", "you", "we", "be", "are", "was", "this", "that", "which", "on", "upon", "to", "at", "by", "with", "from", "will", "should", "do", "does", "clearly", "complete", "write", "type", "here", "all", "below", "above", "including", "include", "under", "as", "it", "its")

// stem removes the endings of a word.
func stem(word string) string {
	for _, ending := range []string{"ements", "ement", "ments", "ment", "ings", "ing", "ies", "ed", "es", "s", "e", "y"} {
		if short, ok := strings.CutSuffix(word, ending); ok && len(short) >= 4 {
			return short
		}
	}
	return word
}
