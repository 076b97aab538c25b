package schedule

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/lazyregexp"
)

var (
	wide = lazyregexp.New(` {2,}`)
	rule = lazyregexp.New(`^[\s|:+=_-]+$`)
)

// separators of the cells of a line.
const (
	byTab = iota + 1
	byBar
	bySpaces
	bySemicolon
	separators
)

// splitLine returns the cells of a line and their separator; 0 if the line has fewer than
// three cells.
func splitLine(text string) ([]string, int) {
	text = strings.TrimRight(text, " \r\t")
	switch {
	case strings.Count(text, "|") >= 2:
		if inner, framed := strings.CutPrefix(strings.TrimSpace(text), "|"); framed {
			text = strings.TrimSuffix(inner, "|")
		}
		return strings.Split(text, "|"), byBar
	case strings.Count(text, "\t") >= 2:
		return strings.Split(text, "\t"), byTab
	}
	if strings.Count(text, ";") >= 3 && !strings.Contains(text, ": ") {
		return strings.Split(text, ";"), bySemicolon
	}
	if cells := wide.Split(strings.TrimSpace(text), -1); len(cells) >= 3 {
		return cells, bySpaces
	}
	return nil, 0
}

// textTable returns the lines of text from block i on that look like the rows of a table,
// and their number.
func (s *scanner) textTable(i int) (n int, t *textTable) {
	_, separator := splitLine(s.blocks[i].Text)
	if separator == 0 || i < s.rulers[separator] {
		return 0, nil // these lines were searched for the first of the rulers
	}
	t = &textTable{Table: &content.Table{}}
	starts := columnStarts(s.blocks[i].Text)
	others := 0 // lines since the last row
	for j := i; j < len(s.blocks) && len(t.Rows) < maxRows; j++ {
		b := s.blocks[j]
		if b.Table != nil || b.Label != "" || b.Part != s.blocks[i].Part {
			break
		}
		text := strings.TrimSpace(b.Text)
		if text == "" {
			if others++; others > 2 {
				break
			}
			continue
		}
		if separator == byBar && rule.MatchString(text) || strings.Trim(text, "-=_ +\t") == "" {
			if j == max(i, s.rulers[separator]) {
				s.rulers[separator] = j + 1
			}
			continue
		}
		cells, by := splitLine(b.Text)
		if by != separator {
			if others++; others > 2 || len(text) > 100 {
				break
			}
			cells = []string{text} // a title, or the rest of a cell
		} else {
			others, n = 0, j-i+1
			if aligned := cutAt(b.Text, starts); separator == bySpaces && len(cells) != len(starts) && aligned != nil {
				cells = aligned
			}
		}
		row := make([]content.Cell, len(cells))
		for c := range cells {
			row[c].Text = strings.TrimSpace(cells[c])
		}
		t.Rows = append(t.Rows, row)
		t.blocks = append(t.blocks, j)
	}
	for len(t.Rows) > 0 && len(t.Rows[len(t.Rows)-1]) == 1 {
		t.Rows = t.Rows[:len(t.Rows)-1] // after the last row
	}
	return n, t
}

// columnStarts returns the indexes at which the cells of a line begin. Spaces separate the
// cells.
func columnStarts(text string) []int {
	starts := []int{len(text) - len(strings.TrimLeft(text, " "))}
	for _, gap := range wide.FindAllStringIndex(strings.TrimRight(text, " "), -1) {
		if gap[0] > 0 {
			starts = append(starts, gap[1])
		}
	}
	return starts
}

// cutAt returns the pieces of a line that begin at the indexes; nil if a word lies across
// one of them.
func cutAt(text string, starts []int) []string {
	var cells []string
	for i, from := range starts {
		if from > 0 && from < len(text) && text[from-1] != ' ' {
			return nil
		}
		to := len(text)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		cells = append(cells, text[min(from, len(text)):min(to, len(text))])
	}
	return cells
}

// pair is a label with its value.
type pair struct{ label, value string }

// pairsOf returns the labels with their values in a line: before a colon, or before the
// tab or gap of a line of two parts.
func pairsOf(text string) []pair {
	text = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text), "*-•#> "))
	if text == "" || len(text) > 1000 {
		return nil
	}
	segments := []string{text}
	if text = wide.ReplaceAllString(text, "\t"); strings.ContainsAny(text, "\t|;") {
		segments = strings.FieldsFunc(text, func(r rune) bool { return r == '\t' || r == '|' || r == ';' })
	}
	if len(segments) == 2 && !strings.Contains(segments[0], ":") && !strings.Contains(segments[1], ": ") {
		return []pair{{strings.TrimSpace(segments[0]), strings.TrimSpace(segments[1])}}
	}
	var pairs []pair
	for i, segment := range segments {
		label, value, ok := strings.Cut(segment, ":")
		if !ok || len(label) > 80 || strings.HasPrefix(value, "//") {
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" && i+1 < len(segments) && !strings.Contains(segments[i+1], ":") {
			value = strings.TrimSpace(segments[i+1])
		}
		pairs = append(pairs, pair{strings.Trim(label, " *_`"), strings.Trim(value, " *_`")})
	}
	return pairs
}

// splitKnown splits the value of a pair at further labels of the list: "2019, Make: Ford".
func (s *scanner) splitKnown(list string, p pair) []pair {
	pairs := []pair{p}
	for len(pairs) < 20 {
		last := &pairs[len(pairs)-1]
		at, from := s.nextLabel(list, last.value)
		if at < 0 {
			break
		}
		rest := last.value
		last.value = strings.TrimRight(rest[:from], " ,;/")
		pairs = append(pairs, pair{strings.TrimSpace(rest[from:at]), strings.TrimSpace(rest[at+1:])})
	}
	return pairs
}

// nextLabel returns the index of the first colon in a value that follows a label of the
// list, and the index at which that label begins; -1 if there is none.
func (s *scanner) nextLabel(list, value string) (colon, from int) {
	for at := range len(value) {
		if value[at] != ':' {
			continue
		}
		words := strings.Fields(value[:at])
		for n := min(4, len(words)); n >= 1; n-- {
			label := strings.Join(words[len(words)-n:], " ")
			if h, ok := s.Column(list, label); ok && h.Fit == 1 {
				if from := strings.LastIndex(value[:at], words[len(words)-n]); from >= 0 {
					return at, from
				}
			}
		}
	}
	return -1, 0
}
