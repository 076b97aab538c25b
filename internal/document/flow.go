package document

import (
	"strconv"
	"strings"
)

// flow collects the running text of a document that marks where cells and rows
// of tables end, rather than where tables begin.
type flow struct {
	r     *reading
	part  *Part
	head  bool // in a page header or footer
	rows  [][]Cell
	row   []Cell
	cell  strings.Builder
	cells int
	text  int  // bytes in the open table
	full  bool // no room for more
}

// paragraph adds text outside of tables, after the table above it.
func (f *flow) paragraph(text string) {
	f.endTable()
	if text = strings.TrimSpace(text); text != "" && !f.full {
		f.full = !f.r.keep(f.part, Block{Text: text, Head: f.head})
	}
}

// inCell adds a paragraph to the open cell.
func (f *flow) inCell(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if f.text += len(text); f.text > maxText {
		f.part.note(Limit, "too much text: the rest left out")
		f.full = true
		return
	}
	if f.cell.Len() > 0 {
		f.cell.WriteByte('\n')
	}
	f.cell.WriteString(text)
}

func (f *flow) endCell() {
	if f.cells++; f.cells > maxCells || len(f.row) >= maxColumns || len(f.rows) >= maxRows {
		f.part.note(Limit, "table too large: the rest left out")
		f.cell.Reset()
		return
	}
	ref := "row " + strconv.Itoa(len(f.rows)+1) + ", column " + strconv.Itoa(len(f.row)+1)
	f.row = append(f.row, Cell{Text: f.cell.String(), Ref: ref})
	f.cell.Reset()
}

func (f *flow) endRow() {
	if f.cell.Len() > 0 {
		f.endCell()
	}
	if len(f.row) > 0 {
		f.rows = append(f.rows, f.row)
	}
	f.row = nil
}

// endTable adds the open table. A frame of one cell is text.
func (f *flow) endTable() {
	f.endRow()
	rows := f.rows
	f.rows, f.text = nil, 0
	switch {
	case f.full || !hasText(rows):
	case len(rows) == 1 && len(rows[0]) == 1:
		for line := range strings.SplitSeq(rows[0][0].Text, "\n") {
			f.full = f.full || !f.r.keep(f.part, Block{Text: line, Head: f.head})
		}
	default:
		f.full = !f.r.keep(f.part, Block{Table: &Table{Rows: rows}, Head: f.head})
	}
}
