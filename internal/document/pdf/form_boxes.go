package pdf

import (
	"strings"

	"understudy.example/internal/document/content"
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
