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

// maxRagged is the number of lines that are searched for tables whose columns turn out not
// to be aligned.
const maxRagged = 100_000

// tables finds the tables in the lines of a text.
type tables struct {
	ragged int // lines that were searched and turned out not to be aligned
}

// tableAt reads a table from the first lines when they form one: columns
// separated by bars, by tabs, or by spaces that align them. It returns the
// number of lines that the table takes.
func (t *tables) tableAt(lines []string) (*content.Table, int) {
	if len(lines) < 3 || lines[0] == "" {
		return nil, 0
	}
	switch {
	case strings.Count(lines[0], "|") >= 2 || strings.HasPrefix(lines[0], "+-"):
		return collectRows(lines, splitAtBars, 2)
	case strings.Contains(strings.TrimSpace(lines[0]), "\t"):
		return collectRows(lines, func(s string) []string { return strings.Split(s, "\t") }, 2)
	case strings.Contains(strings.TrimSpace(lines[0]), "   ") && t.ragged < maxRagged:
		if table, n := t.spaced(lines); table != nil {
			return table, n
		}
		return t.printed(lines)
	}
	return nil, 0
}

func splitAtBars(s string) []string {
	if strings.Count(s, "|") < 2 {
		return nil
	}
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "|"), "|")
	return strings.Split(s, "|")
}

// collectRows takes lines while they have as many cells as the first. It skips
// horizontal lines drawn with dashes.
func collectRows(lines []string, split func(string) []string, least int) (*content.Table, int) {
	table, n, width := &content.Table{}, 0, 0
	for _, line := range lines {
		if ruler.MatchString(line) {
			n++
			continue
		}
		if line == "" {
			break
		}
		texts := split(line)
		if len(texts) < least || width > 0 && len(texts) != width {
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
		return nil, 0
	}
	return table, n
}

// spaced reads a table whose columns are separated by spaces. Every column starts, or every
// column ends, at the same position in all lines.
func (t *tables) spaced(lines []string) (*content.Table, int) {
	var starts, ends []int
	searched, ragged := 0, false
	table, n := collectRows(lines, func(line string) []string {
		searched++
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
		t.ragged += searched
		return nil, 0
	}
	return table, n
}

// columns returns where the columns of a line start and end, in characters.
func columns(line string) (starts, ends []int) {
	at := 0
	for _, gap := range append(wideGap.FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
		if gap[0] > at {
			starts = append(starts, utf8.RuneCountInString(line[:at]))
			ends = append(ends, utf8.RuneCountInString(line[:gap[0]]))
		}
		at = gap[1]
	}
	return starts, ends
}
