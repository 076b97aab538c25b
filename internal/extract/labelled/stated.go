package labelled

import (
	"strings"

	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// stated proposes the values that follow known labels in the sentences of a paragraph: "Legal
// name is Alder Ltd. Our turnover was £3m."
func (r *Reader) stated(i int, text string) {
	if parse.InsurerName.MatchString(text) || party.AboutOthers(text) {
		return
	}
	for s := range strings.SplitSeq(text, ". ") {
		label, value, ok := pairs.CutAt(verb, words.Unnumbered(s))
		if !ok || len(label) > maxBoxLabel || len(strings.Fields(label)) > maxStatedWords {
			continue
		}
		key := words.Key(possessive.ReplaceAllString(label, ""))
		m, known := recognise.LabelForms()[key]
		if !known {
			m, known = recognise.Composed(key)
		}
		if known && m.Field != "company_description" && !listing[m.Field] {
			r.give(m, value, fitStated, r.Lines[i].At)
		}
	}
}

const (
	maxStatedWords = 5 // of a label in a sentence
	fitStated      = 0.85
)

// verb matches the verb between a label and its value in a sentence.
var verb = lazyregexp.New(`(?i)\s+(?:is|are|was|will be|ist|lautet|est|es|son)\s+(?:now |currently |approximately |about |around |approx\.? |circa )?`)

var possessive = lazyregexp.New(`(?i)^(?:our|their|its|his|her|the|exact|unser[e]?|ihr[e]?|notre|leur|su|nuestr[oa])\s+`)

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
