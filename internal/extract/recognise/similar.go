package recognise

import (
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// similarTerms finds known terms among other words: in another order, with other endings,
// or with further words.
type similarTerms struct {
	byStem map[string][]similarTerm // by the rarest of their stems
}

// similarTerm is a known term as the set of the stems of its words.
type similarTerm struct {
	field string
	stems []string
}

// newSimilarTerms returns the terms with at least two words that matter.
func newSimilarTerms(entries []vocabulary.Entry, accept func(field string) bool) similarTerms {
	var terms []similarTerm
	known, counts := map[string]bool{}, map[string]int{}
	for _, e := range entries {
		stems := stemsOf(words.Key(e.Term))
		key := strings.Join(stems, " ")
		if !accept(e.Meaning) || len(stems) < 2 || known[key] {
			continue
		}
		known[key] = true
		terms = append(terms, similarTerm{e.Meaning, stems})
		for _, s := range stems {
			counts[s]++
		}
	}
	byStem := map[string][]similarTerm{}
	for _, t := range terms {
		rarest := slices.MinFunc(t.stems, func(a, b string) int { return counts[a] - counts[b] })
		byStem[rarest] = append(byStem[rarest], t)
	}
	return similarTerms{byStem}
}

// Limits of a similar term.
const (
	minShare     = 0.6  // of the words that the known term covers
	minNameShare = 0.75 // of the words of a label for a firm, since any text can be a firm's name
	maxSimilar   = 12   // words that are compared
)

// find returns the field of the known term that covers the largest share of the stems, and
// that share. It returns nothing if two fields are equally likely.
func (s similarTerms) find(stems []string) (field string, share float64) {
	if len(stems) < 2 || len(stems) > maxSimilar {
		return "", 0
	}
	unsure := false
	for _, stem := range stems {
		for _, t := range s.byStem[stem] {
			if !containsAll(stems, t.stems) {
				continue
			}
			switch covered := float64(len(t.stems)) / float64(len(stems)); {
			case covered > share:
				field, share, unsure = t.field, covered, false
			case covered == share:
				unsure = unsure || t.field != field
			}
		}
	}
	if share < minShare || unsure {
		return "", 0
	}
	return field, share
}

var similarLabels = sync.OnceValue(func() similarTerms {
	// Labels that depend on the party are too short to be found among other words.
	return newSimilarTerms(vocabulary.Labels(), func(field string) bool { return !strings.HasPrefix(field, "~") })
})

// similarLabel finds the field of a label whose words differ from those of known labels.
func similarLabel(key string) (Match, bool) {
	field, share := similarLabels().find(stemsOf(key))
	if field == "" || share < minNameShare && (NamesFirm(field) || field == "insurer") {
		return Match{}, false
	}
	return Match{Field: field, From: source.Fuzzy}, true
}

var similarHeaders = sync.OnceValue(func() similarTerms {
	return newSimilarTerms(vocabulary.Headers(), func(string) bool { return true })
})

// SimilarHeader finds the field of a header whose words or abbreviations differ from those
// of known headers.
func SimilarHeader(text string) (Match, bool) {
	long := []string{}
	for w := range strings.SplitSeq(words.Key(text), " ") {
		if full, ok := vocabulary.Abbreviations()[w]; ok {
			w = full
		}
		long = append(long, w)
	}
	key := strings.Join(long, " ")
	if m, ok := HeaderForms()[key]; ok {
		return Match{Field: m.Field, From: source.Fuzzy}, true
	}
	if field, _ := similarHeaders().find(stemsOf(key)); field != "" {
		if field == "100_pct_limit" {
			if m, ok := composed(text); ok {
				return m, true // the words beside "sum insured" say which one
			}
		}
		return Match{Field: field, From: source.Fuzzy}, true
	}
	return composed(text)
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
	stems := make([]string, 0, strings.Count(key, " ")+1)
	needless, asking := vocabulary.Set("fillers.needless"), vocabulary.Set("fillers.asking")
	for w := range strings.SplitSeq(key, " ") {
		if w == "" || needless[w] || asking[w] {
			continue
		}
		stems = append(stems, stem(w))
	}
	slices.Sort(stems)
	return slices.Compact(stems)
}

// stem removes the endings of a word.
func stem(word string) string {
	for _, ending := range []string{"ements", "ement", "ments", "ment", "ings", "ing", "ies", "ed", "es", "s", "e", "y"} {
		if short, ok := strings.CutSuffix(word, ending); ok && len(short) >= 4 {
			return short
		}
	}
	return word
}

// NamesFirm reports whether a field is the name of a firm.
func NamesFirm(name string) bool {
	return name == "company_name" || name == "broker_name" || name == "insurer"
}
