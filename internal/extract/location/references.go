package location

import (
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// numbersAfter matches the numbers behind a word for places: "1", "n° 2", "2 und 3".
var numbersAfter = vocabulary.Pattern(`(?i)^\s*(?:n[°ºo]\.?|nr\.?|#|numbers?)?\s*((?:\d{1,3}|[A-H])\b(?:\s*(?:,|&|/|\+|\b{{connectives.and}}\b)\s*(?:\d{1,3}|[A-H])\b)*)`)

var oneNumber = lazyregexp.New(`\d{1,3}|\b[A-H]\b`)

// References returns the keys of the locations that a text names by their numbers, as in "Sites 2
// and 3 have no sprinklers".
func References(text string) (keys []string) {
	split, list := vocabulary.Split(text), vocabulary.Words(text)
	for _, m := range vocabulary.Sites().FindWords(list) {
		if m.Meaning != "sites" && m.Meaning != "place" {
			continue
		}
		if found := numbersAfter.FindStringSubmatch(text[split[m.Last].End:]); found != nil {
			for _, id := range oneNumber.FindAllString(found[1], maxReferences) {
				keys = append(keys, strings.TrimLeft(words.BareKey(id), "0"))
			}
		}
	}
	return keys
}

// OnlyThere reports whether a text limits what it says to the locations whose numbers it names: "Sprinklers only at
// site 1".
func OnlyThere(text string) bool {
	list := vocabulary.Words(text)
	for _, m := range vocabulary.Sites().FindWords(list) {
		if m.Meaning != "sites" && m.Meaning != "place" {
			continue
		}
		for _, w := range list[max(0, m.First-maxOnly):m.First] {
			if vocabulary.Set("protection.only")[w] {
				return true
			}
		}
	}
	return false
}

const maxOnly = 3 // words from "only" to the word for a place

// Heads returns the positions in a text at which the number of a location is a heading for the
// text that follows: "Site 2: stock 20,000".
func Heads(text string) (at []int) {
	split, list := vocabulary.Split(text), vocabulary.Words(text)
	for _, m := range vocabulary.Sites().FindWords(list) {
		rest := text[split[m.Last].End:]
		if place := numbersAfter.FindStringIndex(rest); m.Meaning == "sites" && place != nil && strings.HasPrefix(strings.TrimLeft(rest[place[1]:], " )"), ":") {
			at = append(at, split[m.First].Start)
		}
	}
	return at
}

const maxReferences = 20

// NamesOthers reports whether a text is about the locations that were not named before.
func NamesOthers(text string) bool {
	for _, m := range vocabulary.Sites().Find(text) {
		if m.Meaning == "others" {
			return true
		}
	}
	return false
}
