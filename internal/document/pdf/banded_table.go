package pdf

import (
	"math"
	"slices"
	"strings"

	"understudy.example/internal/document/content"
)

// Limits of tables whose rows have several lines of text.
const (
	bandGap       = 1.45 // distance of the lines of a row, in multiples of the size of the text
	denseBandGap  = 1.25 // the same in tables with little space between the rows
	maxBandGap    = 6.0  // distance between rows
	minRuled      = 0.5  // of the width of the lines, for rules that separate rows
	minSingle     = 3    // columns whose cells have one line
	maxBandLines  = 8    // of a row
	maxBandsTried = 3_000
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
// between them. It returns the tables and the other segments.
func bandedTables(segments []segment, horizontal []rule, locator locator) (items []item, rest []segment) {
	rest = segments
	separators := mergeRules(horizontal)
	for _, gap := range []float64{bandGap, denseBandGap} {
		bands := rowBands(textLines(rest), separators, gap)
		rest = nil
		tried := 0
		for i := 0; i < len(bands); {
			n := 0
			if tried < maxBandsTried {
				var columns []column
				n, columns = bandsInColumns(bands[i:])
				tried += max(n, 1)
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

// bandsInColumns returns the number of bands from the first one whose segments stand in columns that
// stay apart, and these columns.
func bandsInColumns(bands []rowBand) (n int, columns []column) {
	if len(bands[0].columns) < minSingle+1 {
		return 0, nil
	}
	most := 0
	for n < len(bands) && n < maxBandsTried {
		b := &bands[n]
		if len(b.columns) < 3 || len(b.lines) > maxBandLines || n > 0 && bands[n-1].bottom-b.top > maxBandGap*b.size {
			break
		}
		wider := columns
		for i := range b.lines {
			wider = widen(wider, &b.lines[i])
		}
		if len(wider) < max(most, len(b.columns)) || n > 0 && len(wider) > most+3 {
			break
		}
		columns, most = wider, max(most, len(b.columns))
		n++
	}
	return n, columns
}

// bandedTable reads a header and rows as a table. It returns nil if no row has several lines, or if
// the lines of the rows can be rows themselves.
func bandedTable(bands []rowBand, columns []column, locator locator) *content.Table {
	if len(bands) < 2 || len(columns) < minSingle+1 || len(bands) == 2 && len(columns) < minSingle+2 {
		return nil
	}
	t := &content.Table{}
	single := make([]bool, len(columns))
	for c := range single {
		single[c] = true
	}
	several, cells, letters := false, 0, 0
	for n := range bands {
		inside := make([][]segment, len(columns))
		for _, l := range bands[n].lines {
			for _, s := range l.segments {
				c := slices.IndexFunc(columns, func(c column) bool { return c.contains(s) })
				inside[c] = append(inside[c], s)
				letters += len(s.text)
			}
		}
		row := make([]content.Cell, len(columns))
		anchor, anchored := 0.0, 0
		for c, cell := range inside {
			lines := textLines(cell)
			right := math.Inf(1)
			if c+1 < len(columns) {
				right = columns[c+1].from
			}
			row[c].Text, row[c].Spans = cellText(cell, right), locator.locate(cell)
			if strings.TrimSpace(row[c].Text) != "" {
				cells++
			}
			switch {
			case len(lines) == 0:
			case len(lines) > 1:
				single[c] = single[c] && n == 0
				several = several || n > 0
			case anchored == 0:
				anchor, anchored = lines[0].y, 1
			case math.Abs(anchor-lines[0].y) > 0.5*bands[n].size:
				return nil // the cells are not in one row
			default:
				anchored++
			}
		}
		if n > 0 && anchored < 2 {
			return nil
		}
		t.Rows = append(t.Rows, row)
		setRefs(row, len(t.Rows))
	}
	ones := 0
	for _, s := range single {
		if s {
			ones++
		}
	}
	if !several || ones < minSingle || ones*2 < len(columns) || letters > 30*cells {
		return nil
	}
	return t
}
