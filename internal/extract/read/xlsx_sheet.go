package read

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const maxMerges = 20_000

var errSheetFull = errors.New("sheet cut short")

// sheetWalk collects the cells of one sheet from its XML.
type sheetWalk struct {
	book   *workbook
	rows   [][]Cell
	merges []area
	width  int // most columns used by a row

	row, column int // of the open cell, from 0
	kind        string
	style       int
	value       strings.Builder
	collects    bool // inside <v> or <t>
	phonetic    bool
}

// area is a rectangle of cells, from 0, the last ones included.
type area struct{ row, column, lastRow, lastColumn int }

func (w *sheetWalk) visit(e element) error {
	switch {
	case e.opens && e.name == "row":
		return w.openRow(e)
	case e.opens && e.name == "c":
		w.openCell(e)
	case e.name == "v" || e.name == "t":
		w.collects = e.opens
	case e.name == "rPh":
		w.phonetic = e.opens
	case e.ends && e.name == "c":
		return w.closeCell()
	case e.opens && e.name == "mergeCell" && len(w.merges) < maxMerges:
		first, last, _ := strings.Cut(e.attr("ref"), ":")
		a := area{}
		var ok, okLast bool
		a.row, a.column, ok = cellIndex(first)
		a.lastRow, a.lastColumn, okLast = cellIndex(last)
		if ok && okLast {
			w.merges = append(w.merges, a)
		}
	case w.collects && !w.phonetic && w.value.Len() < maxCellText:
		w.value.Write(e.text)
	}
	return nil
}

func (w *sheetWalk) openRow(e element) error {
	if len(w.rows)%1000 == 0 && w.book.r.ctx.Err() != nil {
		return w.book.r.ctx.Err()
	}
	w.row = len(w.rows)
	if n, err := strconv.Atoi(e.attr("r")); err == nil && n > w.row {
		w.row = n - 1
	}
	w.column = -1
	if w.row >= maxRows {
		w.book.part.note(Limit, fmt.Sprintf("more than %d rows: the rest left out", maxRows))
		return errSheetFull
	}
	return nil
}

func (w *sheetWalk) openCell(e element) {
	w.column++
	if row, column, ok := cellIndex(e.attr("r")); ok && row == w.row {
		w.column = column
	}
	w.kind = e.attr("t")
	w.style, _ = strconv.Atoi(e.attr("s"))
	w.value.Reset()
}

func (w *sheetWalk) closeCell() error {
	text := w.value.String()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if w.column >= maxColumns {
		w.book.part.note(Limit, fmt.Sprintf("more than %d columns: the rest left out", maxColumns))
		return nil
	}
	if w.kind != "s" {
		if w.book.text += len(text); w.book.text > maxSharedBytes {
			w.book.part.note(Limit, "too much text: the rest left out")
			return errSheetFull
		}
	}
	for len(w.rows) <= w.row {
		w.rows = append(w.rows, nil)
	}
	row := w.rows[w.row]
	if need := w.column + 1 - len(row); need > 0 {
		if w.book.cells += need; w.book.cells > maxCells {
			w.book.part.note(Limit, fmt.Sprintf("more than %d cells: the rest left out", maxCells))
			return errSheetFull
		}
		if row == nil {
			row = make([]Cell, 0, max(w.width, w.column+1))
		}
		for range need {
			row = append(row, Cell{})
		}
		w.width = max(w.width, len(row))
		w.rows[w.row] = row
	}
	cell := w.cell(text)
	cell.Ref = cellName(w.row, w.column)
	row[w.column] = cell
	return nil
}

// cell gives the value by the type of the cell and its number format.
func (w *sheetWalk) cell(text string) Cell {
	switch w.kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(w.book.shared) {
			return Cell{}
		}
		return Cell{Text: strings.TrimSpace(w.book.shared[i])}
	case "b":
		if strings.TrimSpace(text) == "1" {
			return Cell{Text: "TRUE"}
		}
		return Cell{Text: "FALSE"}
	case "str", "inlineStr", "e":
		return Cell{Text: strings.TrimSpace(text)}
	case "d":
		day, _, _ := strings.Cut(strings.TrimSpace(text), "T")
		return Cell{Text: day, Date: day}
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
		return Cell{Text: strings.TrimSpace(text)}
	}
	var format numberFormat
	if w.style >= 0 && w.style < len(w.book.styles) {
		format = w.book.styles[w.style]
	}
	if format.date {
		if shown, day, ok := showDate(number, format, w.book.date1904); ok {
			return Cell{Text: shown, Date: day, Number: &number}
		}
	}
	return Cell{Text: showNumber(number, format), Number: &number}
}

// merge marks the cells that a merged area covers. Areas are cut to the used
// part of the sheet: one may span a million rows.
func (w *sheetWalk) merge() {
	for _, a := range w.merges {
		lastRow, lastColumn := min(a.lastRow, len(w.rows)-1), min(a.lastColumn, w.width-1)
		for r := a.row; r <= lastRow; r++ {
			for c := a.column; c <= lastColumn; c++ {
				if r == a.row && c == a.column {
					continue
				}
				for len(w.rows[r]) <= c {
					if w.book.cells++; w.book.cells > maxCells {
						return
					}
					w.rows[r] = append(w.rows[r], Cell{})
				}
				w.rows[r][c] = Cell{Merged: true, Ref: cellName(r, c)}
			}
		}
	}
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
	var letters [4]byte
	i := len(letters)
	for c := column + 1; c > 0 && i > 0; c = (c - 1) / 26 {
		i--
		letters[i] = byte('A' + (c-1)%26)
	}
	return string(letters[i:]) + strconv.Itoa(row+1)
}
