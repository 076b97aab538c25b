package office

import (
	"strconv"
	"strings"

	"understudy.example/internal/document/content"
)

// docxTable is an open table with its open row and cell.
type docxTable struct {
	table  content.Table
	row    []content.Cell
	cell   strings.Builder
	span   int  // columns that the open cell takes
	merged bool // the open cell continues the one above or before it
}

// tableProperty reads an element that starts or describes a part of the open
// table.
func (p *docxParser) tableProperty(e element) {
	if len(p.tables) == 0 {
		return
	}
	t := p.tables[len(p.tables)-1]
	value := e.attr("val")
	n, _ := strconv.Atoi(value)
	switch e.name {
	case "tblCaption":
		t.table.Title = value
	case "gridBefore":
		for range min(n, 100) {
			t.row = append(t.row, content.Cell{})
		}
	case "tc":
		t.span, t.merged = 1, false
		t.cell.Reset()
	case "gridSpan":
		t.span = min(max(n, 1), 100)
	case "vMerge", "hMerge":
		t.merged = value != "restart"
	}
}

func (p *docxParser) endCell() {
	p.endParagraph()
	if len(p.tables) == 0 {
		return
	}
	t := p.tables[len(p.tables)-1]
	for i := range max(t.span, 1) {
		if p.cells++; p.cells > content.MaxCells || len(t.row) >= content.MaxColumns {
			break
		}
		c := content.Cell{Merged: t.merged || i > 0, Ref: content.CellRef(len(t.table.Rows)+1, len(t.row)+1)}
		if i == 0 {
			c.Text = strings.TrimSpace(t.cell.String())
			c.Merged = c.Merged && c.Text == ""
		}
		t.row = append(t.row, c)
	}
	t.cell.Reset()
}

func (p *docxParser) endRow() {
	if len(p.tables) == 0 {
		return
	}
	t := p.tables[len(p.tables)-1]
	if len(t.row) > 0 && len(t.table.Rows) < content.MaxRows {
		t.table.Rows = append(t.table.Rows, t.row)
	}
	t.row = nil
}

// endTable adds the innermost open table. A table of one cell is a frame around
// text: its lines become blocks of text. It reports whether there is room for
// more.
func (p *docxParser) endTable() bool {
	n := len(p.tables) - 1
	t := p.tables[n]
	p.tables = p.tables[:n]
	if len(t.row) > 0 {
		t.table.Rows = append(t.table.Rows, t.row)
	}
	var blocks []content.Block
	switch {
	case len(t.table.Rows) == 1 && len(t.table.Rows[0]) == 1:
		for line := range strings.SplitSeq(t.table.Rows[0][0].Text, "\n") {
			if line != "" {
				blocks = append(blocks, content.Block{Text: line, HeaderFooter: p.headerFooter})
			}
		}
	case t.table.HasText():
		blocks = append(blocks, content.Block{Table: &t.table, HeaderFooter: p.headerFooter})
	}
	if n > 0 {
		p.inner = append(p.inner, blocks...)
		return true
	}
	p.inner = append(blocks, p.inner...)
	for _, b := range p.inner {
		if !p.file.Add(b) {
			return false
		}
	}
	p.inner = nil
	return true
}
