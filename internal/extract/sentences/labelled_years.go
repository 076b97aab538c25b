package sentences

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/years"
)

// yearsInLabels reads lines that each have a label for the revenue of a year: "Turnover 2025: 5,950,000". It returns
// the number of lines read, including empty ones, or 0 if fewer than two state an amount.
func (d *Reader) yearsInLabels(i int) int {
	rows, at := [][]string{{"Year", ""}}, []source.Place{{}}
	n := i
	for ; n < len(d.Lines) && n < i+maxYearRows; n++ {
		l := d.Lines[n]
		if l.Table != nil || l.At.Quoted {
			break
		}
		label, value := d.labelOf(l)
		if label == "" && n > i {
			continue
		}
		if !revenueOfYear(label) || !parse.HasDigit(value) {
			break
		}
		rows, at = append(rows, []string{label, d.InUnits(value, recognise.UnitOf(label), recognise.UnitOf(d.Above(i)), l.At.Part)}), append(at, l.At)
	}
	if !d.latestOf(rows, at) {
		return 0
	}
	return n - i
}

// yearsInRows reads the rows of a table that each have such a label, and reports whether there are at least two.
func (d *Reader) yearsInRows(t *content.Table, line int) bool {
	rows, at := [][]string{{"Year", ""}}, []source.Place{{}}
	var title strings.Builder
	title.WriteString(d.Above(line))
	for _, row := range t.Rows[:min(len(t.Rows), maxYearRows)] {
		if text := layout.OnlyCell(row); text != "" {
			title.WriteString(" " + text) // "Turnover (£000)"
		}
		if len(row) < 2 || layout.FilledCells(row) > 2 || !revenueOfYear(row[0].Text) || !parse.HasDigit(row[1].Text) {
			continue
		}
		text := d.InUnits(row[1].Text, recognise.UnitOf(row[0].Text), recognise.UnitOf(title.String()), d.Lines[line].At.Part)
		rows, at = append(rows, []string{row[0].Text, text}), append(at, layout.CellPlace(d.Lines[line].At, row[1]))
	}
	return d.latestOf(rows, at)
}

// latestOf proposes the amount of the latest complete year and drops the amounts proposed for the individual lines.
func (d *Reader) latestOf(rows [][]string, at []source.Place) bool {
	cell, ok := years.Rows(rows, years.IsRevenue, true)
	if !ok || len(rows) <= 2 {
		return false
	}
	for _, place := range at[1:] {
		d.otherYears("annual_revenue", place)
	}
	d.Propose("annual_revenue", rows[cell.Row][1], source.Label, 1, at[cell.Row])
	return true
}

// revenueOfYear reports whether a label names the revenue and its year.
func revenueOfYear(label string) bool {
	label = strings.Trim(label, "* :")
	return parse.YearForm.MatchString(label) && (years.IsRevenue(label) || years.IsRevenue(yearEnd.ReplaceAllString(label, "")))
}

// yearEnd matches the words for a year after those for revenue: "Fee income, year to 31 March 2026".
var yearEnd = vocabulary.Pattern(`(?i)[\s,–-]+(?:for\s+)?(?:the\s+)?(?:{{years.kind}}\s+)?{{years.head|years.end}}\b.{0,30}$`)
