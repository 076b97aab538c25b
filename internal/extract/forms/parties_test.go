package forms

import (
	"slices"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/source"
)

// TestLongTableOfParties checks the limit on the rows below a header that are searched for the
// names of parties, because each of the first rows of a table can be such a header.
func TestLongTableOfParties(t *testing.T) {
	t.Parallel()
	row := func(texts ...string) (cells []content.Cell) {
		for _, text := range texts {
			cells = append(cells, content.Cell{Text: text})
		}
		return cells
	}
	for rows, want := range map[int]bool{10: true, layout.MaxPairRows: true, layout.MaxPairRows + 1: false} {
		table := &content.Table{Rows: [][]content.Cell{row("Role", "Name", "Phone", "Email")}}
		table.Rows = append(table.Rows, slices.Repeat([][]content.Cell{row("Unknown", "A", "B", "C")}, rows-1)...)
		table.Rows = append(table.Rows, row("Producer", "Ann Quill", "217 555 0100", "ann@quill.example"))
		set := candidate.NewSet(&layout.Document{Parts: []content.Part{{}}})
		New(assign.New(set), nil).roleTable(table, 0, source.Place{})
		if got := len(set.Readings) > 0; got != want {
			t.Errorf("a party in row %d below the header is found: %v, want %v", rows, got, want)
		}
	}
}
