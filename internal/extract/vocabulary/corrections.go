package vocabulary

import (
	"strings"
	"unicode/utf8"

	"understudy.example/internal/memo"
)

// correct splits compound words and corrects typing errors. It also returns how certain the words are. ok
// is false if more than unknowns words are unknown.
func (t *composedTable) correct(words []string, unknowns int) (corrected []string, fit float64, ok bool) {
	fit = 1
	corrected = make([]string, 0, maxComposed)
	for _, w := range words {
		known := t.known[w]
		if known || len(w) < minMistyped {
			corrected = append(corrected, w)
		} else {
			c := corrections.Of(w)
			corrected = append(corrected, c.words...)
			fit = min(fit, c.fit)
			known = c.known
		}
		if !known {
			if unknowns--; unknowns < 0 {
				return nil, 0, false
			}
		}
	}
	return corrected, fit, true
}

// correction holds the words that replace an unknown word, and how certain they are.
type correction struct {
	words []string
	fit   float64
	known bool
}

var corrections = memo.New(func(word string) correction {
	t := composedTerms()
	if t.endings[word[len(word)-minPart:]] {
		if parts := t.split(word, maxCompound); parts != nil {
			return correction{parts, 1, true}
		}
	}
	if right := t.mistyped(word); right != "" {
		return correction{[]string{right}, fitMistyped, true}
	}
	return correction{[]string{word}, 1, false}
})

const maxCompound = 3 // parts of a compound word

// split splits a compound word, such as "versicherungsbeginn", into known words.
func (t *composedTable) split(word string, most int) []string {
	if t.joined[word] {
		return []string{word}
	}
	if most == 1 {
		return nil
	}
	for at := len(word) - minPart; at >= minPart; at-- {
		left, right := word[:at], word[at:]
		for _, link := range []string{"", "s", "n", "en", "es"} {
			if short, ok := strings.CutSuffix(left, link); ok && t.joined[short] {
				if rest := t.split(right, most-1); rest != nil {
					return append([]string{short}, rest...)
				}
			}
		}
	}
	return nil
}

// mistyped returns the known word that differs from a word in one letter, or "".
func (t *composedTable) mistyped(word string) string {
	if right := t.deleted[word]; right != "" {
		return right // a letter is missing
	}
	for _, form := range withoutOne(word) {
		if t.known[form] && len(form) >= minMistyped {
			return form // there is a letter too many
		}
		if right := t.deleted[form]; right != "" && len(right) == len(word) {
			return right // a letter is wrong, or two are exchanged
		}
	}
	return ""
}

// withoutOne returns the forms of a word without one of its letters, apart from the first.
func withoutOne(word string) []string {
	forms := make([]string, 0, len(word))
	_, first := utf8.DecodeRuneInString(word)
	for i, width := first, 0; i < len(word); i += width {
		_, width = utf8.DecodeRuneInString(word[i:])
		forms = append(forms, word[:i]+word[i+width:])
	}
	return forms
}
