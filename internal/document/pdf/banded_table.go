package pdf

import (
	"math"
	"slices"
	"sort"
	"strings"

	"understudy.example/internal/document/content"
)

// Limits of tables whose rows have several lines of text.
const (
	bandGap      = 1.45 // maximum distance of the lines of a row, in multiples of the size of the text
	denseBandGap = 1.25 // the same in tables with little space between the rows
	maxBandGap   = 6.0  // maximum distance between rows, in the same unit
	minRuled     = 0.5  // part of the width of a line that a rule must exceed to separate rows
	minBanded    = 5    // columns
	minSingle    = 3    // columns whose cells have one line
	minNumbered  = 2    // columns whose cells are numbers below the first row
	maxBandLines = 8    // of a row
)

// Limits of the cells that are examined to find such tables. A cell can be examined several times.
const (
	maxBandCells      = 100_000 // of a page, for each gap
	maxBandCellsInAll = 1_000_000
)

// rowBand is a group of lines that is separated from the others by a wider gap or by a rule.
type rowBand struct {
	lines       []textLine
	columns     []column
	top, bottom float64 // baselines of the first and of the last line
	size        float64
}

// bandedTables finds tables without vertical rules, some of whose rows have cells with several
// lines. The other cells of such a row can stand beside the first of these lines or in the middle
// between them. It returns the tables and the other segments. cells is the number of cells that have
// been examined in the document.
func bandedTables(segments []segment, horizontal []rule, locator locator, cells *int) (items []item, rest []segment) {
	rest = segments
	separators := mergeRules(horizontal)
	for _, gap := range []float64{bandGap, denseBandGap} {
		bands := rowBands(textLines(rest), separators, gap)
		rest = nil
		several := slices.ContainsFunc(bands, rowBand.isSeveral)
		left := min(maxBandCells, maxBandCellsInAll-*cells)
		for i := 0; i < len(bands); {
			n := 0
			if several && left > 0 {
				var columns []column
				var examined int
				n, columns, examined = bandsInColumns(bands[i:], left)
				left, *cells = left-examined, *cells+examined
				if table := bandedTable(bands[i:i+n], columns, locator); table != nil {
					items = append(items, item{top: bands[i].top + bands[i].size, table: table})
				} else {
					n = 0
				}
			}
			if n == 0 {
				for _, l := range bands[i].lines {
					rest = append(rest, l.segments...)
				}
				n = 1
			}
			i += n
		}
	}
	return items, rest
}

// rowBands groups lines, from top to bottom.
func rowBands(lines []textLine, separators []rule, gap float64) (bands []rowBand) {
	next := len(separators) // separators are sorted by position, from the bottom
	for _, l := range lines {
		starts := len(bands) == 0
		if !starts {
			last := &bands[len(bands)-1]
			size := math.Max(last.lines[len(last.lines)-1].size, l.size)
			starts = last.bottom-l.y > gap*size || len(last.lines) >= 2*maxBandLines
			for next > 0 && separators[next-1].at > last.bottom+0.5*size {
				next--
			}
			width := 0.0
			for k := next - 1; k >= 0 && separators[k].at > l.y+0.3*size; k-- {
				if separators[k].at < last.bottom {
					width += separators[k].to - separators[k].from
				}
			}
			starts = starts || width > minRuled*(l.segments[len(l.segments)-1].x1-l.segments[0].x0) && width > 0
		}
		if starts {
			bands = append(bands, rowBand{top: l.y, size: l.size})
		}
		band := &bands[len(bands)-1]
		band.lines, band.bottom, band.size = append(band.lines, l), l.y, math.Max(band.size, l.size)
		band.columns = widen(band.columns, &l)
	}
	return bands
}

// isSeveral reports whether the band has several lines.
func (b rowBand) isSeveral() bool { return len(b.lines) > 1 }

// bandsInColumns returns the number of bands from the first one whose segments stand in columns that
// stay apart, these columns, and the number of cells that it has examined. It stops at that limit.
func bandsInColumns(bands []rowBand, limit int) (n int, columns []column, examined int) {
	if len(bands[0].columns)*5 <= minBanded*4 {
		return 0, nil, 1
	}
	most := 0
	for n < len(bands) && examined < limit {
		b := &bands[n]
		if len(b.columns) < 3 || len(b.lines) > maxBandLines || n > 0 && bands[n-1].bottom-b.top > maxBandGap*b.size {
			break
		}
		wider := columns
		for i := range b.lines {
			examined += len(wider) + len(b.lines[i].segments)
			wider = widen(wider, &b.lines[i])
		}
		if len(wider) < max(most, len(b.columns)) || n > 0 && len(wider) > most+3 {
			break
		}
		columns, most = wider, max(most, len(b.columns))
		n++
	}
	return n, columns, examined + 1
}

