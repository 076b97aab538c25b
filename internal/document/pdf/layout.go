package pdf

import (
	"math"
	"sort"

	"understudy.example/internal/document/content"
)

// layout turns the pages of a document into blocks.
type layout struct {
	file      *content.File
	lastTable *openTable // the table at the end of the previous page
	cells     int        // examined by bandedTables
}

// addPage adds the blocks of a page: each writing direction by itself, the one
// with most text first. The filled fields stand among the horizontal text. It reports whether
// there is room for more.
func (l *layout) addPage(p *page, fields []item) bool {
	var runs [4][]run
	var weight [4]int
	for _, run := range p.runs {
		runs[run.quarters] = append(runs[run.quarters], run)
		weight[run.quarters] += len(run.text)
	}
	order := []int{0, 1, 2, 3}
	sort.SliceStable(order, func(i, j int) bool { return weight[order[i]] > weight[order[j]] })
	for _, quarters := range order {
		if len(runs[quarters]) == 0 && (quarters > 0 || len(fields) == 0) {
			continue
		}
		horizontal, vertical := p.turnedRules(quarters)
		segments := joinRuns(runs[quarters], vertical)
		var locator locator
		if l.file.Positions() {
			locator = p.locatorFor(quarters)
		}
		items, rest := ruledTables(segments, horizontal, vertical, locator)
		banded, rest := bandedTables(rest, horizontal, locator, &l.cells)
		items = append(items, banded...)
		inside := fields
		if quarters > 0 {
			inside = nil
		}
		if !l.addItems(p, inReadingOrder(items, inside, rest, locator), locator) {
			return false
		}
	}
	return true
}

// addItems turns the items of a page into blocks. It reports whether there is
// room for more.
func (l *layout) addItems(p *page, items []item, locator locator) bool {
	place := content.Place{Page: p.number}
	var last *openTable
	after := 0 // lines after the last table
	var columns *textLine
	for i, it := range items {
		if it.line == nil {
			columns = nil
		}
		if it.field != nil {
			it.field.Place = place
			if !l.file.Add(*it.field) {
				return false
			}
			continue
		}
		if it.table != nil {
			if i == 0 && l.lastTable.continuesWith(it) {
				l.lastTable.extend(it.table)
				last, after = l.lastTable, 0
				continue
			}
			if !l.file.Add(content.Block{Table: it.table, Place: place}) {
				return false
			}
			last, after = &openTable{it.table, it.xs}, 0
			continue
		}
		if it.box != nil {
			for _, b := range it.box {
				b.Place = place
				if !l.file.Add(b) {
					return false
				}
			}
			last = nil
			continue
		}
		if after++; i > 0 && items[i-1].line != nil && isGap(items[i-1].line, it.line) {
			l.file.Add(content.Block{Place: place}) // an empty line
		}
		text := ""
		text, columns = it.line.inColumns(columns)
		if !l.file.Add(content.Block{Text: text, Place: place, Spans: locator.locate(it.line.segments)}) {
			return false
		}
	}
	// A page number or a footer may stand below a table that continues.
	if l.lastTable = nil; last != nil && last.xs != nil && after <= 2 {
		l.lastTable = last
	}
	return true
}

// openTable is a table that may continue at the top of the next page.
type openTable struct {
	table *content.Table
	xs    []float64 // borders of the columns
}

// continuesWith reports whether an item is a table with the same columns.
func (t *openTable) continuesWith(it item) bool {
	if t == nil || len(t.xs) != len(it.xs) || len(it.xs) == 0 {
		return false
	}
	for i := range t.xs {
		if math.Abs(t.xs[i]-it.xs[i]) > 3 {
			return false
		}
	}
	return true
}

// extend adds the rows of the table on the next page, without a repeated header.
func (t *openTable) extend(next *content.Table) {
	rows := next.Rows
	if len(rows) > 0 && len(t.table.Rows) > 0 && sameTexts(rows[0], t.table.Rows[0]) {
		rows = rows[1:]
	}
	for _, row := range rows {
		t.table.Rows = append(t.table.Rows, row)
		content.SetRefs(row, len(t.table.Rows))
	}
}

func sameTexts(a, b []content.Cell) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}
