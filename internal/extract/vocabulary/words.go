package vocabulary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/memo"
)

// Word is a word of a text.
type Word struct {
	Key        string // in the form in which words are compared
	Start, End int    // its place in the text, in bytes
}

// Words returns the words of a text in the form in which they are compared: in lower
// case, without plural endings, "&" as "and". The caller must not change the list.
func Words(text string) []string { return splits.Of(text).keys }

// Split returns the words of a text with their places. The caller must not change the list.
func Split(text string) []Word { return splits.Of(text).words }

// wordList holds the words of a text with and without their places.
type wordList struct {
	words []Word
	keys  []string
}

var splits = memo.New(func(text string) wordList {
	list := wordList{words: split(text)}
	list.keys = make([]string, len(list.words))
	for i, w := range list.words {
		list.keys[i] = w.Key
	}
	return list
})

func split(text string) []Word {
	words := make([]Word, 0, strings.Count(text, " ")+1)
	// Lower case does not move the words of an ASCII text, so that they can share one lower-case copy of it.
	lower := ""
	if isASCII(text) {
		lower = strings.ToLower(text)
	}
	start := -1
	end := func(at int) {
		if start < 0 {
			return
		}
		key := ""
		if lower != "" {
			key = lower[start:at]
		} else {
			key = strings.ReplaceAll(strings.ToLower(text[start:at]), "’", "'")
		}
		if key = singular(trimQuotes(key)); key != "" {
			words = append(words, Word{key, start, at})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case r == '&':
			end(i)
			words = append(words, Word{"and", i, i + 1})
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’':
			end(i)
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return words
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// trimQuotes removes the quotation marks around a word.
func trimQuotes(word string) string {
	plain := func(b byte) bool { return b != '\'' && b < utf8.RuneSelf }
	if plain(word[0]) && plain(word[len(word)-1]) {
		return word
	}
	return strings.Trim(word, "'’")
}

// singular removes the ending of a plural or a possessive.
func singular(word string) string {
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	switch n := len(word); {
	case n > 4 && strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case n > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		return word[:n-1]
	}
	return word
}
