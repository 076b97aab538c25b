package document

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// readXMLSheets reads a workbook in the XML form of Excel 2003, which is often
// named .xls.
func readXMLSheets(r *reading, part *Part, src source) error {
	data, err := src.bytes()
	if err != nil {
		return err
	}
	b := &book{r: r, part: part}
	w := &xmlSheets{book: b, formats: map[string]numberFormat{}}
	if err := walkXML(bytes.NewReader(data), w.visit); err != nil && r.ctx.Err() == nil {
		part.note(Damaged, "damaged Excel workbook: read in part")
	}
	w.endSheet()
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	return b.noneKept()
}

type xmlSheets struct {
	book    *book
	formats map[string]numberFormat // by the name of a style
	style   string                  // being defined
	sheets  int

	open        *cells // nil outside of sheets, and behind the last one read
	name        string
	hidden      bool
	row, column int
	across      int // further columns and rows under the open cell
	down        int
	format      numberFormat
	kind        string
	value       strings.Builder
	collects    bool
}

func (w *xmlSheets) visit(e element) error {
	switch {
	case e.opens:
		return w.opening(e)
	case e.ends:
		return w.closing(e)
	case w.collects && w.value.Len() < maxCellText:
		w.value.Write(e.text)
	}
	return nil
}

// countOf reads an attribute that counts something; never more than a sheet has.
func countOf(e element, name string) int {
	n, _ := strconv.Atoi(e.attr(name))
	return min(max(n, 0), 1<<20)
}

func (w *xmlSheets) opening(e element) error {
	switch e.name {
	case "Style":
		w.style = e.attr("ID")
	case "NumberFormat":
		if code := e.attr("Format"); len(w.formats) < 10_000 {
			w.formats[w.style] = xmlFormat(code)
		}
	case "Worksheet":
		w.endSheet()
		if w.sheets++; w.sheets > maxSheets {
			w.book.part.note(Limit, fmt.Sprintf("more than %d sheets: the rest left out", maxSheets))
			return nil
		}
		w.open, w.name, w.hidden, w.row = &cells{book: w.book}, e.attr("Name"), false, -1
	case "Row":
		w.row++
		if n := countOf(e, "Index"); n > w.row {
			w.row = n - 1
		}
		w.column = -1
		if w.row%1000 == 0 {
			return w.book.r.ctx.Err()
		}
	case "Cell":
		w.column++
		if n := countOf(e, "Index"); n > w.column {
			w.column = n - 1
		}
		w.across, w.down = countOf(e, "MergeAcross"), countOf(e, "MergeDown")
		w.format = w.formats[e.attr("StyleID")]
	case "Data":
		w.kind, w.collects = e.attr("Type"), true
		w.value.Reset()
	case "Visible":
		w.value.Reset()
		w.collects = true
	}
	return nil
}

// xmlFormat gives the code behind one of the names that stand for a format.
func xmlFormat(code string) numberFormat {
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
	return numberFormat{code: code, date: isDateFormat(code)}
}

func (w *xmlSheets) closing(e element) error {
	switch e.name {
	case "Data":
		w.collects = false
		if w.open != nil && w.set() != nil {
			w.endSheet() // it is full
		}
	case "Visible":
		w.collects = false
		w.hidden = w.hidden || strings.Contains(w.value.String(), "Hidden")
	case "Cell":
		if w.open != nil && w.across+w.down > 0 && len(w.open.merges) < maxMerges {
			w.open.merges = append(w.open.merges, area{w.row, w.column, w.row + w.down, w.column + w.across})
		}
		w.column += w.across
	case "Worksheet":
		w.endSheet()
	}
	return nil
}

// set puts the value read into the open cell.
func (w *xmlSheets) set() error {
	text := strings.TrimSpace(w.value.String())
	if text == "" {
		return nil
	}
	if err := w.open.room(len(text)); err != nil {
		return err
	}
	cell := Cell{Text: text}
	switch w.kind {
	case "Number":
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			cell = Cell{Text: showNumber(n, w.format), Number: w.book.number(n)}
		}
	case "DateTime":
		day, _, _ := strings.Cut(text, "T")
		cell = Cell{Text: day, Date: day}
	case "Boolean":
		cell.Text = map[bool]string{true: "TRUE", false: "FALSE"}[text == "1"]
	}
	return w.open.put(w.row, w.column, cell)
}

func (w *xmlSheets) endSheet() {
	if w.open != nil {
		w.open.end(w.name, w.hidden)
	}
	w.open = nil
}
