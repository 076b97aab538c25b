package office_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/office"
)

func TestXLS(t *testing.T) {
	at := func(row, column, style int) string {
		return documenttest.Bytes(uint16(row), uint16(column), uint16(style))
	}
	style := func(format int) string {
		return xlsRecord(office.XLSXF, uint16(0), uint16(format), strings.Repeat("\x00", 16))
	}
	globals := xlsRecord(office.XLSDateMode, uint16(0)) +
		xlsRecord(office.XLSFormat, uint16(164), uint16(8), uint8(0), "$#,##0.0") +
		style(0) + style(14) + style(164) +
		// The second text continues in another record, in wide characters after
		// narrow ones. The third has formats, which are skipped.
		xlsRecord(office.XLSSST, uint32(3), uint32(3), uint16(4), uint8(0), "City", uint16(7), uint8(0), "Caf") +
		xlsRecord(office.XLSContinue, uint8(1), documenttest.UTF16("é Äß"), uint16(3), uint8(9), uint16(1), documenttest.UTF16("Łód"), uint32(0))
	sheet := xlsRecord(office.XLSLabelSST, at(0, 0, 0), uint32(0)) +
		xlsRecord(office.XLSLabelSST, at(0, 2, 0), uint32(1)) +
		xlsRecord(office.XLSLabelSST, at(1, 0, 0), uint32(2)) +
		xlsRecord(office.XLSNumber, at(1, 1, 1), 46112.0) +
		xlsRecord(office.XLSRK, at(1, 2, 2), uint32(123456<<2|3)) +
		xlsRecord(office.XLSMulRK, uint16(2), uint16(0), uint16(0), uint32(5<<2|2), uint16(0), uint32(6<<2|2), uint16(1)) +
		xlsRecord(office.XLSFormula, at(3, 0, 0), uint64(0xffff000000000000), uint16(0), uint32(0), uint16(0)) +
		xlsRecord(office.XLSString, uint16(5), uint8(0), "a sum") +
		xlsRecord(office.XLSFormula, at(3, 1, 0), 2.5, uint16(0), uint32(0), uint16(0)) +
		xlsRecord(office.XLSBoolErr, at(3, 2, 0), uint8(1), uint8(0)) +
		xlsRecord(office.XLSBoolErr, at(3, 3, 0), uint8(0x2a), uint8(1)) +
		xlsRecord(office.XLSLabel, at(4, 0, 0), uint16(3), uint8(0), "old") +
		xlsRecord(office.XLSMerged, uint16(1), uint16(0), uint16(0), uint16(0), uint16(1)) +
		xlsRecord(office.XLSBOF, uint16(0x600), uint16(0x20), uint32(0)) + xlsRecord(office.XLSNumber, at(9, 9, 0), 1.0) + xlsRecord(office.XLSEOF) // a chart
	part := documenttest.MustRead(t, "a.xls", xlsOf(globals, sheet))[0]
	want := "[Sites]\n  City|<|Café Äß|\n  Łód|2026-03-31|$1,234.6|\n  5|6|\n  a sum|2.5|TRUE|#N/A|\n  old|\n"
	if got := documenttest.Show(part); got != want || part.Format != content.XLS || part.Note != "" {
		t.Errorf("%s %q: got\n%s\nwant\n%s", part.Format, part.Note, got, want)
	}
	if cell := part.Blocks[0].Table.Rows[1][1]; cell.Date != "2026-03-31" || cell.Ref.String() != "B2" || part.Blocks[0].Place.Sheet != "Sites" {
		t.Errorf("cell %+v", cell)
	}
}

func TestUnreadableXLS(t *testing.T) {
	number := func(row, column int) string {
		return xlsRecord(office.XLSNumber, uint16(row), uint16(column), uint16(0), 7.0)
	}
	tests := []struct {
		name, data, note string
		cause            content.Cause
	}{
		{"password", xlsOf(xlsRecord(office.XLSFilePass, uint16(1), strings.Repeat("x", 52)), ""), "password protected", content.Password},
		{"no cells", xlsOf("", ""), "no filled cells", content.NoText},
		{"no sheet", documenttest.Compound("Workbook", "nothing of use"), "damaged Excel workbook", content.Damaged},
		{"far column", xlsOf("", number(0, 0)+number(0, 9_000)), "more than 1000 columns: the rest was skipped", content.Limit},
		{"cut short", documenttest.Compound("Workbook", xlsRecord(office.XLSBOF, uint16(0x600), uint16(0x10), uint32(0))+number(0, 0)), "damaged Excel workbook: only partly read", content.Damaged},
		{"Excel 4", xlsRecord(0x409, uint16(0), uint16(0x10), uint16(0)) + number(0, 0) + xlsRecord(office.XLSEOF), "", ""},
	}
	for _, tt := range tests {
		if note, cause := documenttest.Outcome(t, "a.xls", tt.data); note != tt.note || cause != tt.cause {
			t.Errorf("%s: got %q %q, want %q %q", tt.name, note, cause, tt.note, tt.cause)
		}
	}
}

