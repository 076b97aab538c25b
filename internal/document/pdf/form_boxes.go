package pdf

import (
	"sort"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// formBoxes reads a grid whose cells contain a small label with its answer below,
// as in printed application forms. It returns nil for any other grid.
func (g *grid) formBoxes(segments []segment, locator locator) ([]item, []segment) {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	if g.tooLarge() {
		return nil, segments
	}
	owner, _ := g.owners()
	inside, rest := g.fill(owner, segments)
	var boxes []item
	filled, labelled := 0, 0
	for i, cell := range inside {
		if len(cell) == 0 {
			continue
		}
		filled++
		blocks, ok := boxBlocks(textLines(cell), locator)
		if ok {
			labelled++
		}
		boxes = append(boxes, item{top: g.ys[rows-i/columns], box: blocks})
	}
	if labelled < 2 || labelled < 3 && labelled < filled || labelled*2 < filled {
		return nil, segments
	}
	return boxes, rest
}

// boxBlocks returns the text of a cell: a label with its value when the lines at
// its top are smaller than those below, else its lines.
func boxBlocks(lines []textLine, locator locator) (blocks []content.Block, labelled bool) {
	small := 0
	for small < len(lines) && lines[small].size < 0.88*lines[len(lines)-1].size {
		small++
	}
	var label, value []string
	for i := range lines {
		if i < small {
			label = append(label, lines[i].String())
		} else {
			value = append(value, lines[i].String())
		}
	}
	if small > 0 && small <= 4 && small < len(lines) && len(value) <= 12 {
		return []content.Block{{Label: strings.Join(label, " "), Value: strings.Join(value, "\n"), Spans: locator.locateLines(lines)}}, true
	}
	for i, text := range append(label, value...) {
		blocks = append(blocks, content.Block{Text: text, Spans: locator.locate(lines[i].segments)})
	}
	return append(blocks, content.Block{}), false
}

// Limits of the tables whose cells are filled in as fields.
const (
	minFieldColumns = 4    // of a table
	minFieldRows    = 3    // of a table, with its header
	cellTextSize    = 8.0  // of the text that is put into a cell
	cellLetter      = 0.45 // estimated width of a letter, in multiples of the size of the text
)

// drawCells draws the values of fields in the cells of a table onto the page, so that the table is
// read like a printed one. It returns the other fields. The fields have names without meaning, and
// several of them stand in the same column.
func drawCells(p *page, fields []formField) (others []formField) {
	if len(fields) < minFieldRows {
		return fields
	}
	inTable := make([]bool, len(fields))
	for _, g := range findGrids(mergeRules(p.horizontal), mergeRules(p.vertical)) {
		if len(g.xs) <= minFieldColumns || len(g.ys) <= minFieldRows || g.tooLarge() {
			continue
		}
		rows := map[int]map[int]bool{} // of each column
		var inside []int
		for i, f := range fields {
			column, row, ok := g.cellOf(p.upright.box(f.box))
			if !ok || f.button || f.named() {
				continue
			}
			if rows[column] == nil {
				rows[column] = map[int]bool{}
			}
			rows[column][row] = true
			inside = append(inside, i)
		}
		columns := 0
		for _, filled := range rows {
			if len(filled) > 1 {
				columns++
			}
		}
		if columns < minFieldColumns-1 {
			continue
		}
		for _, i := range inside {
			inTable[i] = true
		}
	}
	for i, f := range fields {
		if inTable[i] {
			p.drawField(f)
		} else {
			others = append(others, f)
		}
	}
	return others
}

// cellOf returns the column and the row of the middle of a box.
func (g *grid) cellOf(b box) (column, row int, ok bool) {
	column = sort.SearchFloat64s(g.xs, (b.x0+b.x1)/2)
	row = sort.SearchFloat64s(g.ys, (b.y0+b.y1)/2)
	return column, row, column > 0 && column < len(g.xs) && row > 0 && row < len(g.ys)
}

// drawField adds the value of a field to the text of the page.
func (p *page) drawField(f formField) {
	b := p.upright.box(f.box)
	lines := decode.Lines(f.value)
	y := b.y1 - 1.1*cellTextSize
	if len(lines) == 1 && b.y1-b.y0 < 3*cellTextSize {
		y = (b.y0+b.y1)/2 - 0.3*cellTextSize
	}
	for _, line := range lines {
		p.runs = append(p.runs, run{
			text: line, x0: b.x0 + 1, x1: min(b.x1, b.x0+1+cellLetter*cellTextSize*float64(len(line))), y: y, size: cellTextSize,
		})
		y -= 1.2 * cellTextSize
	}
}
