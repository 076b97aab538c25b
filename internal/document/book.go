package document

import (
	"errors"
	"fmt"
	"strconv"
)

// Limits of one workbook. A sheet that is too large must not hide the sheets
// behind it, so each has a share of the cells.
const (
	maxSheets    = 50
	maxRows      = 200_000
	maxColumns   = 1_000
	maxCells     = 1_200_000 // of one sheet: about 100 MB in memory
	maxBookCells = 2_400_000
	maxMerges    = 20_000
	maxCellText  = 64 << 10 // what Excel itself allows is half of it
	maxBookText  = 24 << 20
)

var errSheetFull = errors.New("sheet cut short")

// book is what the sheets of a workbook share, of whatever format.
type book struct {
	r        *reading
	part     *Part
	styles   []numberFormat // by the style index of a cell
	date1904 bool
	cells    int // kept in all sheets
	text     int // bytes of text kept outside the shared ones
	numbers  []float64
}

// cells collects the cells of one sheet.
type cells struct {
	book   *book
	rows   [][]Cell
	merges []area
	width  int // most columns used by a row
	kept   int
}

// area is a rectangle of cells, from 0, the last ones included.
type area struct{ row, column, lastRow, lastColumn int }

// put sets a cell. Its error is errSheetFull when the sheet is to be left.
func (g *cells) put(row, column int, cell Cell) error {
	switch {
	case row < 0 || column < 0:
		return nil
	case row >= maxRows:
		return g.full(fmt.Sprintf("more than %d rows", maxRows))
	case column >= maxColumns:
		g.book.part.note(Limit, fmt.Sprintf("more than %d columns: the rest left out", maxColumns))
		return nil
	}
	for len(g.rows) <= row {
		g.rows = append(g.rows, nil)
	}
	if err := g.widen(row, column+1); err != nil {
		return err
	}
	cell.Ref = cellName(row, column)
	g.rows[row][column] = cell
	return nil
}

// widen makes a row at least as long as wanted.
func (g *cells) widen(row, length int) error {
	need := length - len(g.rows[row])
	if need <= 0 {
		return nil
	}
	if g.kept+need > maxCells || g.book.cells+need > maxBookCells {
		return g.full(fmt.Sprintf("more than %d cells", maxCells))
	}
	g.kept += need
	g.book.cells += need
	if g.rows[row] == nil {
		g.rows[row] = make([]Cell, 0, max(min(g.width, 2*length), length))
	}
	g.rows[row] = append(g.rows[row], make([]Cell, need)...)
	g.width = max(g.width, length)
	return nil
}

func (g *cells) full(why string) error {
	g.book.part.note(Limit, why+": the rest left out")
	return errSheetFull
}

// room counts the text of a cell that no other cell shares.
func (g *cells) room(text int) error {
	if g.book.text += text; g.book.text > maxBookText {
		return g.full("too much text")
	}
	return nil
}

// number keeps a number; many lie in one piece of memory.
func (b *book) number(n float64) *float64 {
	if len(b.numbers) == cap(b.numbers) {
		b.numbers = make([]float64, 0, 1024)
	}
	b.numbers = append(b.numbers, n)
	return &b.numbers[len(b.numbers)-1]
}

// numeric gives the cell of a number as its style shows it.
func (b *book) numeric(number float64, style int) Cell {
	var format numberFormat
	if style >= 0 && style < len(b.styles) {
		format = b.styles[style]
	}
	if format.date {
		if shown, day, ok := showDate(number, format, b.date1904); ok {
			return Cell{Text: shown, Date: day, Number: b.number(number)}
		}
	}
	return Cell{Text: showNumber(number, format), Number: b.number(number)}
}

// merge marks the cells that a merged area covers. Areas are cut to the used
// part of the sheet: one may span a million rows.
func (g *cells) merge() {
	for _, a := range g.merges {
		lastRow, lastColumn := min(a.lastRow, len(g.rows)-1), min(a.lastColumn, g.width-1)
		for r := max(a.row, 0); r <= lastRow; r++ {
			if a.column < 0 || lastColumn < a.column || g.widen(r, lastColumn+1) != nil {
				return
			}
			for c := a.column; c <= lastColumn; c++ {
				if r != a.row || c != a.column {
					g.rows[r][c] = Cell{Merged: true, Ref: cellName(r, c)}
				}
			}
		}
	}
}

// end adds the sheet to the part; one without a filled cell adds nothing.
func (g *cells) end(name string, hidden bool) {
	g.merge()
	for len(g.rows) > 0 && g.rows[len(g.rows)-1] == nil {
		g.rows = g.rows[:len(g.rows)-1]
	}
	if len(g.rows) == 0 {
		return
	}
	g.book.r.keep(g.book.part, Block{
		Table: &Table{Title: name, Hidden: hidden, Rows: g.rows},
		Place: Place{Sheet: name},
	})
}

// noneKept ends a workbook in which no cell was found.
func (b *book) noneKept() error {
	if len(b.part.Blocks) > 0 {
		return nil
	}
	if b.part.Cause == Damaged {
		return unreadable(Damaged, "damaged Excel workbook")
	}
	if b.part.Note != "" {
		return unreadable(b.part.Cause, "%s", b.part.Note)
	}
	b.part.note(NoText, "no filled cells")
	return nil
}

// cellIndex reads a name such as B7 into row 6, column 1.
func cellIndex(name string) (row, column int, ok bool) {
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

func cellName(row, column int) string {
	var name [16]byte
	i := 4
	for c := column + 1; c > 0 && i > 0; c = (c - 1) / 26 {
		i--
		name[i] = byte('A' + (c-1)%26)
	}
	return string(strconv.AppendInt(name[:4], int64(row+1), 10)[i:])
}
