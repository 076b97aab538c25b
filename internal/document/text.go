package document

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// readText reads plain text: a block a line, blank lines kept as the borders
// of paragraphs.
func readText(r *reading, part *Part, src source) error {
	data, err := src.start(part)
	if err != nil {
		return err
	}
	lines := splitLines(decode(data, ""))
	if len(lines) == 0 {
		return unreadable(Empty, "the file is empty")
	}
	lines = within(part, lines)
	return r.lines(part, lines, quotedLines(lines, false))
}

// within gives the lines up to the most text that is kept, so that none of the
// work on them is for nothing.
func within(part *Part, lines []string) []string {
	room := maxText
	for i, line := range lines {
		if room -= len(line) + 1; room < 0 {
			part.note(Limit, "too much text: the rest left out")
			return lines[:max(i, 1)]
		}
	}
	return lines
}

// lines adds text lines as blocks; runs of lines that are plainly a table
// become one.
func (r *reading) lines(part *Part, lines []string, quoted []bool) error {
	clean := make([]string, len(lines))
	for i, line := range lines {
		if clean[i] = line; quoted[i] {
			clean[i] = unquote(line)
		}
	}
	for i := 0; i < len(lines); {
		if i%1000 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		place := Place{Line: i + 1}
		if table, n := textTable(clean[i:]); table != nil {
			if !r.keep(part, Block{Table: table, Quoted: quoted[i], Place: place}) {
				return nil
			}
			i += n
			continue
		}
		if !r.keep(part, Block{Text: clean[i], Quoted: quoted[i], Place: place}) {
			return nil
		}
		i++
	}
	return nil
}

var (
	wideGap = regexp.MustCompile(` {2,}|\t+`)
	rule    = regexp.MustCompile(`^[\s|+:=_-]*[-=]{3}[\s|+:=_-]*$`)
)

// textTable tries to read a table from the first lines: columns parted by
// bars, by tabs, or by blanks that leave them aligned. It gives the number of
// lines that the table took.
func textTable(lines []string) (*Table, int) {
	if len(lines) < 3 || lines[0] == "" {
		return nil, 0
	}
	switch {
	case strings.Count(lines[0], "|") >= 2 || strings.HasPrefix(lines[0], "+-"):
		return gather(lines, barCells, 2)
	case strings.Contains(strings.TrimSpace(lines[0]), "\t"):
		return gather(lines, func(s string) []string { return strings.Split(s, "\t") }, 2)
	case strings.Contains(strings.TrimSpace(lines[0]), "   "):
		table, n := gather(lines, func(s string) []string { return wideGap.Split(strings.TrimSpace(s), -1) }, 3)
		if table != nil && aligned(lines[:n]) {
			return table, n
		}
	}
	return nil, 0
}

func barCells(s string) []string {
	if strings.Count(s, "|") < 2 {
		return nil
	}
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "|"), "|")
	return strings.Split(s, "|")
}

// gather takes lines while they have as many cells as the first; rules drawn
// with dashes are passed over.
func gather(lines []string, cells func(string) []string, least int) (*Table, int) {
	table, n, width := &Table{}, 0, 0
	for _, line := range lines {
		if rule.MatchString(line) {
			n++
			continue
		}
		if line == "" {
			break
		}
		texts := cells(line)
		if len(texts) < least || width > 0 && len(texts) != width {
			break
		}
		width = len(texts)
		row := make([]Cell, width)
		for c, text := range texts {
			row[c] = Cell{Text: strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "*")), Ref: fmt.Sprintf("row %d, column %d", len(table.Rows)+1, c+1)}
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
// same place in all lines.
func aligned(lines []string) bool {
	var starts, ends []int
	for _, line := range lines {
		if rule.MatchString(line) {
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
