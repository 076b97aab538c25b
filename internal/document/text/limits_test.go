package text

import (
	"slices"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// TestLinesUpToLimit: lines beyond the limit of text cost no time, not even
// empty ones.
func TestLinesUpToLimit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Named Insured: Foxglove Bakery LLC\n", "a\n\n"} {
		readWith(t, func(f *content.File) error {
			lines := upToLimit(f, decode.Lines(strings.Repeat(line, content.MaxText/len(line)+100)))
			if size := len(strings.Join(lines, "\n")); size > content.MaxText || size < content.MaxText-100 || f.Cause != content.Limit {
				t.Errorf("got %d bytes of %q and cause %q", size, line, f.Cause)
			}
			return nil
		})
	}
}

// TestCSVAllocations checks that rows take few allocations: a table can have hundreds
// of thousands of cells.
func TestCSVAllocations(t *testing.T) {
	record := strings.Split(strings.Repeat("some text,", 200), ",")
	if allocated := testing.AllocsPerRun(10, func() { csvRow(record, 7) }); allocated > 1 {
		t.Errorf("a row of 200 cells takes %v allocations, want 1", allocated)
	}
	if row := csvRow(record, 7); row[199].Ref != content.CellRef(7, 200) || row[199].Text != "some text" || len(row) != 200 {
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

func tablesOf(lines []string) *tables {
	left := maxVain
	return &tables{lines: lines, left: &left, cells: content.MaxCells}
}

// TestRaggedColumns checks that lines whose columns are not aligned are searched for tables
// only up to a limit, and that a table is found before it.
func TestRaggedColumns(t *testing.T) {
	t.Parallel()
	table := []string{"City       Value   Year", "Dayton     100     1990", "Toledo     200     1991"}
	found := tablesOf(table)
	if got, n := found.tableAt(0); got == nil || n != 3 || *found.left != maxVain {
		t.Errorf("got a table of %d lines and %d bytes searched in vain, want 3 and 0", n, maxVain-*found.left)
	}
	// The last line does not fit, so no line begins a table.
	const wide, limit = 1000, 100_000 // of bytes that are searched in vain
	for name, line := range map[string]string{"lines": table[0], "wide lines": strings.TrimSpace(strings.Repeat("City   ", wide/7)), "with rulers": table[0] + "\n" + strings.Repeat("-", wide)} {
		columns := columnsAtGaps(line) - 1
		lines := strings.Split(strings.Repeat(line+"\n", 200)+"a"+strings.Repeat("   b", columns), "\n")
		found := tablesOf(lines)
		*found.left = limit
		for i := range lines {
			if got, _ := found.tableAt(i); got != nil {
				t.Fatalf("%s: line %d begins a table", name, i)
			}
		}
		if size := len(strings.Join(lines, "")); *found.left > 0 || *found.left < -2*size {
			t.Errorf("%s: %d bytes were searched in vain, want about %d", name, limit-*found.left, limit)
		}
	}
}

// TestOnlyRulers checks that lines that are only rulers are searched for tables once, whatever
// separates their columns.
func TestOnlyRulers(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"|---|", "+---+", "--\t--\t---"} {
		lines := append(slices.Repeat([]string{line}, 2000), "|a|b|", "text")
		found, searched := tablesOf(lines), 0
		for i := range lines {
			table, n := found.tableAt(i)
			if table != nil {
				t.Fatalf("line %d of %q begins a table", i, line)
			}
			searched += n
		}
		if searched > 2*len(lines) {
			t.Errorf("%d lines of %q were searched, want at most two for each of the %d lines", searched, line, len(lines))
		}
	}
	// Lines below rulers are still searched for tables with the same separator and with others.
	lines := []string{"|---|", "--\t---", "a\tb", "c\td", "", "|---|", "|a|b|", "|c|d|"}
	found := tablesOf(lines)
	for i, want := range []int{0, 3, 0, 0, 0, 3} {
		if table, n := found.tableAt(i); table == nil && want > 0 || table != nil && n != want {
			t.Errorf("line %d begins a table of %d lines, want %d", i, n, want)
		}
	}
}

// TestWideLines checks that the time for a line of many columns grows with its length only, and
// that tables have limits.
func TestWideLines(t *testing.T) {
	t.Parallel()
	const columns = 400_000
	wide := strings.Repeat("a   ", columns) + "a"
	found := tablesOf([]string{wide, wide, wide, ""})
	done := make(chan bool, 1)
	go func() {
		table, _ := found.tableAt(0)
		done <- table == nil
	}()
	select {
	case ok := <-done:
		if !ok {
			t.Errorf("lines of %d columns are a table", columns)
		}
	case <-time.After(time.Minute):
		t.Fatalf("lines of %d columns were not searched within a minute", columns)
	}
	row := strings.Repeat("a|", content.MaxColumns-1) + "a"
	found = tablesOf(slices.Repeat([]string{row + "|a"}, 3))
	if table, _ := found.tableAt(0); table != nil {
		t.Errorf("a table has %d columns, want at most %d", len(table.Rows[0]), content.MaxColumns)
	}
	found = tablesOf(slices.Repeat([]string{row}, 2*content.MaxCells/content.MaxColumns))
	if table, n := found.tableAt(0); table == nil || n*content.MaxColumns != content.MaxCells {
		t.Errorf("a table has %d rows of %d cells, want %d cells in all", n, content.MaxColumns, content.MaxCells)
	}
}

func TestColumnsAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	starts, ends := appendColumns("  Zürich  é\t\tx\xff  ", nil, nil)
	if want := []int{2, 10, 13}; !slices.Equal(starts, want) {
		t.Errorf("columns start at %v, want %v", starts, want)
	}
	if want := []int{8, 11, 15}; !slices.Equal(ends, want) {
		t.Errorf("columns end at %v, want %v", ends, want)
	}
}
