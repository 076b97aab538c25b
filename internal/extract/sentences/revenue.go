package sentences

import (
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/extract/years"
	"understudy.example/internal/lazyregexp"
)

// ReadYears extracts the revenue from tables and lists that state it year by year.
func (d *Reader) ReadYears() {
	for i := 0; i < len(d.Lines); i++ {
		l := d.Lines[i]
		if l.At.Quoted {
			continue
		}
		if l.Table != nil {
			d.yearsTable(l.Table, i)
		} else if n := d.yearsInLabels(i); n > 0 {
			i += n - 1
		} else if !d.totalBelow(i) {
			d.yearsInLine(i)
		}
	}
}

// yearsInLine reads a line that states the revenue of several years, or names the revenue above such lines.
func (d *Reader) yearsInLine(i int) {
	l := d.Lines[i]
	for _, name := range otherAccounts {
		if chosen, ok := d.belowYears(i, named(name)); ok {
			d.otherYears(name, l.At)
			d.Propose(name, chosen, source.Label, 1, l.At)
			return
		}
	}
	label, value := d.labelOf(l)
	about := years.IsRevenue(strings.Trim(label, "* "))
	if about && d.yearsFrom(i, value) {
		return
	}
	if chosen, ok := d.belowYears(i, years.IsRevenue); ok {
		d.otherYears("annual_revenue", l.At)
		d.Propose("annual_revenue", chosen, source.Label, 1, l.At)
	} else if chosen, ok := years.Paired(label, value); about && ok {
		d.otherYears("annual_revenue", l.At)
		d.Propose("annual_revenue", chosen, source.Label, 1, l.At)
	} else if chosen := years.Latest(value); about && chosen != value {
		d.otherYears("annual_revenue", l.At)
		d.Propose("annual_revenue", chosen, source.Label, 1, l.At)
	} else if years.IsRevenue(words.Unnumbered(strings.TrimRight(l.Text, ": "))) {
		d.yearsBelow(i)
	} else {
		d.yearsInSentence(i, about && value != "")
	}
}

// labelOf splits a line into a label and its value, at a colon or a wide gap.
func (d *Reader) labelOf(l layout.Line) (label, value string) {
	if l.Label != "" {
		return l.Label, l.Value
	}
	text := pairs.WithoutMarkup(l.Text)
	label, value, ok := strings.Cut(text, ":")
	if columns := pairs.ColumnsOf(text); !ok && len(columns) > 1 {
		return columns[0], strings.Join(columns[1:], " ")
	}
	return label, value
}

var revenueWords = sync.OnceValue(func() []string { return vocabulary.Terms("years.revenue") })

const minPlain = 5 // minimum length of an amount without a currency or unit

// yearBefore matches a year before the words for revenue.
var yearBefore = lazyregexp.New(`\b(?:FYE? ?)?(?:19|20)\d\d [\pL ]{0,12}$`)

// yearsInSentence reads a sentence that states the revenue of several years. If the line has a label for the revenue,
// one year is not enough, because the value of the label is known.
func (d *Reader) yearsInSentence(line int, labelled bool) {
	text := d.RanOn(line, d.Lines[line].Text)
	lower := strings.ToLower(text)
	for _, word := range revenueWords() {
		at := strings.Index(lower, word)
		if at < 0 || at > len(text) {
			continue
		}
		if before := yearBefore.FindStringIndex(text[:at]); before != nil {
			at = before[0] // "2031 gross revenue 5m (2030: 4m)"
		}
		chosen, ok := years.Several(text[at:])
		if !ok && !labelled {
			chosen = years.Latest(text[at:])
			ok = chosen != text[at:]
		}
		if amount := strings.TrimSpace(chosen); ok && !(parse.IsPlainNumber(amount) && len(amount) < minPlain) { // "in 2025 and has 512 employees"
			d.otherYears("annual_revenue", d.Lines[line].At)
			d.Propose("annual_revenue", chosen, source.Prose, 1, d.Lines[line].At)
			return
		}
	}
}

const maxYearRows = 60 // of a table that is searched

// yearsTable reads a table with the years in its header or in its first column.
func (d *Reader) yearsTable(t *content.Table, line int) {
	if d.tables.Taken[t] != nil || len(t.Rows) < 2 {
		return
	}
	if d.yearsInRows(t, line) {
		return
	}
	rows := layout.Texts(t.Rows[:min(len(t.Rows), maxYearRows)])
	title := d.Above(line)
	cell, ok := revenueCell(rows, aboutRevenue(title) || years.IsRevenue(t.Title))
	if head := layout.HeadAbove(title, widest(rows)); !ok && head != nil {
		cell, ok = years.Columns(append([][]string{head}, rows...), years.IsRevenue)
		cell.Row--
	}
	if ok {
		d.proposeYear("annual_revenue", t, rows, cell, line)
	}
	for _, name := range otherAccounts {
		cell, ok := years.Columns(rows, named(name))
		if !ok {
			cell, ok = years.Rows(rows, named(name), false)
		}
		if ok {
			d.proposeYear(name, t, rows, cell, line)
		}
	}
}

// widest returns the number of cells of the longest row.
func widest(rows [][]string) (n int) {
	for _, row := range rows {
		n = max(n, len(row))
	}
	return n
}

