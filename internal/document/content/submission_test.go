package content

import (
	"slices"
	"testing"
)

// TestCellsOfSubmission checks that the tables of all files together have a limit on their cells,
// and that text is added after it.
func TestCellsOfSubmission(t *testing.T) {
	t.Parallel()
	r := &reading{}
	row := make([]Cell, MaxColumns)
	kept := 0
	for range 3 {
		f := &File{Part: &Part{}, reading: r}
		table := &Table{Rows: slices.Repeat([][]Cell{row}, MaxCells/MaxColumns-1)}
		if !f.Add(Block{Table: table}) || !f.Add(Block{Text: "after the table"}) || len(f.Blocks) != 2 {
			t.Fatalf("got %d blocks, want a table and a text", len(f.Blocks))
		}
		kept += len(table.Rows)
		if isCut := kept == maxCells/MaxColumns; isCut != (f.Cause == Limit) {
			t.Errorf("after %d rows in all, the cause is %q", kept, f.Cause)
		}
	}
	if kept != maxCells/MaxColumns {
		t.Errorf("got %d cells in all, want %d", kept*MaxColumns, maxCells)
	}
}

// TestBudget checks that the files of a submission share a budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	r := &reading{}
	first, second := &File{reading: r}, &File{reading: r}
	*first.Budget("tags", 10) -= 4
	if left, other := *second.Budget("tags", 10), *second.Budget("pages", 10); left != 6 || other != 10 {
		t.Errorf("got %d and %d left, want 6 and 10", left, other)
	}
}

// TestCellsOfFlows checks that the flows of all files together build a limited number of cells,
// including those of tables without text, which are dropped.
func TestCellsOfFlows(t *testing.T) {
	t.Parallel()
	r := &reading{}
	var last *File
	for range 3 {
		last = &File{Part: &Part{}, reading: r}
		flow := Flow{File: last}
		for range MaxCells / 10 {
			for range 10 {
				flow.EndCell()
			}
			flow.EndRow()
			if len(flow.rows) == 100 {
				flow.EndTable()
			}
		}
	}
	if left := *last.Budget("cells of flows", maxFlowCells); left != 0 || last.Cause != Limit {
		t.Errorf("%d cells are left, the cause is %q", left, last.Cause)
	}
}
