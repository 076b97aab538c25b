package pdf

import (
	"math"
	"sort"
	"strings"

	"understudy.example/internal/document/content"
)

// alignedTables finds tables without rules: at least three consecutive lines
// whose segments stand in the same three or more columns. It returns them with
// the other lines as items.
func alignedTables(lines []textLine, locator locator) []item {
	var items []item
	for i := 0; i < len(lines); {
		if n, table := alignedTableAt(lines[i:], locator); n > 0 {
			items = append(items, item{top: lines[i].y + lines[i].size, table: table})
			i += n
			continue
		}
		items = append(items, item{top: lines[i].y + lines[i].size, line: &lines[i]})
		i++
	}
	return items
}

// alignedTableAt reads the table that starts at the first line and returns the
// number of lines that it takes.
func alignedTableAt(lines []textLine, locator locator) (int, *content.Table) {
	if len(lines) < 3 || len(lines[0].segments) < 3 {
		return 0, nil
	}
	n, columns, continued, headings := alignedLines(lines)
	full, cells, letters := 0, 0, 0
	for _, l := range lines[:n] {
		if len(l.segments) >= 3 {
			full++
		}
		for _, s := range l.segments {
			cells++
			letters += len(s.text)
		}
	}
	// Longer texts are columns of prose.
	if full < 3 || len(columns) < 3 || letters > 30*cells {
		return 0, nil
	}
	t := &content.Table{}
	for i, l := range lines[:n] {
		continues := continued[i] && len(t.Rows) > 0
		row := make([]content.Cell, len(columns))
		if headings[i] {
			row[0].Text, row[0].Spans = l.segments[0].text, locator.locate(l.segments)
			t.Rows = append(t.Rows, row)
			content.SetRefs(row, len(t.Rows))
			continue
		}
		if continues {
			row = t.Rows[len(t.Rows)-1]
		}
		addToColumns(row, columns, l.segments, locator)
		if !continues {
			t.Rows = append(t.Rows, row)
			content.SetRefs(row, len(t.Rows))
		}
	}
	return n, t
}

// alignedLines returns the number of lines whose segments stand in columns that
// stay apart, these columns, the lines that only continue cells of the line
// above, and those that are headings between rows.
func alignedLines(lines []textLine) (n int, columns []column, continued, headings map[int]bool) {
	most := len(lines[0].segments)
	continued, headings = map[int]bool{}, map[int]bool{}
	for n < len(lines) && n < 2000 {
		l := &lines[n]
		if n > 0 && n+1 < len(lines) && headsRows(columns, l, &lines[n+1]) && lines[n-1].y-lines[n+1].y <= 8*l.size {
			headings[n] = true
			n++
			continue
		}
		if n > 0 && continuesCells(columns, l) && lines[n-1].y-l.y <= 1.5*l.size {
			continued[n] = true
			n++
			continue
		}
		if len(l.segments) < 2 || n > 0 && lines[n-1].y-l.y > 4*l.size {
			break
		}
		wider := widen(columns, l)
		if len(wider) < max(most, len(l.segments)) || len(wider) > most+3 || joinsDistant(columns, wider, lines[:n+1], continued) {
			break
		}
		columns, most = wider, max(most, len(l.segments))
		n++
	}
	for n > 0 && continued[n-1] && !continued[n-2] && len(lines[n-1].segments) == 1 && len(lines[n-2].segments) < 3 {
		n-- // it is text below the table
	}
	return n, columns, continued, headings
}

// headsRows reports whether a line between the rows of a table states the place of the rows below it:
// "Site B: 9 Oak Row, Bend, OR 97701". Such a line begins in the first column and extends over others,
// and the next line is a row.
func headsRows(columns []column, l, next *textLine) bool {
	if len(columns) < minHeaded || len(l.segments) != 1 || len(next.segments)*2 <= len(columns) {
		return false
	}
	s := l.segments[0]
	if !columns[0].contains(s) && s.x0 > columns[1].from || !columns[1].contains(s) || !strings.Contains(s.text, ",") || !strings.ContainsAny(s.text, "0123456789") {
		return false
	}
	return len(widen(columns, next)) == len(columns)
}

const minHeaded = 4 // columns of a table with headings between its rows

// maxJoined is the widest gap between texts that can be one cell, in multiples of the size of
// the text.
const maxJoined = 4

// joinsDistant reports whether two texts of a line, with a wide gap between them, would be in the
// same column. Then the lines are those of a form and not of a table. Signs of currencies, which
// can stand far from their amounts, do not count. The columns before the last line joined no such
// texts, so the lines before it are only examined if it joins columns.
func joinsDistant(before, columns []column, lines []textLine, continued map[int]bool) bool {
	first := len(lines) - 1
	if joinsColumns(before, columns) {
		first = max(0, first-maxExamined)
	}
	for n := first; n < len(lines); n++ {
		l := lines[n]
		if continued[n] || len(l.segments) == 1 {
			continue
		}
		for i := 1; i < len(l.segments); i++ {
			left, right := l.segments[i-1], l.segments[i]
			if right.x0-left.x1 < maxJoined*l.size || len(left.text) <= maxSign {
				continue
			}
			for _, c := range columns {
				if c.contains(left) && c.contains(right) {
					return true
				}
			}
		}
	}
	return false
}

// maxExamined is the maximum number of lines that are examined again when columns are joined.
const maxExamined = 50

// joinsColumns reports whether one of the columns takes the positions of two that were there before.
func joinsColumns(before, columns []column) bool {
	for _, c := range columns {
		n := 0
		for _, b := range before {
			if b.from < c.to && b.to > c.from {
				n++
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

const maxSign = 3 // bytes of a sign or code of a currency

// column is the range of positions that a column of a table takes.
type column struct{ from, to float64 }

func (c column) contains(s segment) bool { return s.x0 < c.to && s.x1 > c.from }

// addToColumns adds segments to the cells of a row, each to its first column.
func addToColumns(row []content.Cell, columns []column, segments []segment, locator locator) {
	for _, s := range segments {
		for c := range columns {
			if columns[c].contains(s) {
				row[c].Text = strings.TrimSpace(joinLine(row[c].Text, s.text))
				row[c].Spans = append(row[c].Spans, locator.locate([]segment{s})...)
				break
			}
		}
	}
}

// continuesCells reports whether a line only continues cells of the line above:
// each of its segments lies in one column, and none in the first.
func continuesCells(columns []column, l *textLine) bool {
	if len(columns) < 3 || len(l.segments) >= len(columns) {
		return false
	}
	for _, s := range l.segments {
		hits := 0
		for i, c := range columns {
			if c.contains(s) {
				if hits++; i == 0 {
					return false
				}
			}
		}
		if hits != 1 {
			return false
		}
	}
	return true
}

// widen widens the columns by the segments of a line. Segments that overlap
// share a column.
func widen(columns []column, l *textLine) []column {
	all := append([]column(nil), columns...)
	for _, s := range l.segments {
		all = append(all, column{s.x0, math.Max(s.x1, s.x0+0.1)})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].from < all[j].from })
	out := all[:1]
	for _, c := range all[1:] {
		if last := &out[len(out)-1]; c.from < last.to {
			last.to = math.Max(last.to, c.to)
			continue
		}
		out = append(out, c)
	}
	return out
}
