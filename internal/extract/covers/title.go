package covers

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/lazyregexp"

	"understudy.example/internal/extract/vocabulary"
)

// separator matches the separators of the parts of a title, such as the name of the insured
// and the kind of the document.
var separator = lazyregexp.New(`\s+[-–—/]+\s+|\s*[|:;,()\t]\s*|\s+//\s+`)

// Lines returns the lines of business that a title names, in its words: "Cyber" for
// "CYBER INSURANCE APPLICATION", nothing for "Bluewater Marine LLC". In a part of a title,
// the name of a line counts if only known words stand between it and the word for the
// document, or if the part consists of such names alone.
func Lines(title string) []string {
	var lines []string
	for _, part := range separator.Split(title, 20) {
		if part = strings.TrimSpace(part); part == "" || len(part) > maxTitle {
			continue
		}
		for _, line := range linesIn(part) {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.EqualFold(l, line) }) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

const maxTitle = 120 // bytes of a part of a title

// OnlyTitle reports whether a text consists of words for insurance documents and covers
// alone, and therefore contains no name.
func OnlyTitle(text string) bool {
	kinds, _, _ := kindsOf(vocabulary.Words(text))
	return (slices.Contains(kinds, document) || slices.Contains(kinds, cover)) && !slices.Contains(kinds, unknown)
}

// IsTitle reports whether a text consists of a few words, of which some name a line of business
// and some a document about an insurance.
func IsTitle(text string) bool {
	kinds, _, _ := kindsOf(vocabulary.Words(text))
	return len(kinds) <= maxTitleKinds && slices.Contains(kinds, document) && slices.Contains(kinds, cover)
}

const maxTitleKinds = 8 // words

// RunsOn reports whether a text names several covers without a mark or a word between them, as a row of
// boxes does: "CRIME GARAGE UMBRELLA", "X PROPERTY X AUTO".
func RunsOn(text string) bool {
	words, found := vocabulary.Split(text), vocabulary.Covers().Find(text)
	adjacent, crossed := 0, false
	for n, m := range found {
		if n > 0 && m.First == found[n-1].Last+1 && strings.TrimSpace(text[words[m.First-1].End:words[m.First].Start]) == "" && m.Class == m.Meaning {
			adjacent++
		}
		crossed = crossed || m.First > 0 && words[m.First-1].Key == "x"
	}
	return adjacent >= minAdjacent || crossed && len(found) > 1
}

const minAdjacent = 2 // covers that directly follow another one

// The kinds of words in a title.
const (
	unknown = iota
	filler
	trade
	cover
	document
)

// kindsOf returns the kind of each word, the covers that the words name, and the words for
// documents.
func kindsOf(keys []string) (kinds []int, names, documents []vocabulary.Match) {
	kinds = make([]int, len(keys))
	for i, w := range keys {
		if vocabulary.Covers().Filler(w) || strings.ContainsAny(w, "0123456789") {
			kinds[i] = filler
		}
	}
	mark := func(matches []vocabulary.Match, kind int) {
		for _, m := range matches {
			for i := m.First; i <= m.Last; i++ {
				kinds[i] = max(kinds[i], kind)
			}
		}
	}
	names = vocabulary.Covers().FindWords(keys)
	mark(names, cover)
	for _, m := range vocabulary.Titles().FindWords(keys) {
		switch m.Meaning {
		case "trade":
			mark([]vocabulary.Match{m}, trade)
		case "subject":
		default:
			documents = append(documents, m)
			mark([]vocabulary.Match{m}, document)
		}
	}
	return kinds, names, documents
}

// namedFor reports whether a title begins with the name of a line of business and a word such as "for" follows: "Builders
// Risk for Quill Tower".
func namedFor(keys []string, m vocabulary.Match) bool {
	return m.First == 0 && m.Last > 0 && m.Last+2 < len(keys) && vocabulary.Set("limits.entry end")[keys[m.Last+1]]
}

func linesIn(part string) []string {
	words, keys := vocabulary.Split(part), vocabulary.Words(part)
	kinds, names, documents := kindsOf(keys)
	alone := len(names) > 0 && unknownLetters(keys, kinds) <= maxUnknown
	var lines []string
	for _, m := range names {
		if m.Class == m.Meaning && (alone || beside(kinds, m.First, -1) || beside(kinds, m.Last, 1) || namedFor(keys, m)) {
			first := withTrade(kinds, m.First)
			if m.First == m.Last && first == m.First && vocabulary.Titles().Means(keys[m.First], "line") && first > 0 && kinds[first-1] == unknown {
				first = nameStart(kinds, first) // "Venue liability"
			}
			lines = append(lines, lineName(part[words[first].Start:words[m.Last].End]))
		}
	}
	for _, m := range documents {
		if len(lines) > 0 || len(names) > 0 && m.Meaning == "line" {
			break
		}
		switch first := withTrade(kinds, m.First); {
		case m.Meaning == "line" && first < m.First && unknownLetters(keys, kinds) <= maxUnknown:
			lines = append(lines, lineName(part[words[first].Start:words[m.Last].End]))
		case m.Meaning != "document" && m.Meaning != "line":
			lines = append(lines, m.Meaning)
		}
	}
	return lines
}

// withTrade returns the first of the words for a trade that stand before word i: the name
// of a line of business begins with them, as in "Solicitors' Professional Indemnity".
func withTrade(kinds []int, i int) int {
	first := i
	for n := i - 1; n >= 0 && n >= i-maxTradeWords && (kinds[n] == trade || kinds[n] == filler); n-- {
		if kinds[n] == trade {
			first = n
		}
	}
	return first
}

// nameStart returns the first of the unknown words that stand directly before word i: they belong to the name of a
// line of business that is not known.
func nameStart(kinds []int, i int) int {
	for n := i - 1; n >= 0 && n >= i-maxTradeWords && (kinds[n] == unknown || kinds[n] == trade); n-- {
		i = n
	}
	return i
}

const maxTradeWords = 5 // with the words between

// Subject returns the text behind a label for the subject of a document, such as "Request
// for terms"; "" for other labels.
func Subject(label, text string) string {
	if len(label) > maxHeading {
		return ""
	}
	for _, m := range vocabulary.Titles().Whole(label, 0) {
		if m.Meaning == "subject" {
			return text
		}
	}
	return ""
}

// maxUnknown is the length of an unknown abbreviation that can stand beside the name of a
// line that is the whole part of a title, such as "FI" for financial institutions.
const maxUnknown = 3

func unknownLetters(words []string, kinds []int) int {
	letters := 0
	for i, w := range words {
		if kinds[i] == unknown {
			letters += len(w)
		}
	}
	return letters
}

// beside reports whether a word for a document follows the word in the direction, with no
// unknown word between.
func beside(kinds []int, i, direction int) bool {
	for ; i >= 0 && i < len(kinds) && kinds[i] != unknown; i += direction {
		if kinds[i] == document {
			return true
		}
	}
	return false
}

// lineName returns the words of a title that name a line of business, with capitals only
// at the beginning of the words. It returns an abbreviation unchanged.
func lineName(text string) string {
	words := strings.Fields(text)
	if len(words) == 1 && len(text) <= maxAbbreviation && strings.ToUpper(text) == text {
		return text
	}
	for i, w := range words {
		r := []rune(strings.ToLower(w))
		r[0] = unicode.ToUpper(r[0])
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}

const maxAbbreviation = 4 // bytes
