package office

import (
	"fmt"
	"slices"
	"strconv"

	"understudy.example/internal/document/content"
)

// sheet collects the cells of one sheet of a workbook. Rows and columns count
// from 0.
type sheet struct {
	workbook *workbook
	rows     [][]content.Cell
	merged   []area
	width    int            // most columns used by a row
	kept     int            // cells
	open     int            // index of the row whose cells are in the field memory
	memory   []content.Cell // reused for each row, so that a row is not copied each time it grows
}

// area is a rectangle of cells. It includes the last row and column.
type area struct{ row, column, lastRow, lastColumn int }

// set sets a cell. It returns errSheetFull when the rest of the sheet is not
// read.
func (s *sheet) set(row, column int, cell content.Cell) error {
	switch {
	case row < 0 || column < 0:
		return nil
	case row >= content.MaxRows:
		return s.full(fmt.Sprintf("more than %d rows", content.MaxRows))
	case column >= content.MaxColumns:
		s.workbook.file.AddNote(content.Limit, fmt.Sprintf("more than %d columns: the rest was skipped", content.MaxColumns))
		return nil
	case s.workbook.isFull():
		return s.full("too much text")
	}
	for len(s.rows) <= row {
		s.rows = append(s.rows, nil)
	}
	if err := s.widen(row, column+1); err != nil {
		return err
	}
	cell.Ref = content.NamedRef(row+1, column+1)
	s.rows[row][column] = cell
	return nil
}

// widen makes a row at least as long as requested.
func (s *sheet) widen(row, length int) error {
	need := length - len(s.rows[row])
	if need <= 0 {
		return nil
	}
	if s.kept+need > content.MaxCells || s.workbook.cells+need > maxWorkbookCells {
		return s.full(fmt.Sprintf("more than %d cells", content.MaxCells))
	}
	s.kept += need
	s.workbook.cells += need
	if s.rows[row] == nil {
		s.closeRow()
		s.open, s.rows[row] = row, s.memory[:0]
	}
	s.rows[row] = append(s.rows[row], make([]content.Cell, need)...)
	if row == s.open {
		s.memory = s.rows[row]
	}
	s.width = max(s.width, length)
	return nil
}

// closeRow moves the cells of the open row to memory of their own.
func (s *sheet) closeRow() {
	if s.open < len(s.rows) && s.rows[s.open] != nil {
		s.rows[s.open] = slices.Clone(s.rows[s.open])
	}
}

func (s *sheet) full(why string) error {
	s.workbook.file.AddNote(content.Limit, why+": the rest was skipped")
	return errSheetFull
}

// countText counts the bytes of a text that no other cell shares.
func (s *sheet) countText(size int) error {
	if s.workbook.addText(size); s.workbook.isFull() {
		return s.full("too much text")
	}
	return nil
}

// addMerged adds a merged area.
func (s *sheet) addMerged(a area) {
	if len(s.merged) < maxMergedAreas {
		s.merged = append(s.merged, a)
	}
}

// markMerged marks the cells that merged areas cover. Areas are cut to the used
// part of the sheet: one may span a million rows. Areas do not overlap, so together they
// cover at most all cells; the areas of a damaged sheet after that are ignored.
func (s *sheet) markMerged() {
	cells := content.MaxCells
	for _, a := range s.merged {
		lastRow, lastColumn := min(a.lastRow, len(s.rows)-1), min(a.lastColumn, s.width-1)
		for r := max(a.row, 0); r <= lastRow; r++ {
			if a.column < 0 || lastColumn < a.column || s.widen(r, lastColumn+1) != nil {
				return
			}
			if cells -= lastColumn - a.column + 1; cells < 0 {
				return
			}
			for c := a.column; c <= lastColumn; c++ {
				if r != a.row || c != a.column {
					s.rows[r][c] = content.Cell{Merged: true, Ref: content.NamedRef(r+1, c+1)}
				}
			}
		}
	}
}

// end adds the sheet to the part. A sheet without a filled cell adds nothing.
func (s *sheet) end(name string, hidden bool) {
	s.markMerged()
	s.closeRow()
	for len(s.rows) > 0 && s.rows[len(s.rows)-1] == nil {
		s.rows = s.rows[:len(s.rows)-1]
	}
	if len(s.rows) == 0 {
		return
	}
	s.workbook.file.Add(content.Block{
		Table: &content.Table{Title: name, Hidden: hidden, Rows: s.rows},
		Place: content.Place{Sheet: name},
	})
}

// cellIndex converts a name such as B7 into row 6, column 1.
func cellIndex(name string) (row, column int, ok bool) {
	if name == "" {
		return 0, 0, false
	}
	i := 0
	for ; i < len(name) && i < 4; i++ {
		c := name[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		column = column*26 + int(c-'A') + 1
	}
	row, err := strconv.Atoi(name[i:])
	return row - 1, column - 1, err == nil && i > 0 && row > 0
}
