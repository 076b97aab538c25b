package text

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"understudy.example/internal/document/content"
)

var (
	wideGap = regexp.MustCompile(` {2,}|\t+`)
	ruler   = regexp.MustCompile(`^[\s|+:=_-]*[-=]{3}[\s|+:=_-]*$`)
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
		return t.collectRows(at, bars, splitAtBars, 2)
	case strings.Contains(strings.TrimSpace(line), "\t"):
		return t.collectRows(at, tabs, func(s string) []string { return strings.Split(s, "\t") }, 2)
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

func splitAtBars(s string) []string {
	if strings.Count(s, "|") < 2 {
		return nil
	}
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "|"), "|")
	return strings.Split(s, "|")
}

// collectRows takes lines while they have as many cells as the first. It skips
// horizontal lines drawn with dashes. It returns nil if the lines are not a table, and the number
// of lines that it has taken.
func (t *tables) collectRows(at int, by separator, split func(string) []string, least int) (*content.Table, int) {
	if at < t.rulers[by] {
		return nil, 0 // these lines were searched for the first of the rulers
	}
	table, n, width := &content.Table{}, 0, 0
	for _, line := range t.lines[at:] {
		if ruler.MatchString(line) {
			if n++; width == 0 {
				t.rulers[by] = at + n
			}
			continue
		}
		if line == "" {
			break
		}
		texts := split(line)
		if len(texts) < least || len(texts) > content.MaxColumns || width > 0 && len(texts) != width || len(table.Rows)*width >= t.cells {
			break
		}
		width = len(texts)
		row := make([]content.Cell, width)
		for c, text := range texts {
			text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "*"))
			row[c] = content.Cell{Text: text, Ref: content.CellRef(len(table.Rows)+1, c+1)}
		}
		table.Rows = append(table.Rows, row)
		n++
	}
	if n < 3 || len(table.Rows) < 2 {
		return nil, n
	}
	return table, n
}

// spaced reads a table whose columns are separated by spaces. Every column starts, or every
// column ends, at the same position in all lines.
func (t *tables) spaced(at int) (*content.Table, int) {
	var starts, ends []int
	ragged := false
	table, n := t.collectRows(at, spaces, func(line string) []string {
		cells := wideGap.Split(strings.TrimSpace(line), -1)
		s, e := columns(line)
		if starts == nil {
			starts, ends = s, e
		}
		if len(s) != len(starts) {
			return cells
		}
		for c := range s {
			if s[c] != starts[c] && e[c] != ends[c] {
				ragged = true
				return nil
			}
		}
		return cells
	}, 3)
	if ragged || table == nil {
		t.searchedInVain(at, n)
		return nil, 0
	}
	return table, n
}

// columns returns where the columns of a line start and end, in characters.
func columns(line string) (starts, ends []int) {
	at, characters := 0, 0 // characters before at
	for _, gap := range append(wideGap.FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
		end := characters + utf8.RuneCountInString(line[at:gap[0]])
		if gap[0] > at {
			starts = append(starts, characters)
			ends = append(ends, end)
		}
		at, characters = gap[1], end+gap[1]-gap[0]
	}
	return starts, ends
}
