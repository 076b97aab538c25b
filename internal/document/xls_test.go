package document

import (
	"strings"
	"testing"
)

// xlsRecord makes a record of an Excel 97-2003 workbook.
func xlsRecord(kind int, values ...any) string {
	body := little(values...)
	return little(uint16(kind), uint16(len(body)), body)
}

// xlsOf makes a workbook from the records of its globals and of its one sheet.
func xlsOf(globals, sheet string) string {
	begin := xlsRecord(xlsBOF, uint16(0x600), uint16(5), strings.Repeat("\x00", 12))
	bound := func(at int) string {
		return xlsRecord(xlsBoundSheet, uint32(at), uint8(0), uint8(0), uint8(5), uint8(0), "Sites")
	}
	end := xlsRecord(xlsEOF)
	at := len(begin + bound(0) + globals + end)
	stream := begin + globals + bound(at) + end + xlsRecord(xlsBOF, uint16(0x600), uint16(0x10), strings.Repeat("\x00", 12)) + sheet + end
	return compoundOf("Workbook", stream, "\x05SummaryInformation", "x")
}

func TestXLS(t *testing.T) {
	at := func(row, column, style int) string { return little(uint16(row), uint16(column), uint16(style)) }
	style := func(format int) string {
		return xlsRecord(xlsXF, uint16(0), uint16(format), strings.Repeat("\x00", 16))
	}
	globals := xlsRecord(xlsDateMode, uint16(0)) +
		xlsRecord(xlsFormat, uint16(164), uint16(8), uint8(0), "$#,##0.0") +
		style(0) + style(14) + style(164) +
		// The second text breaks within its characters, which are narrow before
		// and wide behind; the third has formats, which are passed over.
		xlsRecord(xlsSST, uint32(3), uint32(3), uint16(4), uint8(0), "City", uint16(7), uint8(0), "Caf") +
		xlsRecord(xlsContinue, uint8(1), wide("é Äß"), uint16(3), uint8(9), uint16(1), wide("Łód"), uint32(0))
	sheet := xlsRecord(xlsLabelSST, at(0, 0, 0), uint32(0)) +
		xlsRecord(xlsLabelSST, at(0, 2, 0), uint32(1)) +
		xlsRecord(xlsLabelSST, at(1, 0, 0), uint32(2)) +
		xlsRecord(xlsNumber, at(1, 1, 1), 46112.0) +
		xlsRecord(xlsRK, at(1, 2, 2), uint32(123456<<2|3)) +
		xlsRecord(xlsMulRK, uint16(2), uint16(0), uint16(0), uint32(5<<2|2), uint16(0), uint32(6<<2|2), uint16(1)) +
		xlsRecord(xlsFormula, at(3, 0, 0), uint64(0xffff000000000000), uint16(0), uint32(0), uint16(0)) +
		xlsRecord(xlsString, uint16(5), uint8(0), "a sum") +
		xlsRecord(xlsFormula, at(3, 1, 0), 2.5, uint16(0), uint32(0), uint16(0)) +
		xlsRecord(xlsBoolErr, at(3, 2, 0), uint8(1), uint8(0)) +
		xlsRecord(xlsBoolErr, at(3, 3, 0), uint8(0x2a), uint8(1)) +
		xlsRecord(xlsLabel, at(4, 0, 0), uint16(3), uint8(0), "old") +
		xlsRecord(xlsMerged, uint16(1), uint16(0), uint16(0), uint16(0), uint16(1)) +
		xlsRecord(xlsBOF, uint16(0x600), uint16(0x20), uint32(0)) + xlsRecord(xlsNumber, at(9, 9, 0), 1.0) + xlsRecord(xlsEOF) // a chart
	part := mustRead(t, "a.xls", xlsOf(globals, sheet))[0]
	want := "[Sites]\n  City|<|Café Äß|\n  Łód|2026-03-31|$1,234.6|\n  5|6|\n  a sum|2.5|TRUE|#N/A|\n  old|\n"
	if got := show(part); got != want || part.Format != XLS || part.Note != "" {
		t.Errorf("%s %q: got\n%s\nwant\n%s", part.Format, part.Note, got, want)
	}
	if cell := part.Blocks[0].Table.Rows[1][1]; cell.Date != "2026-03-31" || cell.Ref != "B2" || part.Blocks[0].Place.Sheet != "Sites" {
		t.Errorf("cell %+v", cell)
	}
}

func TestXLSStates(t *testing.T) {
	number := func(row, column int) string {
		return xlsRecord(xlsNumber, uint16(row), uint16(column), uint16(0), 7.0)
	}
	tests := []struct {
		name, content, note string
		cause               Cause
	}{
		{"password", xlsOf(xlsRecord(xlsFilePass, uint16(1), strings.Repeat("x", 52)), ""), "password protected", Password},
		{"no cells", xlsOf("", ""), "no filled cells", NoText},
		{"no sheet", compoundOf("Workbook", "nothing of use"), "damaged Excel workbook", Damaged},
		{"far column", xlsOf("", number(0, 0)+number(0, 9_000)), "more than 1000 columns: the rest left out", Limit},
		{"cut short", compoundOf("Workbook", xlsRecord(xlsBOF, uint16(0x600), uint16(0x10), uint32(0))+number(0, 0)), "damaged Excel workbook: read in part", Damaged},
		{"Excel 4", xlsRecord(0x409, uint16(0), uint16(0x10), uint16(0)) + number(0, 0) + xlsRecord(xlsEOF), "", ""},
	}
	for _, tt := range tests {
		parts, err := document(t, "a.xls", tt.content)
		note, cause := reasonOf(parts, err)
		if note != tt.note || cause != tt.cause {
			t.Errorf("%s: %q %q, want %q %q", tt.name, note, cause, tt.note, tt.cause)
		}
	}
}
