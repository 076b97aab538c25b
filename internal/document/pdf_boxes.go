package document

import "strings"

// form reads a net of rules whose boxes each hold a small label with its answer
// below it, as printed application forms do. It gives none for any other net.
func (g *grid) form(segments []segment) ([]item, []segment) {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	if g.tooMany() {
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
		blocks, ok := boxed(textLines(cell))
		labelled += boolInt(ok)
		boxes = append(boxes, item{top: g.ys[rows-i/columns], box: blocks})
	}
	if labelled < 2 || labelled < 3 && labelled < filled || labelled*2 < filled {
		return nil, segments
	}
	return boxes, rest
}

// boxed gives the text of a box, as a label with its value where the lines at
// its top are printed smaller than those below.
func boxed(lines []textLine) (blocks []Block, labelled bool) {
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
		return []Block{{Label: strings.Join(label, " "), Value: strings.Join(value, "\n")}}, true
	}
	for _, text := range append(label, value...) {
		blocks = append(blocks, Block{Text: text})
	}
	return append(blocks, Block{}), false
}
