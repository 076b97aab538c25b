package forms

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// coverTable reads the first column of a table of covers with their limits or sums
// insured, and returns the number of rows that it read.
func (r *Reader) coverTable(t *content.Table, head int, at source.Place) int {
	all := t.Rows[head:min(len(t.Rows), head+maxCoverRows)]
	t = withoutLead(t, head)
	if r.Whose == party.Other && r.Headed || at.Line < len(r.Lines) && covers.IsOther(r.Above(at.Line)) || !covers.IsHeader(layout.Texts(t.Rows[head : head+1])[0]) {
		return 0
	}
	rows := t.Rows[head:min(len(t.Rows), head+maxCoverRows)]
	for i, row := range rows {
		if i > 0 && (len(row) == 0 || strings.TrimSpace(row[0].Text) == "") {
			rows = rows[:i]
			break
		}
	}
	if crossed := covers.Crossed(layout.Texts(all[:len(rows)])); len(crossed) > 0 {
		for n, c := range crossed {
			at := layout.CellPlace(at, all[c.Line][0])
			at.Line, at.Boxed = at.Line*100+n, true
			r.Propose("coverage", c.Text, source.Synonym, c.Fit, at)
		}
		return len(rows) - 1
	}
	found := covers.Table(layout.Texts(rows))
	if len(found) == 0 {
		return 0
	}
	r.totalPremium(rows, at)
	column := limitColumn(t.Rows[head])
	for _, c := range found {
		row := rows[c.Line]
		at := layout.CellPlace(at, row[0])
		at.Line = at.Line*100 + c.Line
		r.Propose("coverage", c.Text, source.Synonym, c.Fit, at)
		if column > 0 && column < len(row) {
			r.ProposeLimit(row[0].Text, row[column].Text, source.Header, 1, layout.CellPlace(at, row[column]))
		}
		r.Propose("business_interruption_period", parse.IndemnityPeriod.FindString(layout.RowText(row)), source.Synonym, 0.9, at)
	}
	return len(rows) - 1
}

// totalPremium proposes the total of a column of premiums.
func (r *Reader) totalPremium(rows [][]content.Cell, at source.Place) {
	last := rows[len(rows)-1]
	for j, c := range rows[0] {
		m, ok := assign.ClearLabel(c.Text)
		if !ok || m.Field != "estimated_premium" || j == 0 || j >= len(last) || len(last[j].Text) == 0 {
			continue
		}
		if total, known := assign.ClearLabel(last[0].Text); known && total.Field == "estimated_premium" || covers.IsTotal(last[0].Text) {
			r.Propose("estimated_premium", last[j].Text, source.Header, 1, layout.CellPlace(at, last[j]))
		}
	}
}

// withoutLead returns the table without the empty columns before its header, and without
// those between its first columns.
func withoutLead(t *content.Table, head int) *content.Table {
	var kept []int
	for j, c := range t.Rows[head] {
		if c.Text != "" {
			kept = append(kept, j)
		}
	}
	if len(kept) < 2 || len(kept) == len(t.Rows[head]) {
		return t
	}
	rows := make([][]content.Cell, len(t.Rows))
	for i := head; i < len(t.Rows) && i < head+maxCoverRows; i++ {
		for _, j := range kept {
			if j < len(t.Rows[i]) {
				rows[i] = append(rows[i], t.Rows[i][j])
			}
		}
	}
	return &content.Table{Title: t.Title, Rows: rows}
}

const maxCoverRows = 400 // of a table of covers, with its header

// limitColumn returns the index of the column of a table of covers that states their
// limits, or -1.
func limitColumn(head []content.Cell) int {
	for i, c := range head {
		if key := words.Key(c.Text); i > 0 && (strings.Contains(key, "limit") || strings.Contains(key, "sum insured")) {
			return i
		}
	}
	return -1
}
