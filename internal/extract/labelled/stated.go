package labelled

import (
	"strings"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// stated proposes the values that follow known labels in the sentences of a paragraph: "Legal
// name is Alder Ltd. Our turnover was £3m."
func (r *Reader) stated(i int, text string) {
	for s := range strings.SplitSeq(text, ". ") {
		label, value, ok := cutAtVerb(words.Unnumbered(s))
		if !ok || len(label) > assign.MaxLabel || words.Count(label) > maxStatedWords {
			continue
		}
		key := words.Key(label)
		m, known := recognise.LabelForms()[key]
		if !known {
			m, known = recognise.Composed(key)
		}
		if known && m.Field != "company_description" && !listing[m.Field] {
			if parse.InsurerName.MatchString(text) || party.AboutOthers(text) {
				return
			}
			r.Assign(m, value, fitStated, r.Lines[i].At)
		}
	}
}

const (
	maxStatedWords = 5 // of a label in a sentence
	fitStated      = 0.85
)

// cutAtVerb splits a sentence at the first verb that can separate a label from a value. It drops
// possessive words before the label, and words after the verb that do not change the value.
func cutAtVerb(sentence string) (label, value string, ok bool) {
	split, keys := vocabulary.Split(sentence), vocabulary.Words(sentence)
	first, after := 0, -1
	for _, m := range vocabulary.Connectives().FindWords(keys) {
		switch {
		case m.Meaning == "possessive" && m.First == first && after < 0:
			first = m.Last + 1
		case m.Meaning == "verb" && m.First > first && after < 0:
			label = sentence[split[first].Start:split[m.First].Start]
			after = m.Last + 1
		case m.Meaning == "hedge" && m.First == after:
			after = m.Last + 1
		}
	}
	if after < 0 || after >= len(split) {
		return "", "", false
	}
	return strings.TrimSpace(label), strings.TrimSpace(sentence[split[after-1].End:]), true
}

// nextText returns the nearest line with text in a direction, beyond at most one empty line;
// -1 if there is none.
func (r *Reader) nextText(i, direction int) int {
	for n := i + direction; i >= 0 && n >= 0 && n < len(r.Lines) && (n-i)*direction <= 2; n += direction {
		l := r.Lines[n]
		switch {
		case l.Table != nil || l.Label != "" || l.At.Part != r.Lines[i].At.Part:
			return -1
		case strings.TrimSpace(l.Text) != "":
			return n
		}
	}
	return -1
}

// alternates reports whether line i is a numbered question whose answer is the next line, with another
// numbered question after it.
func (r *Reader) alternates(i int) bool {
	numbered := func(n int) bool { return n >= 0 && words.Numbering.MatchString(r.Lines[n].Text) }
	if !numbered(i) {
		return false
	}
	answer := r.nextText(i, 1)
	return answer > 0 && !numbered(answer) && numbered(r.nextText(answer, 1))
}
