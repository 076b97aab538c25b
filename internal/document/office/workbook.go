package office

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"understudy.example/internal/document/content"
)

// Limits of one workbook. A sheet that is too large must not hide the sheets
// after it, so a single one may take half of the cells.
const (
	maxSheets        = 50
	maxWorkbookCells = 2 * content.MaxCells
	maxMergedAreas   = 20_000
	maxCellText      = 64 << 10 // twice what Excel itself allows
	maxWorkbookText  = 24 << 20
	maxNumberText    = 40 // bytes of a number that do not count as text

	maxSharedTexts = 2_000_000
	maxSharedBytes = 24 << 20
)

// maxTextInAll is the number of bytes of text in all workbooks of a submission, shared or not.
const maxTextInAll = 64 << 20

var errSheetFull = errors.New("sheet cut short")

// workbook is what the sheets of a workbook share, whatever its format.
type workbook struct {
	file     *content.File
	styles   []numberFormat // by the style index of a cell
	date1904 bool
	cells    int  // kept in all sheets
	text     int  // bytes of text kept, without shared texts
	textLeft *int // bytes of text that may still be kept, in the whole submission
	numbers  []float64
}

func newWorkbook(f *content.File) workbook {
	cells := maxWorkbookCells - min(maxWorkbookCells, f.Cells()) // that other files have taken
	return workbook{file: f, cells: cells, textLeft: f.Budget("bytes of text in workbooks", maxTextInAll)}
}

// limitSheets returns how many of a number of sheets are read. It notes when that
// leaves some out.
func (b *workbook) limitSheets(n int) int {
	if n > maxSheets {
		b.file.AddNote(content.Limit, fmt.Sprintf("more than %d sheets: the rest was skipped", maxSheets))
	}
	return min(n, maxSheets)
}

// addText counts bytes of text.
func (b *workbook) addText(size int) {
	b.text += size
	*b.textLeft -= size
}

// isFull reports whether no more text can be kept.
func (b *workbook) isFull() bool { return b.text > maxWorkbookText || *b.textLeft < 0 }

// addShared counts the bytes of a text that cells can refer to. It reports whether there is room
// for more, given the number of these texts and their size.
func (b *workbook) addShared(size, texts, bytes int) bool {
	*b.textLeft -= size
	return *b.textLeft >= 0 && bytes <= maxSharedBytes && texts <= maxSharedTexts
}

// writeCellText adds a part of a text to a cell, up to the limit of its text.
func writeCellText(cell *strings.Builder, text []byte) {
	if room := maxCellText - cell.Len(); len(text) > room {
		text = bytes.ToValidUTF8(text[:max(room, 0)], nil)
	}
	cell.Write(text)
}

// number returns a pointer to a number. Many numbers share one allocation.
func (b *workbook) number(n float64) *float64 {
	if len(b.numbers) == cap(b.numbers) {
		b.numbers = make([]float64, 0, 1024)
	}
	b.numbers = append(b.numbers, n)
	return &b.numbers[len(b.numbers)-1]
}

// numberCell returns the cell of a number as its style shows it.
func (b *workbook) numberCell(number float64, style int) content.Cell {
	var format numberFormat
	if style >= 0 && style < len(b.styles) {
		format = b.styles[style]
	}
	if format.date {
		if shown, day, ok := showDate(number, format, b.date1904); ok {
			return content.Cell{Text: shown, Date: day, Number: b.number(number)}
		}
	}
	return b.shownNumber(number, format)
}

// shownNumber returns the cell of a number that is not a date. Its format can add much text.
func (b *workbook) shownNumber(number float64, format numberFormat) content.Cell {
	text := showNumber(number, format)
	b.addText(max(0, len(text)-maxNumberText))
	return content.Cell{Text: text, Number: b.number(number)}
}

// checkEmpty notes that the workbook has no filled cells, or returns an error when
// that is because it could not be read.
func (b *workbook) checkEmpty() error {
	if len(b.file.Blocks) > 0 {
		return nil
	}
	if b.file.Cause == content.Damaged {
		return content.Errorf(content.Damaged, "damaged Excel workbook")
	}
	if b.file.Note != "" {
		return content.Errorf(b.file.Cause, "%s", b.file.Note)
	}
	b.file.AddNote(content.NoText, "no filled cells")
	return nil
}
