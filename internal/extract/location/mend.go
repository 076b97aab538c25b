package location

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Limits of cells whose words are cut because their column is narrow.
const (
	maxCodePart = 2 // letters of a part of a cut code
	maxCode     = 5 // letters of a code
	minCutWords = 8 // letters of cut words
)

// mendedConstruction returns a kind of construction whose words were cut because the column is narrow: "MNC"
// for "M N C", "Non Combustible" for "Non-Comb usti". It returns other texts unchanged.
func mendedConstruction(text string) string {
	if code := strings.ReplaceAll(text, " ", ""); code != text && len(code) <= maxCode && !strings.ContainsFunc(code, func(r rune) bool { return !unicode.IsUpper(r) }) && maxPart(text) <= maxCodePart {
		return code
	}
	key := words.BareKey(text)
	if len(key) < minCutWords || !strings.ContainsAny(text, " -") || len(vocabulary.Protection().Whole(text, 0)) > 0 && !strings.HasSuffix(text, "-") {
		return text
	}
	kinds := constructions()
	at, _ := slices.BinarySearchFunc(kinds, key, func(k construction, key string) int { return strings.Compare(k.key, key) })
	var first construction
	for ; at < len(kinds) && strings.HasPrefix(kinds[at].key, key); at++ {
		if first.text == "" || kinds[at].rank < first.rank {
			first = kinds[at]
		}
	}
	if first.text == "" {
		return text
	}
	return first.text
}

// maxPart returns the length of the longest part of a text.
func maxPart(text string) int {
	longest := 0
	for part := range strings.SplitSeq(text, " ") {
		longest = max(longest, len(part))
	}
	return longest
}

// construction is a kind of construction with its letters alone, and its place in the table, where the
// usual names come first.
type construction struct {
	key, text string
	rank      int
}

// constructions are the kinds of construction in alphabetical order of their letters.
var constructions = sync.OnceValue(func() []construction {
	var kinds []construction
	for _, e := range vocabulary.Entries("protection") {
		if e.Meaning != "construction_type" {
			continue
		}
		var name []string
		for w := range strings.FieldsSeq(e.Term) {
			first, size := utf8.DecodeRuneInString(w)
			name = append(name, string(unicode.ToUpper(first))+w[size:])
		}
		kinds = append(kinds, construction{words.BareKey(e.Term), strings.Join(name, " "), len(kinds)})
	}
	slices.SortFunc(kinds, func(a, b construction) int { return strings.Compare(a.key, b.key) })
	return kinds
})
