package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sheetWalk collects the cells of one sheet from its XML.
type sheetWalk struct {
	cells
	shared []string

	row, column int // of the open cell, from 0
	kind        string
	style       int
	value       strings.Builder
	collects    bool // inside <v> or <t>
	phonetic    bool
}

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
		return w.full(fmt.Sprintf("more than %d rows", maxRows))
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
	if w.kind != "s" {
		if err := w.room(len(text)); err != nil {
			return err
		}
	}
	return w.put(w.row, w.column, w.cell(text))
}

// cell gives the value by the type of the cell and its number format.
func (w *sheetWalk) cell(text string) Cell {
	switch w.kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(w.shared) {
			return Cell{}
		}
		return Cell{Text: strings.TrimSpace(w.shared[i])}
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
	return w.book.numeric(number, w.style)
}
