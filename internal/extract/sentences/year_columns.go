package sentences

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/years"
	"understudy.example/internal/field"
)

// otherAccounts are the fields that can be stated by years, besides the revenue.
var otherAccounts = []string{"annual_payroll", "total_full_time_employees"}

// named returns a function that reports whether a label names the field.
func named(name string) func(label string) bool {
	return func(label string) bool {
		m, ok := recognise.Label(label)
		return ok && m.Field == name
	}
}

// proposeYear proposes the value of a cell, which is that of the latest complete year, and drops those of the other years
// in the table.
func (d *Reader) proposeYear(name string, t *content.Table, rows [][]string, cell years.Cell, line int) {
	c := t.Rows[cell.Row][cell.Column]
	at := layout.CellPlace(d.Lines[line].At, c)
	text := c.Text
	if thousands.MatchString(text) {
		text = strings.ReplaceAll(text, ".", "")
	}
	text = pairs.WithoutMarkup(text)
	if candidate.Kinds[name] != field.Money {
		d.otherYears(name, at)
		d.Propose(name, text, source.Synonym, 1, at)
		return
	}
	unit := parse.Amount(recognise.ScaleOf(d.Above(line) + " " + textAt(rows, 0, 0) + " " + textAt(rows, 0, cell.Column) + " " + textAt(rows, cell.Row, 0)))
	if a, _, ok := parse.Money(text); ok && a > 0 && a < parse.MostCents/unit {
		d.otherYears(name, at)
		d.Propose(name, (a * unit).String(), source.Synonym, 1, at)
	}
}

// belowYears returns the amount of the latest year in a line of columns below a line with the years.
func (d *Reader) belowYears(i int, wanted func(label string) bool) (string, bool) {
	text := d.Lines[i].Text
	if !strings.Contains(text, "  ") && !strings.Contains(text, "\t") {
		return "", false
	}
	cells := pairs.Cells(text)
	if len(cells) <= minYears || !wanted(cells[0]) {
		return "", false
	}
	for n := i - 1; n >= max(i-belowHead, 0) && d.Lines[n].At.Part == d.Lines[i].At.Part; n-- {
		if cell, ok := years.Columns([][]string{layout.HeadAbove(d.Lines[n].Text, len(cells)), cells}, wanted); ok {
			return cells[cell.Column], true
		}
	}
	return "", false
}

const belowHead = 6 // lines of columns below a line with the years

const minYears = 2 // columns with years
