// Package labelled reads the labels in the lines of a document, and their values beside, behind
// or below them.
package labelled

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/forms"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

// Reader reads the lines in order.
type Reader struct {
	*assign.Assigner
	forms *forms.Reader
}

// New returns a reader that skips rows which belong to a statement of values.
func New(d *candidate.Set, taken map[*content.Table]map[int]bool) *Reader {
	a := assign.New(d)
	return &Reader{Assigner: a, forms: forms.New(a, taken)}
}

// Read finds labels with their values in running text, in blocks of labels, and
// in tables that are not statements of values.
func (r *Reader) Read() {
	d := r.Set
	part := -1
	for i := 0; i < len(d.Lines); i++ {
		l := d.Lines[i]
		if l.At.Part != part {
			part = l.At.Part
			r.StartPart()
		}
		switch {
		case l.Table != nil:
			r.forms.ReadTable(l.Table, l.At)
		case l.Label != "":
			if !pairs.FormName.MatchString(l.Label) {
				at := l.At
				_, label := recognise.Known(l.Value)
				at.Boxed = !label
				r.Pair(l.Label, l.Value, source.Label, at)
			}
		case strings.TrimSpace(l.Text) == "":
			r.Since++
		default:
			r.Since++
			i += r.textLine(i)
		}
	}
	r.FlushAddress()
	r.DropRepeated()
}

// salutation matches the words that address the reader of a letter, such as "Dear Underwriters". Such a line
// is not a letterhead.
var salutation = vocabulary.Pattern(`(?i)^(?:{{letters.dear}}|{{letters.greeting}})\b`)

// textLine reads line i and returns the number of further lines that its value
// occupies.
func (r *Reader) textLine(i int) int {
	l := r.Lines[i]
	text := withoutNumber(pairs.WithoutMarkup(l.Text))
	if layout.IsClosing(text) {
		r.SetParty(party.Other, false) // the writer's own details: see signature
		return 0
	}
	if i < insurersHead && r.Whose == party.Nobody && len(text) <= maxInsurer && !strings.Contains(text, ":") && parse.InsurerName.MatchString(text) && !parse.NamesBroker(text) && !salutation.MatchString(text) {
		r.SetParty(party.Insurer, false)
	}
	if i < topLines {
		r.Title(text)
	}
	if r.printedByInsurer(text) {
		r.InsurerPrinted()
	}
	if r.periodInColumns(text, l.At) {
		return 0
	}
	if taken := r.grid(i, text); taken > 0 {
		return taken
	}
	if m, value, taken := r.wrappedLabel(i, text); taken > 0 {
		r.Assign(m, value, fitUnmarked, l.At)
		return taken
	}
	if r.unmarkedLine(text, l.At) {
		return 0
	}
	pieces := pairs.Split(text)
	if len(pieces) == 0 {
		if r.LimitInLine(text, l.At) {
			return 0
		}
		if m, value, ok := pairs.Prefixed(text); ok && !(candidate.Kinds[m.Field] == field.Money && parse.AccountYear.MatchString(value)) { // "Revenue 2025", above the amount
			r.Assign(m, value, 0.85, l.At)
			return 0
		}
		if (r.Whose == party.Insured || r.Whose == party.Broker) && r.Since <= nearName && onlyPhone(text) {
			r.Assign(recognise.Match{Field: "~phone", From: source.Synonym}, text, 0.9, l.At) // a line that is only a telephone number
			return 0
		}
		r.stated(i, text)
		if m, ok := recognise.Label(strings.TrimRight(text, ": ")); ok && r.asks(i, m, text) {
			if value, taken := r.below(i, m.Field); value != "" {
				r.Assign(m, value, 0.9, l.At)
				return taken
			}
		} else if next := r.nextText(i, 1); ok && next > 0 && len(text) <= assign.MaxLabel && len(pairs.Split(r.Lines[next].Text)) == 0 && r.Fits(m.Field, r.Lines[next].Text) {
			r.Assign(m, r.Lines[next].Text, 0.9, l.At)
			return next - i
		} else if ok && recognise.NamesFirm(m.Field) && len(text) <= assign.MaxLabel {
			if value, taken := r.below(i, m.Field); strings.Contains(value, "\n") && r.Fits(m.Field, value) {
				r.Assign(m, value, 0.9, l.At) // a name above an address
				return taken
			}
		}
		if m := parse.Answered.FindStringSubmatch(text); m != nil {
			r.Answer(m[1], m[2], r.ListsPlaces(i), l.At)
		} else if assign.PlacesAsked.MatchString(text) {
			r.Places = i
		}
		if r.alternates(i) {
			r.Question(text)
		} else {
			r.Heading(text)
		}
		return 0
	}
	taken := 0
	twins := len(pieces) == 2 && r.Sides[0] != party.Nobody && strings.EqualFold(strings.TrimSpace(pieces[0].Label), strings.TrimSpace(pieces[1].Label))
	var named [2]party.Party
	for n, p := range pieces {
		value := p.Value
		if twins {
			r.SetParty(r.Sides[n], true)
		}
		if n == len(pieces)-1 {
			m, _ := recognise.Label(p.Label)
			if strings.TrimSpace(value) == "" {
				if assign.PlacesAsked.MatchString(p.Label) {
					r.Places = i
				}
				if value, taken = r.below(i, m.Field); value == "" {
					r.Heading(p.Label)
					continue
				}
			} else if next := r.nextText(i, 1); next > 0 && qualified[m.Field] && !r.Accepts(m.Field, value) && len(pairs.Split(r.Lines[next].Text)) == 0 && r.Fits(m.Field, r.Lines[next].Text) {
				value, taken = r.Lines[next].Text, next-i // "Fees: last complete financial year", above the amount
			} else if m.Field == "address" || m.Field == "~address" || m.Field == "broker_address" || m.Field == "company_description" {
				value, taken = r.further(i, value, m.Field)
			} else {
				value, taken = r.wrapped(i, value, m.Field)
			}
			if indented[m.Field] && taken == 0 && p.Value != "" {
				value, taken = r.inColumn(i, value)
			}
		}
		if m, _ := recognise.Label(p.Label); n < len(pieces)-1 && namesInColumn[m.Field] {
			value = r.besideOthers(i, value)
		}
		r.Pair(p.Label, value, source.Label, l.At)
		if len(pieces) == 2 {
			named[n] = r.Whose
		}
	}
	if named[0] != named[1] && named[0] != party.Nobody && named[1] != party.Nobody {
		r.Sides = named
	}
	return taken
}

