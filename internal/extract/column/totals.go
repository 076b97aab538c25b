package column

import (
	"strings"
	"unicode"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// bold removes the tags of bold text in mails.
var bold = strings.NewReplacer("<b>", " ", "</b>", " ")

// IsTotal reports whether a text can be the first cell of a row of totals.
func IsTotal(text string) bool {
	list := vocabulary.Words(bold.Replace(words.Cut(text, maxTotal)))
	found := vocabulary.Totals().FindWords(list)
	if len(found) == 0 || !strings.ContainsFunc(text, unicode.IsLetter) {
		return false
	}
	for i, m := range found {
		switch {
		case m.Meaning == "lead" && m.First == i:
		case m.Meaning == "total" && m.First == i:
			return true
		case m.Meaning == "total" && m.Class == "last" && m.Last == len(list)-1 && len(list) <= maxTotalWords:
			return true
		}
	}
	return false
}

// Limits of the first cell of a row of totals.
const (
	maxTotal      = 80 // bytes that are examined
	maxTotalWords = 4  // words in a cell that ends with the word for a total
)
