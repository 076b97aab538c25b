package content

import (
	"slices"
	"strings"
)

// Flow builds the blocks of running text with tables, for formats that mark where
// cells and rows end rather than where tables begin.
type Flow struct {
	File         *File
	HeaderFooter bool // the text belongs to a page header or footer
	Full         bool // there is no room for more

	rows  [][]Cell
	row   []Cell // reused for each row
	cell  strings.Builder
	cells int
	text  int  // bytes in the open table
	left  *int // cells that the flows of the submission can still build
}

// maxFlowCells limits the cells that the flows of all files of a submission build. Tables without
// text are dropped, so their cells do not count among those that are kept.
const maxFlowCells = 2 * MaxCells

// Paragraph adds text that stands outside of tables. It ends the open table.
func (f *Flow) Paragraph(text string) {
	f.EndTable()
	if text = strings.TrimSpace(text); text != "" && !f.Full {
		f.Full = !f.File.Add(Block{Text: text, HeaderFooter: f.HeaderFooter})
	}
}

// CellParagraph adds a paragraph to the open cell.
func (f *Flow) CellParagraph(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if f.text += len(text); f.text > MaxText {
		f.File.AddNote(Limit, "too much text: the rest was skipped")
		f.Full = true
		return
	}
	if f.cell.Len() > 0 {
		f.cell.WriteByte('\n')
	}
	f.cell.WriteString(text)
}

// EndCell adds the open cell to the open row.
func (f *Flow) EndCell() {
	if f.left == nil {
		f.left = f.File.Budget("cells of flows", maxFlowCells)
	}
	if f.cells++; f.cells > MaxCells || len(f.row) >= MaxColumns || len(f.rows) >= MaxRows || *f.left == 0 {
		f.File.AddNote(Limit, "table too large: the rest was skipped")
		f.cell.Reset()
		return
	}
	*f.left--
	f.row = append(f.row, Cell{Text: f.cell.String()})
	f.cell.Reset()
}

// EndRow adds the open row to the open table.
func (f *Flow) EndRow() {
	if f.cell.Len() > 0 {
		f.EndCell()
	}
	if len(f.row) > 0 {
		row := slices.Clone(f.row)
		f.rows = append(f.rows, row)
		SetRefs(row, len(f.rows))
	}
	f.row = f.row[:0]
}

// InTable reports whether a table is open.
func (f *Flow) InTable() bool { return len(f.rows)+len(f.row) > 0 }

// EndTable adds the open table as a block. A table of one cell is a frame
// around text: its lines become blocks of text.
func (f *Flow) EndTable() {
	if f.EndRow(); len(f.rows) == 0 {
		f.text = 0
		return
	}
	table := &Table{Rows: f.rows}
	f.rows, f.text = nil, 0
	switch {
	case f.Full || !table.HasText():
	case len(table.Rows) == 1 && len(table.Rows[0]) == 1:
		for line := range strings.SplitSeq(table.Rows[0][0].Text, "\n") {
			f.Full = f.Full || !f.File.Add(Block{Text: line, HeaderFooter: f.HeaderFooter})
		}
	default:
		f.Full = !f.File.Add(Block{Table: table, HeaderFooter: f.HeaderFooter})
	}
}
