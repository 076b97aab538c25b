package labelled

import (
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
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

// beforeValue reads a label that is composed of known words, with its value behind it: "Total
// policy premium $ 31,486.00", "Policy term 5/1/2026 - 5/1/2027".
func (r *Reader) beforeValue(text string) (recognise.Match, string, bool) {
	at := valueBegin.FindStringIndex(text)
	if at == nil || at[0] == 0 || len(text) > maxBoxLabel {
		return recognise.Match{}, "", false
	}
	m, ok := recognise.Composed(words.Key(words.Unnumbered(text[:at[0]])))
	value := strings.TrimSpace(text[at[0]:])
	return m, value, ok && m.Doubt == 0 && r.wholly(m.Field, value)
}

// valueBegin matches the beginning of a value behind a label.
var valueBegin = lazyregexp.New(`\s(?:[$£€]|[A-Z]{3}\s?\d|\d|[A-Z][a-z]{2,8}\.? \d)`)

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

// wholly reports whether a text is a date, an amount, an address of the web or a number of the
// kind that a field requires, and little else.
func (r *Reader) wholly(name, text string) bool {
	if len(text) > maxBoxLabel || strings.HasSuffix(text, ":") {
		return false
	}
	rest := text
	switch {
	case name == "~period" || candidate.Kinds[name] == field.Date:
		for _, f := range parse.Dates(text, r.Order) {
			rest = strings.Replace(rest, text[f.Start:f.End], "", 1)
		}
	case name == "~email" || name == "broker_email" || name == "email_id":
		rest = parse.EmailForm.ReplaceAllString(text, "")
	case name == "~website" || name == "website":
		rest = parse.WebsiteForm.ReplaceAllString(text, "")
	case name == "~phone" || name == "broker_contact_phone" || name == "phone_number":
		rest = parse.PhoneForm.ReplaceAllString(text, "")
	case name == "year_founded":
		rest = parse.YearForm.ReplaceAllString(text, "")
	case candidate.Kinds[name] == field.Money || name == "~expiring_premium":
		rest = parse.MoneyForm.ReplaceAllString(text, "")
	}
	return rest != text && len(words.BareKey(rest)) <= maxAround
}

const maxAround = 12 // letters around a value that is the whole line
