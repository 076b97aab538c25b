package office_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

func TestXLSX(t *testing.T) {
	money, dates := `"£"#,##0.00;("£"#,##0.00);"Nil"`, "dd/mm/yyyy"
	book := workbookOf(t, func(f *excelize.File) {
		moneyStyle, err := f.NewStyle(&excelize.Style{CustomNumFmt: &money})
		if err != nil {
			t.Fatal(err)
		}
		dateStyle, err := f.NewStyle(&excelize.Style{CustomNumFmt: &dates})
		if err != nil {
			t.Fatal(err)
		}
		set := func(cell string, v any) {
			if err := f.SetCellValue("Sheet1", cell, v); err != nil {
				t.Fatal(err)
			}
		}
		set("A1", "Schedule of values")
		_ = f.MergeCell("Sheet1", "A1", "C1")
		set("A3", "Zip")
		set("B3", "Value")
		set("C3", "Built")
		set("A4", "02134")
		set("B4", 1234567.5)
		set("C4", time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC))
		set("A5", true)
		set("B5", 0)
		set("B6", -20)
		set("D6", 0.25)
		_ = f.SetCellStyle("Sheet1", "B4", "B6", moneyStyle)
		_ = f.SetCellStyle("Sheet1", "C4", "C4", dateStyle)
		_, _ = f.NewSheet("Old")
		_ = f.SetCellValue("Old", "A1", "last year")
		_ = f.SetSheetVisible("Old", false)
		_, _ = f.NewSheet("New")
		_ = f.SetCellValue("New", "B2", 7)
	})
	part := documenttest.MustRead(t, "a.xlsx", book)[0]
	want := "[Sheet1]\n  Schedule of values|<|<|\n  \n  Zip|Value|Built|\n  02134|£1,234,567.50|2026-03-31|\n  TRUE|Nil|\n  |(£20.00)||0.25|\n[New]\n  \n  |7|\n[Old]\n  last year|\n"
	if got := documenttest.Show(part); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	rows := part.Blocks[0].Table.Rows
	if zip, value, built := rows[3][0], rows[3][1], rows[3][2]; zip.Number != nil || value.Number == nil || *value.Number != 1234567.5 || value.Ref.String() != "B4" || built.Date != "2026-03-31" {
		t.Errorf("cells %+v %+v %+v", zip, value, built)
	}
	if !part.Blocks[2].Table.Hidden || part.Blocks[1].Table.Hidden || part.Blocks[0].Place.Sheet != "Sheet1" {
		t.Error("hidden sheets or places are wrong")
	}
}

func TestHostileXLSX(t *testing.T) {
	var sparse strings.Builder
	sparse.WriteString(`<worksheet><sheetData>`)
	for i := range 10_000 {
		fmt.Fprintf(&sparse, `<row><c r="ALL%d"><v>1</v></c></row>`, i+1)
	}
	sparse.WriteString(`</sheetData></worksheet>`)
	tests := []struct{ name, sheet, note string }{
		{"far row", `<worksheet><sheetData><row r="1"><c><v>1</v></c></row><row r="2000000000"><c r="A2000000000"><v>1</v></c></row></sheetData></worksheet>`, "more than 200000 rows: the rest was skipped"},
		{"far column", `<worksheet><sheetData><row><c><v>1</v></c><c r="XFD1"><v>1</v></c></row></sheetData></worksheet>`, "more than 1000 columns: the rest was skipped"},
		{"sparse", sparse.String(), fmt.Sprintf("more than %d cells: the rest was skipped", content.MaxCells)},
		{"merged all", `<worksheet><sheetData><row><c><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>`, ""},
		{"cut short", `<worksheet><sheetData><row><c><v>1</v></c></row><row><c><v`, "damaged Excel workbook: only partly read"},
	}
	for _, tt := range tests {
		parts, err := documenttest.Read(t, "a.xlsx", sheetXML(t, tt.sheet))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if parts[0].Note != tt.note {
			t.Errorf("%s: note %q, want %q", tt.name, parts[0].Note, tt.note)
		}
	}
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<worksheet><sheetData><row r="2"><c r="B2" t="str"><v>x</v></c></row></sheetData><mergeCells><mergeCell ref="A1:C3"/></mergeCells></worksheet>`)
	f.Fuzz(func(t *testing.T, sheet string) { documenttest.Check(t, "a.xlsx", sheetXML(t, sheet)) })
}

// workbookOf makes a workbook with another library, so that the reader is not
// tested against its own idea of the format.
func workbookOf(t *testing.T, fill func(f *excelize.File)) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	fill(f)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sheetXML makes a workbook of one sheet from the XML of the sheet.
func sheetXML(t testing.TB, sheet string) string {
	return documenttest.Zip(t,
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml", sheet)
}

func TestLongCellText(t *testing.T) {
	long := sheetXML(t, `<worksheet><sheetData><row><c t="str"><v>`+strings.Repeat("x", 9<<20))
	if note, _ := documenttest.Outcome(t, "a.xlsx", long); note == "" {
		t.Error("a text of 9 MiB was read completely")
	}
}

// TestXLSXEmptyRows checks that empty rows without a number take their place, and count
// against the limit on rows, so that the rest of the sheet is not unpacked.
func TestXLSXEmptyRows(t *testing.T) {
	sheet := func(rows string) string {
		const filled = `<row><c t="inlineStr"><is><t>a</t></is></c></row>`
		return documenttest.Zip(t, "xl/workbook.xml", `<workbook><sheets><sheet name="A"/></sheets></workbook>`,
			"xl/worksheets/sheet1.xml", "<worksheet><sheetData>"+filled+rows+filled+"</sheetData></worksheet>")
	}
	part := documenttest.MustRead(t, "a.xlsx", sheet("<row/>"))[0]
	if rows := part.Blocks[0].Table.Rows; len(rows) != 3 || len(rows[1]) != 0 || rows[2][0].Ref.String() != "A3" {
		t.Errorf("got rows %+v, want a, an empty row and a", rows)
	}
	part = documenttest.MustRead(t, "a.xlsx", sheet(strings.Repeat("<row/>", content.MaxRows)))[0]
	if rows := part.Blocks[0].Table.Rows; len(rows) != 1 || part.Cause != content.Limit || !strings.HasPrefix(part.Note, "more than 200000 rows") {
		t.Errorf("got %d rows, note %q; want 1 and a note on the limit", len(rows), part.Note)
	}
}
