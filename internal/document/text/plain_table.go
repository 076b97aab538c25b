package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"understudy.example/internal/document/content"
)

// maxVain limits the searches for tables whose columns turn out not to be aligned. It is the
// number of bytes in the searched lines of the whole submission.
const maxVain = 8 << 20

// tables finds the tables in the lines of a text, from the first line to the last.
type tables struct {
	lines  []string
	cells  int             // that one table may have
	left   *int            // bytes in lines that may still be searched and turn out not to be aligned
	rulers [separators]int // the first line after the last rulers that no table follows
	rows   []string        // reused for the lines of each table
}

// separator is what separates the columns of a table.
type separator int

const (
	bars separator = iota
	tabs
	spaces
	separators
)

// tableAt reads a table from the lines that start at an index when they form one: columns
// separated by bars, by tabs, or by spaces that align them. It returns the
// number of lines that the table takes.
func (t *tables) tableAt(at int) (*content.Table, int) {
	if len(t.lines)-at < 3 || t.lines[at] == "" {
		return nil, 0
	}
	line := t.lines[at]
	switch {
	case strings.Count(line, "|") >= 2 || strings.HasPrefix(line, "+-"):
		return t.collectRows(at, bars, columnsAtBars, splitAtBars, 2)
	case strings.Contains(strings.TrimSpace(line), "\t"):
		return t.collectRows(at, tabs, columnsAtTabs, splitAtTabs, 2)
	case strings.Contains(strings.TrimSpace(line), "   ") && *t.left > 0:
		if table, n := t.spaced(at); table != nil {
			return table, n
		}
		return t.printed(at)
	}
	return nil, 0
}

// searchedInVain counts a number of lines and the line below them, which ended the search.
func (t *tables) searchedInVain(at, n int) {
	for _, line := range t.lines[at:min(at+n+1, len(t.lines))] {
		*t.left -= len(line)
	}
}

func columnsAtBars(s string) int {
	if strings.Count(s, "|") < 2 {
		return 0
	}
	return strings.Count(withoutOuterBars(s), "|") + 1
}

func splitAtBars(s string) []string { return strings.Split(withoutOuterBars(s), "|") }

func withoutOuterBars(s string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "|"), "|")
}

func columnsAtTabs(s string) int { return strings.Count(s, "\t") + 1 }

func splitAtTabs(s string) []string { return strings.Split(s, "\t") }

// isRuler reports whether a line is a ruler: it has three or more of '-' and '=' in a row, and
// otherwise only dashes, bars, plus signs, colons, underscores and blanks.
func isRuler(line string) bool {
	dashes, isDrawn := 0, false
	for i := range len(line) {
		switch line[i] {
		case '-', '=':
			dashes++
			isDrawn = isDrawn || dashes == 3
		case ' ', '\t', '\n', '\f', '\r', '|', '+', ':', '_':
			dashes = 0
		default:
			return false
		}
	}
	return isDrawn
}

// collectRows takes lines while they have as many columns as the first. It skips
// horizontal lines drawn with dashes. It returns nil if the lines are not a table, and the number
// of lines that it has taken. It splits the lines only if they are a table.
func (t *tables) collectRows(at int, by separator, columns func(string) int, split func(string) []string, least int) (*content.Table, int) {
	if at < t.rulers[by] {
		return nil, 0 // these lines were searched for the first of the rulers
	}
	rows, n, width := t.rows[:0], 0, 0
	for _, line := range t.lines[at:] {
		if isRuler(line) {
			if n++; width == 0 {
				t.rulers[by] = at + n
			}
			continue
		}
		if line == "" {
			break
		}
		found := columns(line)
		if found < least || found > content.MaxColumns || width > 0 && found != width || len(rows)*width >= t.cells || 2*found > t.cells {
			break
		}
		width = found
		rows = append(rows, line)
		n++
	}
	t.rows = rows
	if n < 3 || len(rows) < 2 {
		return nil, n
	}
	table := &content.Table{Rows: make([][]content.Cell, len(rows))}
	for r, line := range rows {
		row := make([]content.Cell, width)
		for c, text := range split(line) {
			row[c].Text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "*"))
		}
		content.SetRefs(row, r+1)
		table.Rows[r] = row
	}
	return table, n
}

// spaced reads a table whose columns are separated by spaces. Every column starts, or every
// column ends, at the same position in all lines.
func (t *tables) spaced(at int) (*content.Table, int) {
	var starts, ends, s, e []int
	ragged := false
	table, n := t.collectRows(at, spaces, func(line string) int {
		if s, e = appendColumns(line, s[:0], e[:0]); starts == nil {
			starts, ends = slices.Clone(s), slices.Clone(e)
		}
		if len(s) == len(starts) {
			for c := range s {
				if s[c] != starts[c] && e[c] != ends[c] {
					ragged = true
					return 0
				}
			}
		}
		return columnsAtGaps(line)
	}, splitAtGaps, 3)
	if ragged || table == nil {
		t.searchedInVain(at, n)
		return nil, 0
	}
	return table, n
}

// wideGap returns the start and the end of the first gap from an index on: two or more spaces, or one
// or more tabs. If there is none, both are the length of the text.
func wideGap(s string, from int) (start, end int) {
	for start = from; start < len(s); start = max(end, start+1) {
		end = start
		switch s[start] {
		case ' ':
			for end < len(s) && s[end] == ' ' {
				end++
			}
			if end-start >= 2 {
				return start, end
			}
		case '\t':
			for end < len(s) && s[end] == '\t' {
				end++
			}
			return start, end
		}
	}
	return len(s), len(s)
}

// columnsAtGaps returns how many texts splitAtGaps returns.
func columnsAtGaps(line string) int {
	line = strings.TrimSpace(line)
	n := 1
	for start, end := wideGap(line, 0); start < len(line); start, end = wideGap(line, end) {
		n++
	}
	return n
}

func splitAtGaps(line string) (texts []string) {
	line = strings.TrimSpace(line)
	for at := 0; ; {
		start, end := wideGap(line, at)
		texts = append(texts, line[at:start])
		if start == len(line) {
			return texts
		}
		at = end
	}
}

// appendColumns appends where the columns of a line start and end, in characters.
func appendColumns(line string, starts, ends []int) (_, _ []int) {
	at, characters := 0, 0 // characters before at
	for at < len(line) {
		start, next := wideGap(line, at)
		end := characters + utf8.RuneCountInString(line[at:start])
		if start > at {
			starts = append(starts, characters)
			ends = append(ends, end)
		}
		at, characters = next, end+next-start
	}
	return starts, ends
}