// TestXLSSheetsAreTheSame checks that sheets that share their records are not all read, and that
// the first one is complete.
func TestXLSSheetsAreTheSame(t *testing.T) {
	number := func(row, column int) string {
		return xlsRecord(office.XLSNumber, uint16(row), uint16(column), uint16(0), 7.0)
	}
	const rows = 1000
	for name, records := range map[string]string{"cells": strings.Repeat(number(0, 9), 50), "nothing": strings.Repeat(xlsRecord(0), 50), "columns beyond the last": strings.Repeat(number(0, 2000), 50)} {
		var sheet strings.Builder
		for row := range rows {
			sheet.WriteString(number(row, 0) + records)
		}
		file := xlsOfSheets(50, "", sheet.String())
		part := documenttest.MustRead(t, "a.xls", file)[0]
		read := 0
		for _, b := range part.Blocks {
			read += len(b.Table.Rows)
		}
		if n := len(part.Blocks[0].Table.Rows); n != rows || read > 2*rows || part.Cause != content.Damaged && part.Cause != content.Limit {
			t.Errorf("%s: got %d rows in the first of %d sheets and %d rows in all, want %d and at most %d; note %q", name, n, len(part.Blocks), read, rows, 2*rows, part.Note)
		}
	}
}

// TestXLSSharedTexts checks that a text that many cells share is cleaned once.
func TestXLSSharedTexts(t *testing.T) {
	allocated := func(text string) float64 {
		var cells strings.Builder
		for row := range 2000 {
			cells.WriteString(xlsRecord(office.XLSLabelSST, uint16(row), uint16(0), uint16(0), uint32(0)))
		}
		file := xlsOf(xlsRecord(office.XLSSST, uint32(1), uint32(1), uint16(len(text)), uint8(0), text), cells.String())
		if got := documenttest.MustRead(t, "a.xls", file)[0].Blocks[0].Table.Rows[1999][0].Text; got != "City" {
			t.Fatalf("got %q", got)
		}
		return testing.AllocsPerRun(1, func() { documenttest.MustRead(t, "a.xls", file) })
	}
	clean, unclean := allocated("City"), allocated(" \x00City\x00 ")
	if unclean > clean+100 {
		t.Errorf("2000 cells of a text with NUL take %v allocations, want about %v", unclean, clean)
	}
}

// FuzzXLS puts the records of the fuzzer into a workbook: before its sheet and
// inside it.
func FuzzXLS(f *testing.F) {
	number := xlsRecord(office.XLSNumber, uint16(1), uint16(2), uint16(0), 7.5)
	f.Add(xlsRecord(office.XLSSST, uint32(1), uint32(1), uint16(4), uint8(0), "Ci")+xlsRecord(office.XLSContinue, uint8(1), documenttest.UTF16("ty")), xlsRecord(office.XLSLabelSST, uint16(0), uint16(0), uint16(0), uint32(0))+number)
	f.Add(xlsRecord(office.XLSFormat, uint16(164), uint16(4), uint8(0), "#,##")+xlsRecord(office.XLSXF, uint16(0), uint16(164)), xlsRecord(office.XLSMerged, uint16(1), uint16(0), uint16(9), uint16(0), uint16(9))+number)
	f.Add("", xlsRecord(office.XLSFormula, uint16(3), uint16(0), uint16(0), uint64(0xffff000000000000))+xlsRecord(office.XLSString, uint16(5), uint8(0), "a sum"))
	f.Fuzz(func(t *testing.T, globals, sheet string) { documenttest.Check(t, "a.xls", xlsOf(globals, sheet)) })
}

// xlsRecord makes a record of an Excel 97-2003 workbook.
func xlsRecord(kind int, values ...any) string {
	body := documenttest.Bytes(values...)
	return documenttest.Bytes(uint16(kind), uint16(len(body)), body)
}

// xlsOf makes a workbook from the records before its sheet and those of its one
// sheet.
func xlsOf(globals, sheet string) string { return xlsOfSheets(1, globals, sheet) }

// xlsOfSheets makes a workbook with a number of sheets that all consist of the same records.
func xlsOfSheets(n int, globals, sheet string) string {
	begin := xlsRecord(office.XLSBOF, uint16(0x600), uint16(5), strings.Repeat("\x00", 12))
	bounds := func(at int) string {
		return strings.Repeat(xlsRecord(office.XLSBoundSheet, uint32(at), uint8(0), uint8(0), uint8(5), uint8(0), "Sites"), n)
	}
	end := xlsRecord(office.XLSEOF)
	at := len(begin + bounds(0) + globals + end)
	stream := begin + globals + bounds(at) + end + xlsRecord(office.XLSBOF, uint16(0x600), uint16(0x10), strings.Repeat("\x00", 12)) + sheet + end
	return documenttest.Compound("Workbook", stream, "\x05SummaryInformation", "x")
}
