package pdf

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
)

// Limits of a header above the uppermost rule of a table.
const (
	minHeaderColumns = 4   // of the table
	maxHeaderLines   = 5   // of a cell of the header
	headerGap        = 2.5 // between its lines, and above the rule, in multiples of the size of the text
)

// addHeader adds a header that stands above the uppermost rule of a table whose first row is no
// header. The texts of the header stand between the borders of the columns. It returns the text that
// is not part of the header.
func (g *grid) addHeader(t *content.Table, segments []segment, locator locator) []segment {
	columns := len(g.xs) - 1
	if columns < minHeaderColumns || len(t.Rows[0]) != columns || filledWithDigits(t.Rows[0]) < 2 {
		return segments
	}
	var above []segment
	for _, s := range segments {
		if s.y > g.top()-1 && s.y < g.top()+headerGap*s.size*maxHeaderLines && s.x1 > g.xs[0] && s.x0 < g.xs[columns] {
			above = append(above, s)
		}
	}
	lines := textLines(above)
	slices.Reverse(lines)
	cells := make([][]segment, columns)
	used := map[segment]bool{}
	bottom := g.top()
	for _, l := range lines[:min(len(lines), maxHeaderLines)] {
		if l.y-bottom > headerGap*l.size {
			break
		}
		inColumns := make([][]segment, columns)
		fits := true
		for _, s := range l.segments {
			j := g.columnAround(s)
			if j < 0 {
				fits = false
				break
			}
			inColumns[j] = append(inColumns[j], s)
		}
		if !fits {
			break
		}
		for j, list := range inColumns {
			for _, s := range list {
				cells[j] = append(cells[j], s)
				used[s] = true
			}
		}
		bottom = l.y
	}
	filled := 0
	row := make([]content.Cell, columns)
	for j, cell := range cells {
		if len(cell) > 0 {
			filled++
		}
		row[j].Text = strings.ReplaceAll(cellText(cell, g.xs[j+1]), "\n", " ")
		row[j].Spans = locator.locate(cell)
	}
	if filled < columns-1 || filledWithDigits(row) > filled/2 {
		return segments
	}
	t.Rows = append([][]content.Cell{row}, t.Rows...)
	for i, r := range t.Rows {
		setRefs(r, i+1)
	}
	return slices.DeleteFunc(slices.Clone(segments), func(s segment) bool { return used[s] })
}

// columnAround returns the column that contains a whole segment, or -1.
func (g *grid) columnAround(s segment) int {
	for j := range len(g.xs) - 1 {
		if s.x0 >= g.xs[j]-2 && s.x1 <= g.xs[j+1]+2 {
			return j
		}
	}
	return -1
}

// filledWithDigits returns the number of cells that contain digits.
func filledWithDigits(row []content.Cell) (n int) {
	for _, c := range row {
		if strings.ContainsAny(c.Text, "0123456789") {
			n++
		}
	}
	return n
}
