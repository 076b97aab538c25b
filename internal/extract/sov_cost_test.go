package extract

import (
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/source"
)

// TestComparingNamesCostsLittle checks that the names of a table are prepared once, not
// for every row of another one.
func TestComparingNamesCostsLittle(t *testing.T) {
	table := func(n int, name string) []location.Row {
		rows := make([]location.Row, n)
		for i := range rows {
			rows[i].Cells = map[string]location.Cell{"~name": {Text: fmt.Sprintf("%s %d, %s", name, i, strings.Repeat("long name ", 20))}}
		}
		return rows
	}
	rows, others := table(250, "site"), table(250, "plant")
	matched := 0
	allocated := testing.AllocsPerRun(1, func() { matched = location.Fill(rows, others) })
	if matched != 0 || allocated > 20_000 { // 62,500 pairs
		t.Errorf("%d rows matched, %.0f allocations", matched, allocated)
	}
}

// TestNamesThatBeginAlikeMatch checks that the values of a row are added to the row whose
// name begins with its name, or with which its name begins.
func TestNamesThatBeginAlikeMatch(t *testing.T) {
	rows := []location.Row{{Cells: map[string]location.Cell{"~name": {Text: "Harbour Warehouse"}}}}
	others := []location.Row{{Cells: map[string]location.Cell{"~name": {Text: "Harbour Warehouse, north wing"}, "stock_value": {Text: "5"}}}}
	if matched := location.Fill(rows, others); matched != 1 || rows[0].Cells["stock_value"].Text != "5" {
		t.Errorf("%d rows matched: %v", matched, rows)
	}
}

// TestCellTextIsShared checks that a text that many cells share is not copied for each,
// and that only its beginning is examined.
func TestCellTextIsShared(t *testing.T) {
	long := strings.Repeat("word ", 10_000)
	c, at := location.Column{Field: "location_address", From: 1}, source.Place{}
	if cell, ok := location.ReadCell(c, content.Cell{Text: long}, at); !ok || len(cell.Text) > layout.MaxCellText {
		t.Errorf("%t, %d bytes", ok, len(cell.Text))
	}
	text := strings.Repeat("word ", 70) + "end"
	if allocated := testing.AllocsPerRun(10, func() { layout.SingleSpaced(text) }); allocated != 0 {
		t.Errorf("%.0f allocations", allocated)
	}
	for given, want := range map[string]string{"": "", " a ": "a", "a  b": "a b", "a\nb": "a b", "a b": "a b", "a\u00a0b ": "a b", "  ": ""} {
		if got := layout.SingleSpaced(given); got != want {
			t.Errorf("singleSpaced(%q) is %q, want %q", given, got, want)
		}
	}
}

// TestTextOfTablesIsLimited checks that cells are cut when tables have very much text, and
// only then.
func TestTextOfTablesIsLimited(t *testing.T) {
	parts := func() []content.Part {
		rows := make([][]content.Cell, 10)
		for i := range rows {
			rows[i] = []content.Cell{{Text: strings.Repeat("x", 1000)}, {Text: "short"}}
		}
		return []content.Part{{Blocks: []content.Block{{Table: &content.Table{Rows: rows}}}}}
	}
	whole, shortened := parts(), parts()
	layout.ShortenCells(whole, 10_050)
	layout.ShortenCells(shortened, 10_049)
	if row := whole[0].Blocks[0].Table.Rows[9]; len(row[0].Text) != 1000 || whole[0].Note != "" {
		t.Errorf("within the limit: %d bytes, note %q", len(row[0].Text), whole[0].Note)
	}
	if row := shortened[0].Blocks[0].Table.Rows[9]; len(row[0].Text) != 10_049/20 || row[1].Text != "short" || shortened[0].Note == "" {
		t.Errorf("beyond the limit: %d bytes, note %q", len(row[0].Text), shortened[0].Note)
	}
}
