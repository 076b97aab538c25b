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

// TestJoiningTablesCostsLittle checks that the keys of the known rows are computed once, not again
// for each further table.
func TestJoiningTablesCostsLittle(t *testing.T) {
	rows := func() []location.Row {
		rows := make([]location.Row, 1000)
		for i := range rows {
			rows[i].Cells = map[string]location.Cell{"location_id": {Text: fmt.Sprint(i)}, "location_address": {Text: fmt.Sprint(i, " Mill Street")}, "location_city": {Text: "Dayton"}}
		}
		return rows
	}
	known, others := rows(), rows()
	at := func(tables int) float64 {
		return testing.AllocsPerRun(1, func() {
			list := location.NewList(known)
			size := len(others) / tables
			for n := range tables {
				if found := list.Fill(others[n*size : (n+1)*size]); found != size {
					t.Errorf("%d rows of %d found", found, size)
				}
			}
		})
	}
	if one, many := at(1), at(200); many > 1.5*one {
		t.Errorf("%.0f allocations for one table, %.0f for the same rows in 200", one, many)
	}
}

// TestNotesCostLittle checks that an entry in a list of names is not compared with every
// location.
func TestNotesCostLittle(t *testing.T) {
	allocations := func(n int) float64 {
		var letter strings.Builder
		letter.WriteString("Locations:\n")
		for i := range n {
			fmt.Fprintf(&letter, "%d) Alder%d Works – sprinklers\n", i%900+1, i)
		}
		for i := range n {
			fmt.Fprintf(&letter, "- Alder%d Works: Buildings 7,200,000; Stock 2,100,000\n", i)
		}
		part := content.Part{Name: "a.txt", Format: content.Text, Blocks: []content.Block{{Text: letter.String()}}}
		return testing.AllocsPerRun(1, func() { understand(t, part) })
	}
	if few, many := allocations(100), allocations(400); many > 5*few {
		t.Errorf("%.0f allocations for 100 names, %.0f for 400", few, many)
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

// TestCellsBelowHeadersCostLittle checks that a cell which may be an address is examined once, not
// again for each row above it that may be a header.
func TestCellsBelowHeadersCostLittle(t *testing.T) {
	allocations := func(cell func(row int) string) float64 {
		var table strings.Builder
		for row := range 150 {
			fmt.Fprintf(&table, "No,%q,Building Value,City\n", cell(row))
		}
		return testing.AllocsPerRun(1, func() {
			if _, err := Extract(t.Context(), "a.csv", strings.NewReader(table.String()), int64(table.Len())); err != nil {
				t.Error(err)
			}
		})
	}
	places := "Locations " + strings.Repeat("Springfield, IL 62701 and ", 20)
	with, without := allocations(func(row int) string { return fmt.Sprint(places, row) }), allocations(func(row int) string { return fmt.Sprint("Locations ", row) })
	if with > 4*without {
		t.Errorf("%.0f allocations with addresses, %.0f without", with, without)
	}
}
