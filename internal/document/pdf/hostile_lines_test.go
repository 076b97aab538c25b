package pdf

import (
	"strings"
	"testing"
)

// TestLongRunsAreSplit splits a run with 300,000 columns.
func TestLongRunsAreSplit(t *testing.T) {
	const columns = 300_000
	r := run{text: strings.Repeat("é   ", columns), x1: 4 * columns}
	if parts := splitAtSpaces([]run{r}); len(parts) != columns || parts[columns-1].x0 != 4*(columns-1) {
		t.Errorf("%d parts, the last one at %v", len(parts), parts[len(parts)-1].x0)
	}
}

// TestColumnsOfProseAreLines reads lines in three columns whose texts are too long for a table.
// The search for a table begins again at each line.
func TestColumnsOfProseAreLines(t *testing.T) {
	var lines []textLine
	for i := range 4000 {
		y := float64(-i)
		l := textLine{y: y, size: 1}
		for c := range 3 {
			x := float64(100 * c)
			l.segments = append(l.segments, segment{strings.Repeat("a", 40), x, x + 40, y, 1})
		}
		lines = append(lines, l)
	}
	if items := alignedTables(lines, nil); len(items) != len(lines) {
		t.Errorf("%d items for %d lines", len(items), len(lines))
	}
}