// revenueCell returns the place of the revenue in a table. If the heading above the table names the revenue, the table
// itself does not have to: years in its columns or rows are enough.
func revenueCell(rows [][]string, about bool) (years.Cell, bool) {
	if cell, ok := years.Columns(rows, years.IsRevenue); ok {
		return cell, true
	}
	if cell, ok := years.Rows(rows, years.IsRevenue, about); ok {
		return cell, true
	}
	if about {
		if cell, ok := years.Columns(rows, column.IsTotal); ok {
			return cell, true // the other rows are territories
		}
		if cell, ok := grandTotal(rows); ok {
			return cell, true
		}
	}
	return totalRow(rows)
}

// aboutRevenue reports whether a heading names the revenue, alone or after a section number: "Section B. Revenues".
func aboutRevenue(heading string) bool {
	if at := strings.LastIndex(heading, ". "); at > 0 && years.IsRevenue(heading[at+2:]) {
		return true
	}
	return years.IsRevenue(heading)
}

// totalBelow reads the lines of a table that splits the revenue, whose header is line i, and reports
// whether they end with a total.
func (d *Reader) totalBelow(i int) bool {
	if text := d.Lines[i].Text; len(text) > maxSplitHeader || !strings.Contains(text, "\t") && !strings.Contains(text, columnGap) {
		return false
	}
	rows := [][]string{pairs.ColumnsOf(d.Lines[i].Text)}
	if len(rows[0]) < 2 || !slices.ContainsFunc(rows[0][1:], years.IsRevenue) {
		return false
	}
	for n := i + 1; n < len(d.Lines) && len(rows) < maxYearRows && d.Lines[n].Table == nil; n++ {
		row := pairs.ColumnsOf(pairs.WithoutMarkup(d.Lines[n].Text))
		if len(row) != len(rows[0]) {
			break
		}
		rows = append(rows, row)
	}
	cell, ok := totalRow(rows)
	if !ok {
		return false
	}
	for n := range rows {
		d.otherYears("annual_revenue", d.Lines[i+n].At)
	}
	d.Propose("annual_revenue", rows[cell.Row][cell.Column], source.Synonym, 1, d.Lines[i+cell.Row].At)
	return true
}

const (
	maxSplitHeader = 120 // bytes of the header
	columnGap      = "   "
)

// thousands matches a number whose points separate groups of three digits.
var thousands = lazyregexp.New(`^\s*\d{1,3}(?:\.\d{3})+\s*$`)

// textAt returns the text of a cell; "" if the row is too short.
func textAt(rows [][]string, row, column int) string {
	if column >= len(rows[row]) {
		return ""
	}
	return rows[row][column]
}

// otherYears removes the values of other years at the same place.
func (d *Reader) otherYears(name string, at source.Place) {
	d.Drop("a later year's amount is beside it", func(c resolve.Reading) bool {
		return c.Field == name && c.Part == at.Part && c.Place == at.Line
	})
}

// yearLine matches a line with a year and an amount.
var yearLine = vocabulary.Pattern(`(?i)^\W*((?:{{years.lead}}\b[^:$£€]{3,50}|(?:{{years.status}}\s+)?(?:{{years.end}}\.? ?)?(?:(?:19|20)\d\d(?:/\d\d)?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2} \pL+ \d{4}|\pL{3,9}\.? \d{1,2}, (?:19|20)\d\d)\b[^$£€\d]{0,30}?))[:\s–-]+((?:[A-Z]{3}|Euro|[$£€])?\s*\d.*)$`)

// yearsFrom reads the revenue of several years if the first of them is the value of line's label, and each of the
// others is on a line below. It reports whether there are others.
func (d *Reader) yearsFrom(line int, value string) bool {
	m := yearLine.FindStringSubmatch(strings.TrimSpace(value))
	return m != nil && line+1 < len(d.Lines) && d.yearsBelow(line, yearRow(m))
}

// yearsBelow reads the lines below a line that names the revenue, if each has a year and an amount. first has the year
// and the amount of the line itself, if it has them. It reports whether there are at least two years in all.
func (d *Reader) yearsBelow(line int, first ...[]string) bool {
	rows, at := append([][]string{{"Year", ""}}, first...), make([]source.Place, 1+len(first))
	if len(first) > 0 {
		at[1] = d.Lines[line].At
	}
	for n := line + 1; n < len(d.Lines) && n <= line+10 && d.Lines[n].Table == nil; n++ {
		text := strings.TrimSpace(pairs.WithoutMarkup(d.Lines[n].Text))
		if m := yearLine.FindStringSubmatch(text); m != nil {
			rows, at = append(rows, yearRow(m)), append(at, d.Lines[n].At)
		} else if text != "" {
			break
		}
	}
	cell, ok := years.Rows(rows, years.IsRevenue, true)
	if !ok || len(rows) <= 2 {
		return false
	}
	d.otherYears("annual_revenue", d.Lines[line].At)
	d.Drop("it is the budget of a year", func(c resolve.Reading) bool {
		return c.Field == "estimated_premium" && slices.ContainsFunc(at[1:], func(p source.Place) bool { return c.Part == p.Part && c.Place == p.Line })
	})
	d.Propose("annual_revenue", rows[cell.Row][1], source.Label, 1, at[cell.Row])
	return true
}

// yearRow returns the year and the amount of a match of yearLine. What stands in brackets behind the amount
// describes the year: "(estimate)".
func yearRow(m []string) []string {
	amount, note, _ := strings.Cut(m[2], "(")
	return []string{m[1] + " " + note, amount}
}
