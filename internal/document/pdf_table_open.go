package document

import (
	"math"
	"sort"
	"strings"
)

// openTables finds tables without rules: at least three lines after each other
// whose segments stand in the same three or more columns.
func openTables(lines []textLine) []item {
	var items []item
	for i := 0; i < len(lines); {
		if n, table := openTableAt(lines[i:]); n > 0 {
			items = append(items, item{top: lines[i].y + lines[i].size, table: table})
			i += n
			continue
		}
		items = append(items, item{top: lines[i].y + lines[i].size, line: &lines[i]})
		i++
	}
	return items
}

type column struct{ from, to float64 }

// openTableAt grows a table from the first line while the columns stay apart.
func openTableAt(lines []textLine) (int, *Table) {
	if len(lines) < 3 || len(lines[0].segments) < 3 {
		return 0, nil
	}
	most := len(lines[0].segments)
	var columns []column
	n := 0
	further := map[int]bool{} // lines on which cells go on
	for n < len(lines) && n < 2000 {
		l := &lines[n]
		if n > 0 && goesOnIn(columns, l) && lines[n-1].y-l.y <= 1.5*l.size {
			further[n] = true
			n++
			continue
		}
		if len(l.segments) < 2 || n > 0 && lines[n-1].y-l.y > 4*l.size {
			break
		}
		wider := spread(columns, l)
		if len(wider) < max(most, len(l.segments)) || len(wider) > most+3 {
			break
		}
		columns, most = wider, max(most, len(l.segments))
		n++
	}
	full, cells, letters := 0, 0, 0
	for n > 0 && further[n-1] && !further[n-2] && len(lines[n-1].segments) == 1 && len(lines[n-2].segments) < 3 {
		n-- // text under the table
	}
	for _, l := range lines[:n] {
		full += boolInt(len(l.segments) >= 3)
		for _, s := range l.segments {
			cells++
			letters += len(s.text)
		}
	}
	// Longer texts are columns of prose.
	if full < 3 || len(columns) < 3 || letters > 30*cells {
		return 0, nil
	}
	t := &Table{}
	for i, l := range lines[:n] {
		row := make([]Cell, len(columns))
		if further[i] && len(t.Rows) > 0 {
			row = t.Rows[len(t.Rows)-1]
		}
		for _, s := range l.segments {
			for c := range columns {
				if s.x0 < columns[c].to && s.x1 > columns[c].from {
					row[c].Text = strings.TrimSpace(row[c].Text + " " + s.text)
					break
				}
			}
		}
		if further[i] && len(t.Rows) > 0 {
			continue
		}
		t.Rows = append(t.Rows, row)
		nameCells(row, len(t.Rows))
	}
	return n, t
}

// goesOnIn tells whether a line only goes on with cells of the line above: each
// of its segments lies in one column, and none in the first.
func goesOnIn(columns []column, l *textLine) bool {
	if len(columns) < 3 || len(l.segments) >= len(columns) {
		return false
	}
	for _, s := range l.segments {
		hits := 0
		for i, c := range columns {
			if s.x0 < c.to && s.x1 > c.from {
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

// spread widens the columns by a line's segments; segments that overlap share
// a column.
func spread(columns []column, l *textLine) []column {
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
