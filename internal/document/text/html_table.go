package text

import (
	"slices"
	"strconv"

	"golang.org/x/net/html"

	"understudy.example/internal/document/content"
)

// isLayout reports whether a table only arranges text: it has tables inside, or
// a single row or column.
func isLayout(table *html.Node) bool {
	rows, widest, nested := 0, 0, false
	var look func(*html.Node)
	look = func(n *html.Node) {
		for c := n.FirstChild; c != nil && !nested; c = c.NextSibling {
			switch {
			case c.Data == "table" && c.Type == html.ElementNode:
				nested = true
			case c.Data == "tr" && c.Type == html.ElementNode:
				rows++
				cells := 0
				for d := c.FirstChild; d != nil; d = d.NextSibling {
					if isCell(d) {
						cells++
					}
				}
				widest = max(widest, cells)
				look(c)
			default:
				look(c)
			}
		}
	}
	look(table)
	return nested || rows < 2 || widest < 2
}

// dataTable reads a table of data. Its merged cells are expanded.
func dataTable(f *content.File, n *html.Node) *content.Table {
	t := &content.Table{}
	cells := min(content.MaxCells, f.Cells()) // that may still be added
	below := map[int]int{}                    // column: rows still covered by a cell above
	var memory []content.Cell                 // for each row in turn
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch c.Data {
			case "caption":
				t.Title = nodeText(c)
			case "tr":
				if len(t.Rows) >= content.MaxRows || hidden(c) {
					continue
				}
				if cells > 0 {
					memory = tableRow(memory[:0], c, below)
					if cells -= len(memory); cells >= 0 {
						row := slices.Clone(memory)
						t.Rows = append(t.Rows, row)
						content.SetRefs(row, len(t.Rows))
						continue
					}
				}
				f.AddNote(content.Limit, "table too large: the rest was skipped")
			default:
				visit(c)
			}
		}
	}
	visit(n)
	return t
}

// tableRow appends the cells of a row. The map holds for each column how many further rows
// a cell above covers.
func tableRow(row []content.Cell, tr *html.Node, below map[int]int) []content.Cell {
	addCovered := func() {
		for below[len(row)] > 0 && len(row) < content.MaxColumns {
			below[len(row)]--
			row = append(row, content.Cell{Merged: true})
		}
	}
	for c := tr.FirstChild; c != nil && len(row) < content.MaxColumns; c = c.NextSibling {
		if !isCell(c) {
			continue
		}
		addCovered()
		across, _ := strconv.Atoi(attribute(c, "colspan"))
		down, _ := strconv.Atoi(attribute(c, "rowspan"))
		for i := range min(max(across, 1), 100) {
			if down > 1 {
				below[len(row)] = min(down-1, 1000)
			}
			if i == 0 {
				row = append(row, content.Cell{Text: nodeText(c)})
			} else {
				row = append(row, content.Cell{Merged: true})
			}
		}
	}
	addCovered()
	return row
}
