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
func TestColumnsOfProseAreLines(t *testing.T) {
	var lines []textLine
	for i := range 200 {
		lines = append(lines, threeColumns(float64(-i)))
	}
	if items := alignedTables(lines, nil); len(items) != len(lines) {
		t.Errorf("%d items for %d lines", len(items), len(lines))
	}
}

// threeColumns returns a line at y with texts in three columns.
func threeColumns(y float64) textLine {
	l := textLine{y: y, size: 1}
	for c := range 3 {
		x := float64(100 * c)
		l.segments = append(l.segments, segment{strings.Repeat("a", 40), x, x + 40, y, 1})
	}
	return l
}

// TestEarlierLinesAreNotExamined puts two distant texts of one column into an early line. The
// search examines this line again only if the last line joins columns, and only if it is near.
// Otherwise each further line would take longer than the one before.
func TestEarlierLinesAreNotExamined(t *testing.T) {
	apart := []column{{from: 0, to: 40}, {from: 100, to: 140}, {from: 200, to: 240}}
	joined := []column{{from: 0, to: 140}, {from: 200, to: 240}}
	for name, tt := range map[string]struct {
		after   int // lines after the one with distant texts
		columns []column
		want    bool
	}{
		"the last line":                    {0, joined, true},
		"columns are joined":               {1, joined, true},
		"columns are joined, far below":    {maxExamined + 1, joined, false},
		"columns stay apart":               {1, []column{{from: 0, to: 41}, {from: 100, to: 141}, {from: 200, to: 240}}, false},
		"one column, which was one before": {1, nil, false},
	} {
		before, columns := apart, tt.columns
		if columns == nil {
			before, columns = joined, joined
		}
		lines := []textLine{threeColumns(0)}
		for i := range tt.after {
			l := threeColumns(float64(-1 - i))
			l.segments = l.segments[2:] // in the last column only
			lines = append(lines, l)
		}
		if got := joinsDistant(before, columns, lines, nil); got != tt.want {
			t.Errorf("%s: joinsDistant = %v", name, got)
		}
	}
}
