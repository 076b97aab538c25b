package office

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"understudy.example/internal/document/content"
)

// xlsxParser collects the cells of one sheet from its XML.
type xlsxParser struct {
	sheet
	shared []string

	row, column int // of the open cell, from 0
	next        int // the row after the last one, empty or not
	kind        string
	style       int
	value       strings.Builder
	inValue     bool // inside <v> or <t>
	inHint      bool // inside a phonetic hint
}

func (p *xlsxParser) visit(e element) error {
	switch {
	case e.opens && e.name == "row":
		return p.openRow(e)
	case e.opens && e.name == "c":
		p.openCell(e)
	case e.name == "v" || e.name == "t":
		p.inValue = e.opens
	case e.name == "rPh":
		p.inHint = e.opens
	case e.ends && e.name == "c":
		return p.closeCell()
	case e.opens && e.name == "mergeCell":
		first, last, _ := strings.Cut(e.attr("ref"), ":")
		a := area{}
		var ok, okLast bool
		a.row, a.column, ok = cellIndex(first)
		a.lastRow, a.lastColumn, okLast = cellIndex(last)
		if ok && okLast {
			p.addMerged(a)
		}
	case p.inValue && !p.inHint:
		writeCellText(&p.value, e.text)
	}
	return nil
}

func (p *xlsxParser) openRow(e element) error {
	if f := p.workbook.file; p.next%1000 == 0 && f.Err() != nil {
		return f.Err()
	}
	p.row = p.next
	if text := e.attr("r"); text != "" {
		if n, err := strconv.Atoi(text); err == nil && n > p.row {
			p.row = n - 1
		}
	}
	p.column, p.next = -1, p.row+1
	if p.row >= content.MaxRows {
		return p.full(fmt.Sprintf("more than %d rows", content.MaxRows))
	}
	return nil
}

// number returns the number that an attribute states, 0 if it states none. Most
// attributes are missing, and the error of strconv.Atoi costs an allocation.
func number(attribute string) int {
	if attribute == "" {
		return 0
	}
	n, _ := strconv.Atoi(attribute)
	return n
}

func (p *xlsxParser) openCell(e element) {
	p.column++
	if row, column, ok := cellIndex(e.attr("r")); ok && row == p.row {
		p.column = column
	}
	p.kind = e.attr("t")
	p.style = number(e.attr("s"))
	p.value.Reset()
}

func (p *xlsxParser) closeCell() error {
	text := p.value.String()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if p.kind != "s" {
		if err := p.countText(len(text)); err != nil {
			return err
		}
	}
	return p.set(p.row, p.column, p.cell(text))
}

// cell returns the value by the type of the cell and its number format.
func (p *xlsxParser) cell(text string) content.Cell {
	text = strings.TrimSpace(text)
	switch p.kind {
	case "s":
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i >= len(p.shared) {
			return content.Cell{}
		}
		return content.Cell{Text: p.shared[i]}
	case "b":
		return content.Cell{Text: boolText(text == "1")}
	case "str", "inlineStr", "e":
		return content.Cell{Text: text}
	case "d":
		day, _, _ := strings.Cut(text, "T")
		return content.Cell{Text: day, Date: day}
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
		return content.Cell{Text: text}
	}
	return p.workbook.numberCell(number, p.style)
}

// boolText returns a truth value as Excel shows it.
func boolText(b bool) string {
	if b {
		return "TRUE"
	}
	return "FALSE"
}