// bandedTable reads a header and rows as a table. It returns nil if no row has several lines, or if
// too few columns have cells of one line or of numbers, as in running text and in forms.
func bandedTable(bands []rowBand, columns []column, locator locator) *content.Table {
	if len(bands) < 2 || len(columns) < minBanded || !slices.ContainsFunc(bands[1:], rowBand.isSeveral) {
		return nil
	}
	inside := make([][][]segment, len(bands))
	for n := range bands {
		if inside[n] = bands[n].cells(columns); !bands[n].isRow(inside[n], n == 0) {
			return nil
		}
	}
	several, ones := singleLines(inside)
	if !several || ones < minSingle || ones*2 < len(columns) {
		return nil
	}
	t := &content.Table{}
	cells, letters := 0, 0
	rights := cellEdges(inside, columns)
	for n := range bands {
		row := make([]content.Cell, len(columns))
		for c, cell := range inside[n] {
			row[c].Text, row[c].Spans = cellText(cell, rights[c]), locator.locate(cell)
			if row[c].Text != "" {
				cells++
				letters += len(row[c].Text)
			}
		}
		t.Rows = append(t.Rows, row)
		content.SetRefs(row, len(t.Rows))
	}
	least := minNumbered
	if len(bands) == 2 {
		least = 2 * minNumbered
	}
	if letters > 30*cells || numberColumns(t.Rows[1:], len(columns)) < least {
		return nil
	}
	return t
}

// cells returns the segments of a band by column.
func (b *rowBand) cells(columns []column) [][]segment {
	cells := make([][]segment, len(columns))
	for _, l := range b.lines {
		for _, s := range l.segments {
			// The columns are sorted and do not overlap.
			c := sort.Search(len(columns), func(i int) bool { return columns[i].to > s.x0 })
			cells[c] = append(cells[c], s)
		}
	}
	return cells
}

// isRow reports whether the cells of a band can be a row: at least two cells have one line, and all
// cells of one line are on one baseline. The first row, which can be a header, must instead have a cell
// in nearly every column.
func (b *rowBand) isRow(cells [][]segment, first bool) bool {
	anchor, anchored, filled := 0.0, 0, 0
	for _, cell := range cells {
		if len(cell) > 0 {
			filled++
		}
		if len(textLines(cell)) != 1 {
			continue
		}
		if anchored++; anchored == 1 {
			anchor = cell[0].y
		} else if math.Abs(anchor-cell[0].y) > 0.5*b.size {
			return false
		}
	}
	if first {
		return filled*5 > len(cells)*4
	}
	return anchored >= 2
}

// singleLines returns the number of columns whose cells below the first row all have at most one line,
// and reports whether another column has a cell of several lines.
func singleLines(rows [][][]segment) (several bool, ones int) {
	for c := range rows[0] {
		if slices.ContainsFunc(rows[1:], func(row [][]segment) bool { return len(textLines(row[c])) > 1 }) {
			several = true
		} else {
			ones++
		}
	}
	return several, ones
}

// cellEdges returns the right edges of the columns. A column has none if most of its lines end where
// the next word would have fit, because then each line is a text of its own, such as a name, a street
// and a city.
func cellEdges(rows [][][]segment, columns []column) []float64 {
	edges := make([]float64, len(columns))
	for c := range columns {
		edges[c] = columns[c].to
		whole, breaks := 0, 0
		for _, row := range rows[1:] {
			lines := textLines(row[c])
			for i := 1; i < len(lines); i++ {
				breaks++
				if above := lines[i-1].segments; above[len(above)-1].x1+lines[i].firstWord()+0.6*lines[i].size < columns[c].to {
					whole++
				}
			}
		}
		if whole*2 >= breaks && breaks > 0 {
			edges[c] = math.Inf(1)
		}
	}
	return edges
}

// numberColumns returns the number of columns whose cells with text all have digits. The columns of a
// form, which hold labels and answers of all kinds, are not such columns.
func numberColumns(rows [][]content.Cell, width int) (n int) {
	for c := range width {
		filled, numbers := 0, 0
		for _, row := range rows {
			if text := row[c].Text; text != "" && text != "-" {
				filled++
				if strings.ContainsAny(text, "0123456789") {
					numbers++
				}
			}
		}
		if filled > 0 && numbers == filled {
			n++
		}
	}
	return n
}
