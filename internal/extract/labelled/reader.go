// Package labelled reads the values of labels: in lines, in columns, in boxes of forms and in
// tables that are not statements of values. It keeps track of the party that the labels are
// about.
package labelled

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/sites"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// New returns a reader that skips rows which belong to a statement of values.
func New(d *candidate.Set, taken map[*content.Table]map[int]bool) *Reader {
	return &Reader{Set: d, taken: taken}
}

// reader reads the lines in order and keeps track of the party that they are about.
type Reader struct {
	*candidate.Set
	taken    map[*content.Table]map[int]bool // rows of statements of values
	boxCells int                             // cells that were examined as boxes of forms so far
	whose    party.Party
	sides    [2]party.Party // parties whose details are side by side
	places   int            // line that asks about places of work in a list
	since    int            // lines of text since the party was named
	headed   bool           // named by a heading, which lasts to the next one
	prior    bool           // the heading names another policy of the insured
	placed   bool           // an address of the broker has been found
	address  [6]string
	addressN source.Place
}

var (
	siteLine = lazyregexp.New(`(?i)^\W*(?:location|premises|site|property|building|loc|bldg|risk address)\s*(?:#|no\.?|number|:)?\s*(\d{1,4}|[A-H])\b`)

	placesAsked = lazyregexp.New(`(?i)(?:^\W*|[.:–-]\s+)(?:do|does|will|are)\b.{0,80}\b(?:employees?|staff|you|persons?)\b.{0,40}\bwork(?:ing)?\W*$|\b(work|working|employees?)\b.{0,60}\b(at|in|on|following|questions?|locations|places|any of)\b`)
)

// Read finds labels with their values in running text, in blocks of labels, and
// in tables that are not statements of values.
func (r *Reader) Read() {
	d := r.Set
	part := -1
	for i := 0; i < len(d.Lines); i++ {
		l := d.Lines[i]
		if l.At.Part != part {
			r.flushAddress()
			part, r.whose, r.headed, r.prior, r.sides = l.At.Part, party.Nobody, false, false, [2]party.Party{}
			r.placed = false
		}
		switch {
		case l.Table != nil:
			r.readTable(l.Table, l.At)
		case l.Label != "":
			if !pairs.FormName.MatchString(l.Label) {
				at := l.At
				_, label := recognise.Known(l.Value)
				at.Boxed = !label
				r.pair(l.Label, l.Value, source.Label, at)
			}
		case strings.TrimSpace(l.Text) == "":
			r.since++
		default:
			r.since++
			i += r.textLine(i)
		}
	}
	r.flushAddress()
}

// textLine reads line i and returns the number of further lines that its value
// occupies.
func (r *Reader) textLine(i int) int {
	l := r.Lines[i]
	text := pairs.WithoutMarkup(l.Text)
	if layout.Closing.MatchString(strings.TrimSpace(text)) {
		r.name(party.Other, false) // the writer's own details: see signature
		return 0
	}
	if taken := r.grid(i, text); taken > 0 {
		return taken
	}
	if m, value, ok := r.wrappedLabel(i, text); ok {
		r.assign(m, value, fitUnmarked, l.At)
		return 1
	}
	if r.unmarkedLine(text, l.At) {
		return 0
	}
	pieces := pairs.Split(text)
	if len(pieces) == 0 {
		if r.limitInLine(text, l.At) {
			return 0
		}
		if m, value, ok := pairs.Prefixed(text); ok {
			r.assign(m, value, 0.85, l.At)
			return 0
		}
		r.stated(i, text)
		if m, ok := recognise.Label(strings.TrimRight(text, ": ")); ok && r.asks(i, m, text) {
			if value, taken := r.below(i, m.Field); value != "" {
				r.assign(m, value, 0.9, l.At)
				return taken
			}
		} else if next := r.nextText(i, 1); ok && next > 0 && len(text) <= maxBoxLabel && r.fits(m.Field, r.Lines[next].Text) {
			r.assign(m, r.Lines[next].Text, 0.9, l.At)
			return next - i
		}
		if m := parse.Answered.FindStringSubmatch(text); m != nil {
			r.Answer(m[1], m[2], r.places > 0 && i-r.places < 60, l.At)
		} else if placesAsked.MatchString(text) {
			r.places = i
		}
		r.heading(text)
		return 0
	}
	taken := 0
	twins := len(pieces) == 2 && r.sides[0] != party.Nobody && strings.EqualFold(strings.TrimSpace(pieces[0].Label), strings.TrimSpace(pieces[1].Label))
	var named [2]party.Party
	for n, p := range pieces {
		value := p.Value
		if twins {
			r.name(r.sides[n], true)
		}
		if n == len(pieces)-1 {
			m, _ := recognise.Label(p.Label)
			if strings.TrimSpace(value) == "" {
				if placesAsked.MatchString(p.Label) {
					r.places = i
				}
				if value, taken = r.below(i, m.Field); value == "" {
					r.heading(p.Label)
					continue
				}
			} else if m.Field == "address" || m.Field == "~address" || m.Field == "broker_address" || m.Field == "company_description" {
				value, taken = r.further(i, value, m.Field)
			} else {
				value, taken = r.wrapped(i, value, m.Field)
			}
			if indented[m.Field] && taken == 0 && p.Value != "" {
				value, taken = r.inColumn(i, value)
			}
		}
		r.pair(p.Label, value, source.Label, l.At)
		if len(pieces) == 2 {
			named[n] = r.whose
		}
	}
	if named[0] != named[1] && named[0] != party.Nobody && named[1] != party.Nobody {
		r.sides = named
	}
	return taken
}

