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

// tableAt reads a table from the first lines when they form one: columns
// separated by bars, by tabs, or by spaces that align them. It returns the
// number of lines that the table takes.
func tableAt(lines []string) (*content.Table, int) {
	if len(lines) < 3 || lines[0] == "" {
		return nil, 0
	}
	switch {
	case strings.Count(lines[0], "|") >= 2 || strings.HasPrefix(lines[0], "+-"):
		return collectRows(lines, splitAtBars, 2)
	case strings.Contains(strings.TrimSpace(lines[0]), "\t"):
		return collectRows(lines, func(s string) []string { return strings.Split(s, "\t") }, 2)
	case strings.Contains(strings.TrimSpace(lines[0]), "   "):
		table, n := collectRows(lines, func(s string) []string { return wideGap.Split(strings.TrimSpace(s), -1) }, 3)
		if table != nil && aligned(lines[:n]) {
			return table, n
		}
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

// aligned reports whether every column starts, or every column ends, at the
// same position in all lines.
func aligned(lines []string) bool {
	var starts, ends []int
	for _, line := range lines {
		if ruler.MatchString(line) {
			continue
		}
		s, e := columns(line)
		if starts == nil {
			starts, ends = s, e
			continue
		}
		for c := range s {
			if c >= len(starts) || s[c] != starts[c] && e[c] != ends[c] {
				return false
			}
		}
	}
	return true
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
