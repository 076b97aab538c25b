package covers

import (
	"slices"
	"strings"
	"unicode/utf8"

	"understudy.example/internal/extract/vocabulary"
)

// sentencesOf splits a text into its sentences. The period after an abbreviation does not end a sentence.
func sentencesOf(text string) (sentences []string) {
	if !betweenSentences.MatchString(text) {
		return []string{text}
	}
	start := 0
	for _, m := range betweenSentences.FindAllStringIndex(text, -1) {
		if !shortened.MatchString(lastBytes(text[start : m[0]+1])) {
			sentences, start = append(sentences, text[start:m[1]]), m[1]
		}
	}
	if start < len(text) {
		sentences = append(sentences, text[start:])
	}
	return sentences
}

// shortened matches a text that ends with an abbreviation and a period.
var shortened = vocabulary.Pattern(`(?i)(?:^|[\s(])(?:{{connectives.including}}|(?:\pL|{{running_text.shortened|running_text.cut short}})\.)$`)

// lastBytes returns the end of a text, which is enough to match words at its end.
func lastBytes(text string) string {
	if len(text) <= maxLastBytes {
		return text
	}
	at := len(text) - maxLastBytes
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

const maxLastBytes = 80

// named returns the covers of a chain.
func (s *sentenceWords) named(c chain) (found []Cover) {
	for n := 0; n < len(c.covers); n++ {
		m := c.covers[n]
		if s.betweenAmounts(m) {
			continue
		}
		first := withTrade(s.kinds, m.First)
		for n+1 < len(c.covers) && c.covers[n+1].First == m.Last+1 && s.text[s.words[m.Last].End:s.words[m.Last+1].Start] == "-" {
			n++
			m = vocabulary.Match{Term: c.covers[n].Term, First: m.First, Last: c.covers[n].Last} // "All-Risk-Sachversicherung"
		}
		name := s.text[s.words[first].Start:s.words[m.Last].End]
		found = append(found, Cover{Text: bare(name), Meaning: m.Meaning, Class: m.Class, Fit: fitSentence})
	}
	return found
}

// continues reports whether a chain starts a new entry of a list in the sentence, that is, follows a punctuation mark
// or a word such as "and".
func (s *sentenceWords) continues(c chain) bool {
	if s.inName(c) || c.first == 0 {
		return false
	}
	light := 0 // words such as "project" in "plus project GL"
	for i := c.first; i > 0; i-- {
		if strings.ContainsAny(s.text[s.words[i-1].End:s.words[i].Start], ",;:(/+–—") || strings.Contains(s.text[s.words[i-1].End:s.words[i].Start], " - ") {
			return true
		}
		if joins.MatchString(lastBytes(s.text[:s.words[i-1].End])) || s.keys[i-1] == "and" {
			return true
		}
		if s.kinds[i-1] != filler && !articleAlone.MatchString(s.text[s.words[i-1].Start:s.words[i-1].End]) {
			if light++; light > 1 || s.capital(i-1) || s.denials[i-1] != "" || c.first == c.last && strings.ToUpper(s.keyText(c.first)) != s.keyText(c.first) {
				return false
			}
		}
	}
	return false
}

// keyText returns a word as it is written in the sentence.
func (s *sentenceWords) keyText(i int) string { return s.text[s.words[i].Start:s.words[i].End] }

// articleAlone matches an article.
var articleAlone = vocabulary.Pattern(`(?i)^{{limits.article}}$`)

// joins matches a text that ends with the words before an entry that is joined to the entry before it.
var joins = vocabulary.Pattern(`(?i)(?:^|\s)(?:{{connectives.and|connectives.or|connectives.including|connectives.joining|connectives.as well as}})$`)

// leading returns the covers with which a line below a heading for covers begins, and those that continue the list:
// "Professional indemnity, civil liability wording, limit £5m any one claim, and management liability".
func leading(text string) (found []Cover) {
	for _, text := range sentencesOf(text) {
		s := newSentence(text)
		listing := false
		for _, c := range s.chains() {
			begins := c.first == 0 || !slices.ContainsFunc(s.kinds[:c.first], func(kind int) bool { return kind == unknown })
			if s.inName(c) || s.isDenied(c) || s.states(c) || !(listing && s.continues(c)) && !(begins && len(found) == 0) {
				continue
			}
			found, listing = append(found, s.named(c)...), true
		}
		if len(found) == 0 {
			return nil
		}
	}
	return found
}