// asks reports whether a line that is a label can have its value on the lines below: a
// short label, a numbered question, or one of several labels that alternate with values.
func (r *Reader) asks(i int, m recognise.Match, text string) bool {
	n := len(strings.Fields(text))
	switch {
	case parse.YearForm.MatchString(text):
		return false
	case m.From == source.Label && n <= 5, words.Numbering.MatchString(text) && n <= maxQuestion:
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

const maxQuestion = 12 // words of a numbered question

// heading sets the party if the line is a heading that names one.
func (r *Reader) heading(text string) {
	text = strings.TrimSpace(strings.TrimRight(text, ": "))
	if m := bracketed.FindStringSubmatch(text); m != nil {
		text = m[1] // the section of a configuration file, such as "[Applicant]"
	}
	fields := strings.Fields(text)
	if len(fields) == 0 || len(fields) > 9 || len(text) > 80 || strings.ContainsAny(text, "\t|$£€") || strings.Contains(text, "   ") || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ",") || parse.EmailForm.MatchString(text) || amountIn.MatchString(text) {
		return
	}
	if siteLine.MatchString(text) {
		r.prior = false
		r.name(party.Site, true)
		return
	}
	if party.IsPrior(text) {
		r.name(party.Nobody, true)
		r.prior = true
		return
	}
	if parse.LegalName.MatchString(text) || !words.Capital(strings.TrimLeft(text, "0123456789.) (")) {
		return
	}
	if sites.SumsInsured.MatchString(text) || r.whose == party.Other && !r.headed && r.since <= 10 {
		return // a job title in a signature is not a heading
	}
	for _, h := range party.Headings {
		if h.Form.MatchString(text) {
			r.prior = false
			r.name(h.Party, true)
			return
		}
	}
	if p := recognise.NamedParty(text); p != party.Nobody {
		r.prior = false
		r.name(p, true)
	}
}

// bracketed matches a heading in brackets. The group leaves out a number at its end.
var bracketed = lazyregexp.New(`^\[([A-Za-z ]+?)\d*\]$`)

// amountIn matches an amount with its currency.
var amountIn = lazyregexp.New(`\b[A-Z]{3}\s?\d`)

func (r *Reader) name(p party.Party, headed bool) {
	if p != r.whose {
		r.flushAddress()
	}
	r.whose, r.headed, r.since = p, headed, 0
}

// current returns the party to which a neutral label refers.
func (r *Reader) current() party.Party {
	if !r.headed && r.since > 10 {
		return party.Nobody
	}
	return r.whose
}

// pair reads a label with its value, whether the label is known or not.
func (r *Reader) pair(text, value string, from source.Kind, at source.Place) {
	r.Answer(text, value, r.places > 0 && at.Line-r.places < 60, at)
	if r.pairOfPairs(text, value, from, at) {
		return
	}
	if key := words.Key(text); recognise.Foreign(key) && (strings.Contains(key, "loss") || strings.Contains(key, "claim")) {
		r.name(party.Other, true)
	}
	if m, ok := recognise.Label(text); ok {
		r.assign(m, value, float64(min(from, m.From)/m.From), at)
		return
	}
	if limitName.MatchString(text) && len(text) <= 80 {
		r.proposeLimit(text, value, from, 1, at)
		return
	}
	if p, rest, ok := party.PartyPrefix(text); ok {
		if m, ok := recognise.LabelForms()[rest]; ok && strings.HasPrefix(m.Field, "~") {
			before := *r
			r.whose, r.headed = p, true
			r.assign(m, value, 0.95, at)
			r.whose, r.headed = before.whose, before.headed
		}
	}
}

// pairOfPairs reads two labels with their values: "Full-time / part-time employees: 4 / 3".
// One of the labels can lack the words that both have in common.
func (r *Reader) pairOfPairs(text, value string, from source.Kind, at source.Place) bool {
	first, second, ok := strings.Cut(text, "/")
	left, right, both := strings.Cut(value, "/")
	if !ok || !both || len(text) > maxBoxLabel || strings.ContainsAny(second+right, "/\n") || len(parse.Dates(value, r.Order)) > 0 {
		return false
	}
	firsts, seconds := strings.Fields(first), strings.Fields(second)
	if len(firsts) == 0 || len(seconds) == 0 {
		return false
	}
	common := func(n int, words []string) string { return strings.Join(words[:n], " ") }
	for _, labels := range [][2]string{
		{first, second},
		{first + " " + strings.Join(seconds[1:], " "), second},
		{first, common(len(firsts)-1, firsts) + " " + second},
	} {
		a, known := recognise.Label(labels[0])
		b, other := recognise.Label(labels[1])
		if known && other && a.Field != b.Field && countFields[a.Field] && countFields[b.Field] {
			r.assign(a, left, float64(min(from, a.From)/a.From), at)
			r.assign(b, right, float64(min(from, b.From)/b.From), at)
			return true
		}
	}
	return false
}

// countFields are the fields whose values can share a box.
var countFields = words.Set("total_full_time_employees", "total_part_time_employees", "total_number_of_locations", "annual_revenue", "annual_payroll", "estimated_premium", "~expiring_premium")
