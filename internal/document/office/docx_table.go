package office

import (
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

// property reads an element that starts or describes a part of the table.
func (t *docxTable) property(e element) {
	value := e.attr("val")
	switch e.name {
	case "tblCaption":
		t.table.Title = value
	case "gridBefore":
		for range min(number(value), 100) {
			t.row = append(t.row, content.Cell{})
		}
	case "tc":
		t.span, t.merged = 1, false
		t.cell.Reset()
	case "gridSpan":
		t.span = min(max(number(value), 1), 100)
	case "vMerge", "hMerge":
		t.merged = value != "restart"
	}
}

// addParagraph adds a paragraph to the open cell.
func (t *docxTable) addParagraph(text string) {
	if t.cell.Len() > 0 {
		t.cell.WriteByte('\n')
	}
	t.cell.WriteString(text)
}

// endCell adds the open cell to the row, once for each column that it takes. The
// counter is that of all cells of the document.
func (t *docxTable) endCell(cells *int) {
	for i := range max(t.span, 1) {
		if *cells++; *cells > content.MaxCells || len(t.row) >= content.MaxColumns {
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

// endRow adds the open row to the table.
func (t *docxTable) endRow() {
	if len(t.row) > 0 && len(t.table.Rows) < content.MaxRows {
		t.table.Rows = append(t.table.Rows, t.row)
	}
	t.row = nil
}

// blocks ends the table and returns its blocks. A table of one cell is a frame
// around text: its lines become blocks of text.
func (t *docxTable) blocks(headerFooter bool) (blocks []content.Block) {
	if len(t.row) > 0 {
		t.table.Rows = append(t.table.Rows, t.row)
	}
	switch {
	case len(t.table.Rows) == 1 && len(t.table.Rows[0]) == 1:
		for line := range strings.SplitSeq(t.table.Rows[0][0].Text, "\n") {
			if line != "" {
				blocks = append(blocks, content.Block{Text: line, HeaderFooter: headerFooter})
			}
		}
	case t.table.HasText():
		blocks = append(blocks, content.Block{Table: &t.table, HeaderFooter: headerFooter})
	}
	return blocks
}
