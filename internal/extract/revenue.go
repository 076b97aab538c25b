package extract

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/years"
	"understudy.example/internal/lazyregexp"
)

// readYears extracts the revenue from tables and lists that state it year by year.
func (d *extractor) readYears() {
	for i, l := range d.Lines {
		if l.At.Quoted {
			continue
		}
		label, value, _ := strings.Cut(pairs.WithoutMarkup(l.Text), ":")
		if l.Label != "" {
			label, value = l.Label, l.Value
		}
		if l.Table != nil {
			d.yearsTable(l.Table, i)
		} else if chosen := latest(value); chosen != value && isRevenue(strings.Trim(label, "* ")) {
			d.otherYears(l.At)
			d.Propose("annual_revenue", chosen, source.Label, 1, l.At)
		} else if isRevenue(strings.TrimRight(l.Text, ": ")) {
			d.yearsBelow(i)
		} else {
			d.yearsInSentence(i)
		}
	}
}

// contextBytes is the length of the text before a year that can say what kind of year it is.
const contextBytes = 30

// yearsInSentence reads a sentence that states the revenue of several years.
func (d *extractor) yearsInSentence(line int) {
	text := d.ranOn(line, d.Lines[line].Text)
	lower := strings.ToLower(text)
	for word := range strings.SplitSeq(revenueWords, "|") {
		at := strings.Index(lower, word)
		if at < 0 || at > len(text) {
			continue
		}
		if chosen := latest(text[at:]); chosen != text[at:] {
			d.otherYears(d.Lines[line].At)
			d.Propose("annual_revenue", chosen, source.Prose, 1, d.Lines[line].At)
			return
		}
	}
}

const maxYearRows = 60 // of a table that is searched

// yearsTable reads a table with the years in its header or in its first column.
func (d *extractor) yearsTable(t *content.Table, line int) {
	if d.tables.Taken[t] != nil || len(t.Rows) < 2 {
		return
	}
	rows := layout.Texts(t.Rows[:min(len(t.Rows), maxYearRows)])
	title := d.above(line)
	cell, ok := years.Columns(rows, isRevenue)
	if !ok {
		if cell, ok = years.Rows(rows, isRevenue, isRevenue(title) || isRevenue(t.Title)); !ok {
			return
		}
	}
	c := t.Rows[cell.Row][cell.Column]
	at := layout.CellPlace(d.Lines[line].At, c)
	unit := parse.Amount(recognise.ScaleOf(title + " " + textAt(rows, 0, 0) + " " + textAt(rows, 0, cell.Column) + " " + textAt(rows, cell.Row, 0)))
	if a, _, ok := parse.Money(c.Text); ok && a > 0 && a < parse.MostCents/unit {
		d.otherYears(at)
		d.Propose("annual_revenue", (a * unit).String(), source.Synonym, 1, at)
	}
}

// textAt returns the text of a cell; "" if the row is too short.
func textAt(rows [][]string, row, column int) string {
	if column >= len(rows[row]) {
		return ""
	}
	return rows[row][column]
}

// otherYears removes the amounts of other years at the same place.
func (d *extractor) otherYears(at source.Place) {
	d.Drop("a later year's amount is beside it", func(c resolve.Reading) bool {
		return c.Field == "annual_revenue" && c.Part == at.Part && c.Place == at.Line
	})
}

// above returns the text of the nearest line above, at most four lines away.
func (d *extractor) above(line int) string {
	for n := line - 1; n >= 0 && n >= line-4 && d.Lines[n].At.Part == d.Lines[line].At.Part; n-- {
		if d.Lines[n].Table != nil {
			return ""
		}
		if text := strings.TrimSpace(d.Lines[n].Text); text != "" {
			return strings.Trim(pairs.WithoutMarkup(text), ": ")
		}
	}
	return ""
}

// yearLine matches a line with a year and an amount.
var yearLine = lazyregexp.New(`(?i)^\W*((?:(?:forecast|projected|estimated|actual)\s+)?(?:FYE? ?|y/?e\.? ?|year end(?:ed|ing)? )?(?:(?:19|20)\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2} \pL+ \d{4})\b[^$£€\d]{0,30}?)[:\s–-]+((?:[A-Z]{3}|[$£€])?\s*\d.*)$`)

// yearInline matches a year with its amount within a line.
var yearInline = lazyregexp.New(`\b((?:FYE? ?)?(?:19|20)\d\d)[^.;\d$£€]{0,20}?((?:\b[A-Z]{3} ?|[$£€])?\d[\d.,]*\s*(?:k|m|mm|mn|bn|K|M|MM|Mio\.?|million)?(?:\s*(?:€|EUR))?)`)

// bareYear matches a year, which looks like an amount.
var bareYear = lazyregexp.New(`^(?:19|20)\d\d[.,\s]*$`)

// revenueWords are words, one of which stands before the revenue in a sentence.
const revenueWords = "turnover|revenue|sales|receipts|billings|income|umsatz|omzet|chiffre|facturación|ventas"

// latest returns the amount of the latest year in a value that states several years, or
// the value.
func latest(value string) string {
	rows := [][]string{{"Year", ""}}
	last := 0
	for _, m := range yearInline.FindAllStringSubmatchIndex(value, 10) {
		if bareYear.MatchString(value[m[4]:m[5]]) {
			continue
		}
		before := value[max(last, m[2]-contextBytes):m[2]] // says whether the amount is projected
		rows = append(rows, []string{strings.ToValidUTF8(before, "") + value[m[2]:m[4]], value[m[4]:m[5]]})
		last = m[1]
	}
	if cell, ok := years.Rows(rows, isRevenue, true); ok && len(rows) > 2 {
		return rows[cell.Row][1]
	}
	if len(rows) == 2 && strings.HasPrefix(strings.TrimSpace(value), strings.TrimSpace(rows[1][0])) {
		return rows[1][1] // "2025: 1,905,000"
	}
	return value
}

// yearsBelow reads lines with a year and an amount each, below a line that names the
// revenue.
func (d *extractor) yearsBelow(line int) {
	rows, at := [][]string{{"Year", ""}}, []source.Place{{}}
	for n := line + 1; n < len(d.Lines) && n <= line+10 && d.Lines[n].Table == nil; n++ {
		text := strings.TrimSpace(pairs.WithoutMarkup(d.Lines[n].Text))
		if m := yearLine.FindStringSubmatch(text); m != nil {
			rows, at = append(rows, []string{m[1], m[2]}), append(at, d.Lines[n].At)
		} else if text != "" {
			break
		}
	}
	if cell, ok := years.Rows(rows, isRevenue, true); ok && len(rows) > 2 {
		d.Propose("annual_revenue", rows[cell.Row][1], source.Label, 1, at[cell.Row])
	}
}

// isRevenue reports whether a text names the revenue of a company.
func isRevenue(text string) bool {
	if text == "" || len(text) > 80 {
		return false
	}
	m, ok := recognise.Label(text)
	return ok && m.Field == "annual_revenue"
}
