package layout

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// maxAlone limits the rows at either end of a table that are read as lines of text.
const maxAlone = 40

// aloneRows counts the rows at the beginning and at the end of a table that have at most one
// text: titles, letterheads and notes of a sheet.
func aloneRows(t *content.Table) (head, foot int) {
	for head < min(len(t.Rows), maxAlone) && FilledCells(t.Rows[head]) <= 1 {
		head++
	}
	for foot < min(len(t.Rows)-head, maxAlone) && FilledCells(t.Rows[len(t.Rows)-1-foot]) <= 1 {
		foot++
	}
	return head, foot
}

// addAlone adds the only texts of rows as lines.
func (d *Document) addAlone(rows [][]content.Cell, at source.Place) {
	for _, row := range rows {
		at.Line = len(d.Lines)
		l := Line{At: at}
		for _, c := range row {
			if !c.Merged && c.Text != "" {
				l.At = CellPlace(l.At, c)
				l.Text = strings.TrimSpace(words.Cut(strings.ReplaceAll(c.Text, "\n", " "), MaxLine))
				break
			}
		}
		d.Lines = append(d.Lines, l)
	}
	if len(rows) > 0 {
		at.Line = len(d.Lines)
		d.Lines = append(d.Lines, Line{At: at})
	}
}
