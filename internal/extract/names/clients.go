package names

import (
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Limits of the names and addresses in sentences.
const (
	maxNameWords = 8
	minBodyWords = 3 // words of a sentence beside an address
)

// clientIn returns the name of the insured in a sentence: the name after words such as "on
// behalf of our client". After words that can also precede other names, the name must have
// its legal form, or the domain of the mail's sender must contain it.
func clientIn(text, sender string) string {
	split, keys := vocabulary.Split(text), vocabulary.Words(text)
	for _, m := range vocabulary.Parties().FindWords(keys) {
		if m.Meaning != "client" {
			continue
		}
		next := m.Last + 1
		for next < len(split) && next <= m.Last+3 && vocabulary.Parties().Means(keys[next], "article") && !words.Capital(text[split[next].Start:]) {
			next++
		}
		if next == len(split) || strings.ContainsAny(text[split[m.Last].End:split[next].Start], ".:;?!") {
			continue // the end of a sentence, or a label
		}
		name, legal := nameAt(text[split[next].Start:])
		if article := split[next-1]; next > m.Last+1 && strings.EqualFold(article.Key, "the") && legal && words.Capital(text[article.Start:]) {
			name = text[article.Start:article.End] + " " + name
		}
		if name != "" && (legal || m.Class == "any" || sender != "" && parse.FitsDomain(name, sender)) {
			return name
		}
	}
	return ""
}

var nameWord = lazyregexp.New(`^[\p{Lu}0-9&][\pL\d_&'’.\-]*`)

// nameAt returns the name at the beginning of a text, and whether it has a legal form.
func nameAt(text string) (string, bool) {
	if m := parse.LegalAtStart.FindString(text); m != "" {
		return m, true
	}
	end, count := 0, 0
	for rest := text; ; rest = strings.TrimLeft(text[end:], " ") {
		word := nameWord.FindString(rest)
		small := ""
		if word == "" {
			small, _, _ = strings.Cut(rest, " ")
			if !parse.IsJoiner(small) || !words.Capital(strings.TrimPrefix(rest[len(small):], " ")) {
				break
			}
			word = small
		}
		if count++; count > maxNameWords {
			return "", false
		}
		end = len(text) - len(rest) + len(word)
	}
	name, rest := text[:end], text[end:]
	if count == 0 || !words.Capital(name) || parse.JobTitle.MatchString(name[strings.LastIndex(name, " ")+1:]) {
		return "", false
	}
	next := strings.TrimLeft(rest, " ")
	if next != "" && !strings.ContainsAny(next[:1], ",.;:()–-") && !vocabulary.Parties().Means(firstKey(next), "goes on") {
		return "", false
	}
	return strings.TrimRight(name, "."), false
}

func firstKey(text string) string {
	if words := vocabulary.Split(words.Cut(text, 60)); len(words) > 0 {
		return words[0].Key
	}
	return ""
}

// AddressInSentence extracts the insured's address from a sentence that contains an address
// and says nothing about another party, if nothing else states it.
func (d *Reader) AddressInSentence() {
	if d.Best("address") != "" {
		return
	}
	for i := 0; i < len(d.Lines); {
		l := d.Lines[i]
		if l.Table != nil || l.Label != "" || l.At.Quoted || l.Head || !parse.HasDigit(l.Text) {
			i++
			continue
		}
		text, starts := d.Paragraph(i)
		i += len(starts)
		found, before := parse.AddressesIn(text)
		for n, piece := range found {
			if around := clauseAround(before[n], text[len(before[n]):], piece); bodyText(around, minBodyWords) || behindPlace.MatchString(before[n]) && bodyText(around, 1) {
				d.Propose("address", piece, source.Prose, 0.9, l.At)
				return
			}
		}
	}
}

// clauseAround returns the sentence around an address, without it.
func clauseAround(before, from, piece string) string {
	if at := strings.LastIndex(before, ". "); at >= 0 {
		before = before[at+2:]
	}
	_, after, _ := strings.Cut(from, piece)
	after, _, _ = strings.Cut(after, ". ")
	return before + " " + after
}

// behindPlace matches the end of the text before an address in a sentence: "They make brackets at".
var behindPlace = vocabulary.Pattern(`(?i)\b{{addresses.before}}\s*$`)

// bodyText reports whether a text is part of a sentence, with at least the given number of small words,
// that is not about another party.
func bodyText(text string, least int) bool {
	small := 0
	for w := range strings.FieldsSeq(text) {
		if len(w) > 2 && !words.Capital(w) && !strings.ContainsAny(w, "@.0123456789") {
			small++
		}
	}
	return small >= least && !parse.EmailForm.MatchString(text) && !parse.NamesBroker(text) && !parse.InsurerName.MatchString(text) && !party.AboutOthers(text)
}