const nearName = 8 // lines below the name of a party

// onlyPhone reports whether a text is a telephone number and nothing else.
func onlyPhone(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && parse.PhoneForm.FindString(text) == text && len(parse.DigitsForm.FindAllString(text, -1)) >= minPhone
}

// questionNumber matches the number of a question in a column of its own.
var questionNumber = lazyregexp.New(`^\s*\(?(?:\d{1,2}(?:\.\d{1,2})?|[a-zA-Z])[.)]?(?:\t+| {2,})`)

// withoutNumber removes the number of a question that stands in a column of its own before a label.
func withoutNumber(text string) string {
	m := questionNumber.FindString(text)
	if m == "" {
		return text
	}
	rest := strings.TrimSpace(text[len(m):])
	columns := pairs.Gap.Split(rest, 2)
	first, _, _ := strings.Cut(columns[0], ":")
	if _, ok := assign.ClearLabel(first); ok {
		return rest
	}
	if len(columns) == 1 && len(rest) <= maxNumbered && strings.ContainsAny(m, ".)"+parse.Digits) {
		if _, ok := recognise.Label(strings.TrimRight(rest, ": ?")); ok {
			return rest // a question, with its answer below
		}
	}
	return text
}

const maxNumbered = 120 // bytes of a numbered question

// printedByInsurer reports whether a line of a form is only the name of an insurer, or a sentence that
// says where the form, a complaint or a question is sent.
func (r *Reader) printedByInsurer(text string) bool {
	if len(text) > maxPrinted || r.Whose == party.Other && !r.Headed {
		return false
	}
	if m := parse.LegalAtStart.FindString(text); m != "" && len(strings.TrimRight(m, ". ")) == len(strings.TrimRight(text, ". ")) {
		return parse.InsurerName.MatchString(text) && !parse.NamesBroker(text)
	}
	return words.Count(text) >= minSentence && strings.HasSuffix(text, ":") && party.SaysWhereToWrite(text)
}

const (
	topLines    = 12  // which can be the title of the document
	maxPrinted  = 200 // bytes of a line that names the insurer
	minSentence = 4   // words
)

// asks reports whether a line that is a label can have its value on the lines below: a
// short label, a numbered question, or one of several labels that alternate with values.
func (r *Reader) asks(i int, m recognise.Match, text string) bool {
	n := words.Count(text)
	switch {
	case parse.YearForm.MatchString(text):
		return false
	case m.From == source.Label && n <= 5, n <= maxQuestion && (words.Numbering.MatchString(text) || questionNumber.MatchString(r.Lines[i].Text)):
		return true
	}
	// Labels alternate with values.
	return n <= 5 && (r.labelAt(r.nextText(r.nextText(i, -1), -1)) || r.labelAt(r.nextText(r.nextText(i, 1), 1)))
}

// labelAt reports whether line i is a label without a value.
func (r *Reader) labelAt(i int) bool {
	if i < 0 || i >= len(r.Lines) || len(r.Lines[i].Text) > 40 {
		return false
	}
	m, ok := recognise.Label(strings.TrimRight(r.Lines[i].Text, ": "))
	return ok && m.From >= source.Composed
}

const (
	insurersHead = 3  // lines at the top of a form, which can name the insurer
	maxInsurer   = 60 // bytes of its name
)

// qualified are the fields whose labels can continue after a colon, with the value below.
var qualified = words.Set("annual_revenue", "annual_payroll", "estimated_premium", "total_full_time_employees", "policy_inception_date", "end_date", "year_founded", "~phone", "~email", "~website")

const maxQuestion = 12 // words of a numbered question
