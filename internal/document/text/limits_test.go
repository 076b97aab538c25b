package text

import (
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// TestLinesUpToLimit: lines beyond the limit of text cost no time, not even
// empty ones.
func TestLinesUpToLimit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Named Insured: Foxglove Bakery LLC\n", "a\n\n"} {
		f := &content.File{Part: &content.Part{}}
		lines := upToLimit(f, decode.Lines(strings.Repeat(line, content.MaxText/len(line)+100)))
		if size := len(strings.Join(lines, "\n")); size > content.MaxText || size < content.MaxText-100 || f.Cause != content.Limit {
			t.Errorf("got %d bytes of %q and cause %q", size, line, f.Cause)
		}
	}
}

// TestCSVAllocations checks that rows take few allocations: a table can have hundreds
// of thousands of cells.
func TestCSVAllocations(t *testing.T) {
	record, rows := strings.Split(strings.Repeat("some text,", 200), ","), csvRows{}
	if allocated := testing.AllocsPerRun(10, func() { rows.row(record, 7) }); allocated > 20 {
		t.Errorf("a row of 200 cells takes %v allocations, want at most 20", allocated)
	}
	if row := rows.row(record, 7); row[199].Ref != content.CellRef(7, 200) || row[199].Text != "some text" || len(row) != 200 {
		t.Errorf("got %d cells, the last one %+v", len(row), row[199])
	}
	lines := strings.Repeat(strings.Repeat("a,", 1000)+"\n", 1000)
	if allocated := testing.AllocsPerRun(1, func() { cutLines(lines, ',') }); allocated > 5 {
		t.Errorf("a file without a long line takes %v allocations, want at most 5", allocated)
	}
}

func TestCSVLongLinesAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(",", 200_000) + "\n"
	got := cutLines("a,b\n"+long+"c\n"+long+"d", ',')
	if want := strings.Repeat(",", 100_000) + "\n"; got != "a,b\n"+want+"c\n"+want+"d" {
		t.Errorf("got %d bytes, want two lines cut to 100,001 bytes", len(got))
	}
}

// TestDelimiterSample checks that only the beginning of a text is searched for its
// delimiter, however long its lines are.
func TestDelimiterSample(t *testing.T) {
	t.Parallel()
	text := "a,b," + strings.Repeat("x", maxSample) + "\n" + strings.Repeat("1;2;3;4\n", 10)
	if got := delimiter(text); got != ',' {
		t.Errorf("got the delimiter %q, which occurs only after the first %d bytes", got, maxSample)
	}
}

// TestRaggedColumns checks that lines whose columns are not aligned are searched for tables
// only up to a limit, and that a table is found before it.
func TestRaggedColumns(t *testing.T) {
	t.Parallel()
	table := []string{"City       Value   Year", "Dayton     100     1990", "Toledo     200     1991"}
	var found tables
	if got, n := found.tableAt(table); got == nil || n != 3 || found.ragged != 0 {
		t.Errorf("got a table of %d lines and %d searched in vain, want 3 and 0", n, found.ragged)
	}
	// The last line does not fit, so no line begins a table.
	lines := slices.Repeat(table[:2], 1000)
	lines = append(lines, "a   b   c")
	for i := range lines {
		if got, _ := found.tableAt(lines[i:]); got != nil {
			t.Fatalf("line %d begins a table", i)
		}
	}
	if found.ragged < maxRagged || found.ragged > maxRagged+len(lines) {
		t.Errorf("%d lines were searched in vain, want about %d", found.ragged, maxRagged)
	}
}
