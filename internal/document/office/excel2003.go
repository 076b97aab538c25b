package office

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"

	"understudy.example/internal/document/archive"
	"understudy.example/internal/document/content"
)

// ReadExcel2003 reads a workbook in the XML form of Excel 2003, which is often
// named .xls.
func ReadExcel2003(f *content.File) error {
	data, err := f.Bytes()
	if err != nil {
		return err
	}
	b := newWorkbook(f)
	p := &excel2003Parser{workbook: &b, formats: map[string]numberFormat{}}
	err = walkXML(bytes.NewReader(data), f.Unzip, p.visit)
	switch {
	case err == nil || f.Err() != nil:
	case errors.Is(err, archive.ErrLimit):
		f.AddNote(content.Limit, "too much content: the rest was skipped")
	default:
		f.AddNote(content.Damaged, "damaged Excel workbook: only partly read")
	}
	p.endSheet()
	if f.Err() != nil {
		return f.Err()
	}
	return b.checkEmpty()
}

// excel2003Parser collects the cells of all sheets from their XML.
type excel2003Parser struct {
	workbook *workbook
	formats  map[string]numberFormat // by the name of a style
	style    string                  // being defined
	sheets   int

	sheet       *sheet // nil outside of sheets and after the last one that is read
	name        string
	hidden      bool
	row, column int // of the open cell, from 0
	across      int // further columns that the open cell covers
	down        int // further rows that the open cell covers
	format      numberFormat
	kind        string
	value       strings.Builder
	inValue     bool
}

func (p *excel2003Parser) visit(e element) error {
	switch {
	case e.opens:
		return p.open(e)
	case e.ends:
		return p.close(e)
	case p.inValue:
		writeCellText(&p.value, e.text)
	}
	return nil
}

// countAttr returns an attribute that is a number of rows or columns, cut to what
// a sheet can have.
func countAttr(e element, name string) int {
	n, _ := strconv.Atoi(e.attr(name))
	return min(max(n, 0), 1<<20)
}

func (p *excel2003Parser) open(e element) error {
	switch e.name {
	case "Style":
		p.style = e.attr("ID")
	case "NumberFormat":
		if code := e.attr("Format"); len(p.formats) < 10_000 {
			p.formats[p.style] = namedFormat(code)
		}
	case "Worksheet":
		p.endSheet()
		if p.sheets++; p.workbook.limitSheets(p.sheets) < p.sheets {
			return nil
		}
		p.sheet, p.name, p.hidden, p.row = &sheet{workbook: p.workbook}, e.attr("Name"), false, -1
	case "Row":
		p.row++
		if n := countAttr(e, "Index"); n > p.row {
			p.row = n - 1
		}
		p.column = -1
		if p.row%1000 == 0 {
			return p.workbook.file.Err()
		}
	case "Cell":
		p.column++
		if n := countAttr(e, "Index"); n > p.column {
			p.column = n - 1
		}
		p.across, p.down = countAttr(e, "MergeAcross"), countAttr(e, "MergeDown")
		p.format = p.formats[e.attr("StyleID")]
	case "Data":
		p.kind, p.inValue = e.attr("Type"), true
		p.value.Reset()
	case "Visible":
		p.value.Reset()
		p.inValue = true
	}
	return nil
}

// namedFormat returns a format given by its code or by one of the names that
// stand for a code.
func namedFormat(code string) numberFormat {
	switch code {
	case "Short Date", "Medium Date", "Long Date", "General Date":
		code = "yyyy-mm-dd"
	case "Currency":
		code = "$#,##0.00"
	case "Standard", "Fixed":
		code = "#,##0.00"
	case "Percent":
		code = "0.00%"
	}
	return newNumberFormat(code)
}

func (p *excel2003Parser) close(e element) error {
	switch e.name {
	case "Data":
		p.inValue = false
		if p.sheet != nil && p.setCell() != nil {
			p.endSheet() // it is full
		}
	case "Visible":
		p.inValue = false
		p.hidden = p.hidden || strings.Contains(p.value.String(), "Hidden")
	case "Cell":
		if p.sheet != nil && p.across+p.down > 0 {
			p.sheet.addMerged(area{p.row, p.column, p.row + p.down, p.column + p.across})
		}
		p.column += p.across
	case "Worksheet":
		p.endSheet()
	}
	return nil
}

// setCell sets the open cell to the value read.
func (p *excel2003Parser) setCell() error {
	text := strings.TrimSpace(p.value.String())
	if text == "" {
		return nil
	}
	if err := p.sheet.countText(len(text)); err != nil {
		return err
	}
	cell := content.Cell{Text: text}
	switch p.kind {
	case "Number":
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			cell = p.workbook.shownNumber(n, p.format)
		}
	case "DateTime":
		day, _, _ := strings.Cut(text, "T")
		cell = content.Cell{Text: day, Date: day}
	case "Boolean":
		cell.Text = boolText(text == "1")
	}
	return p.sheet.set(p.row, p.column, cell)
}

func (p *excel2003Parser) endSheet() {
	if p.sheet != nil {
		p.sheet.end(p.name, p.hidden)
	}
	p.sheet = nil
}
