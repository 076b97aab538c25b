package sentences

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/prose"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Limits of sentences.
const (
	minProseCell  = 40  // bytes of a cell that can contain a sentence
	maxProseCells = 400 // of a table
	minValueWords = 4   // of the value of a label that is read as a sentence
	minTitleCell  = 8   // bytes of a cell above a statement of values that can state a date: "eff 5/1/27"
	fitOfSentence = 0.95
)

// readSentences extracts the amounts, dates and years that sentences state, in paragraphs,
// in the values of labels and in the cells of tables.
func (d *Reader) readSentences() {
	for i := 0; i < len(d.Lines); {
		l := d.Lines[i]
		switch {
		case l.Table != nil:
			d.sentencesInCells(l.Table, l.At)
			i++
		case l.Label != "":
			if words.Count(l.Value) >= minValueWords && !d.Printed[l.At.Part] {
				d.readParagraph(l.Value, func(int) source.Place { return l.At })
			}
			i++
		default:
			text, starts := d.Paragraph(i)
			first := i
			d.readParagraph(text, func(at int) source.Place {
				n, exact := slices.BinarySearch(starts, at)
				if !exact {
					n--
				}
				return d.Lines[first+n].At
			})
			i += len(starts)
		}
	}
}

// readSubjects extracts the requested premium that the subject of a mail states: "... eff 2/1/27 // target $48K".
func (d *Reader) readSubjects() {
	for number, part := range d.Parts {
		if part.Mail == nil {
			continue
		}
		subject := part.Mail.Subject
		for _, s := range prose.New(subject).Read(sumsIn(subject)) {
			if s.Field == "estimated_premium" {
				d.Propose(s.Field, subject[s.Start:s.End], source.Subject, s.Fit*fitOfSentence, source.Place{Part: number})
			}
		}
	}
}

// sumsIn returns the amounts with a currency in a text.
func sumsIn(text string) (sums []prose.Value) {
	for _, m := range parse.MoneyForm.FindAllStringSubmatchIndex(parse.WithoutYears(text), -1) {
		if m[2*4] >= 0 || m[2*7] >= 0 || m[2*8] >= 0 {
			sums = append(sums, prose.Value{Kind: vocabulary.Sum, Start: m[3], End: m[3] + len(withoutStop(text[m[3]:m[2*10]]))})
		}
	}
	return sums
}

// sentencesInCells reads the cells of a table that contain sentences.
func (d *Reader) sentencesInCells(t *content.Table, at source.Place) {
	cells, shortest := 0, minProseCell
	rows := t.Rows
	if taken := d.tables.Taken[t]; taken != nil {
		rows, shortest = layout.TitleRows(t, taken), minTitleCell
	}
	for _, row := range rows {
		for _, c := range row {
			if c.Merged || len(c.Text) < shortest && !parse.PeriodForm.MatchString(c.Text) && !namesSum(c.Text) && !namesYear(c.Text) {
				continue
			}
			if cells++; cells > maxProseCells {
				return
			}
			place := layout.CellPlace(at, c)
			d.readParagraph(words.Cut(c.Text, layout.MaxParagraph), func(int) source.Place { return place })
		}
	}
}

// namesSum reports whether a text names an amount with a currency: "target $41,000".
func namesSum(text string) bool {
	at := strings.IndexAny(text, "$£€")
	return at >= minSumName && parse.HasDigit(text[at:])
}

// namesYear reports whether a text states since when something exists: "Est. 1964".
func namesYear(text string) bool {
	return parse.YearForm.MatchString(text) && strings.ContainsFunc(text, unicode.IsLower) && prose.New(text).Mentions(vocabulary.Year)
}

const minSumName = 5 // bytes before such an amount

// readParagraph proposes what a paragraph states. place returns the origin of a place in it.
func (d *Reader) readParagraph(text string, place func(at int) source.Place) {
	if !parse.HasDigit(text) {
		return
	}
	t := prose.New(text)
	var values []prose.Value
	add := func(kind vocabulary.ValueKind, start, end int) {
		values = append(values, prose.Value{Kind: kind, Start: start, End: end})
	}
	var found []parse.DateFound
	if dated := t.Mentions(vocabulary.Date); dated || t.Mentions(vocabulary.Year) {
		found = parse.Dates(text, d.Order)
		for _, f := range found {
			if dated {
				add(vocabulary.Date, f.Start, f.End)
			}
		}
	}
	if t.Mentions(vocabulary.Sum) {
		values = append(values, sumsIn(text)...)
		values = withBare(t, text, values)
	}
	if t.Mentions(vocabulary.Year) {
		for _, m := range parse.YearForm.FindAllStringIndex(text, -1) {
			add(vocabulary.Year, m[0], m[1])
		}
	}
	if t.Mentions(vocabulary.Period) {
		for _, m := range parse.PeriodForm.FindAllStringIndex(text, -1) {
			add(vocabulary.Period, m[0], m[1])
		}
	}
	for _, s := range t.Read(values) {
		d.state(s, text, found, place(s.Start))
	}
}

// withoutStop returns an amount without the full stop of its sentence.
func withoutStop(amount string) string {
	if short := strings.TrimRight(amount, ". "); len(short) > 0 && unicode.IsDigit(rune(short[len(short)-1])) {
		return short
	}
	return amount
}

// bareSum matches a number with separators of thousands at the end of a clause, or before a word that can begin another one.
var bareSum = lazyregexp.New(`(?:^|[\s(])(\d{1,3}(?:[,.]\d{3}){1,2})(?:[.;)]?$|[.;)]\s|\s(?:all|or|if|would|will|was|is|and|I|we)\b)`)

// withBare adds the numbers without a currency to the sums of a text, if it has sums with a currency, or names both a
// premium and an expiring premium.
func withBare(t prose.Text, text string, sums []prose.Value) []prose.Value {
	if len(sums) == 0 && !(t.Names("estimated_premium") && (t.Names("expiring_premium") || t.Names("~expiring_premium"))) {
		return sums
	}
	for _, m := range bareSum.FindAllStringSubmatchIndex(text, maxBare) {
		bare := prose.Value{Kind: vocabulary.Sum, Start: m[2], End: m[3]}
		if !slices.ContainsFunc(sums, func(v prose.Value) bool { return v.Start < bare.End && bare.Start < v.End }) {
			sums = append(sums, bare)
		}
	}
	slices.SortStableFunc(sums, func(a, b prose.Value) int { return a.Start - b.Start })
	return sums
}

const maxBare = 5 // numbers without a currency in a text

const aboutBroker = 40 // bytes before a year that can say that it is the broker's

// state proposes the value of a statement. A number without a currency can only be a premium.
func (d *Reader) state(s prose.Statement, text string, found []parse.DateFound, at source.Place) {
	value := text[s.Start:s.End]
	if s.Kind == vocabulary.Sum && s.Field != "estimated_premium" && parse.IsPlainNumber(value) {
		return
	}
	if s.Field == "policy_inception_date" && ofManyPolicies.MatchString(text[s.End:]) {
		return
	}
	if s.Field == "year_founded" && parse.NamesBroker(text[max(0, s.Start-aboutBroker):s.Start]) {
		return // "Insurance brokers since 1950"
	}
	fit := s.Fit * fitOfSentence
	if s.Kind == vocabulary.Date {
		for _, f := range found {
			if f.Start == s.Start {
				value, fit = f.Text, fit*f.Fit
			}
		}
	}
	d.Propose(s.Field, value, source.Prose, fit, at)
}
