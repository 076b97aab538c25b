package pdf

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// segment is text on one line without a wide gap, made of joined runs.
type segment struct {
	text   string
	x0, x1 float64
	y      float64
	size   float64
}

// textLine is the segments on one baseline, from left to right.
type textLine struct {
	y, size  float64
	segments []segment
}

// maxWordGap is the widest gap between words of a text, in multiples of its size.
const maxWordGap = 0.9

// joinRuns joins runs that follow each other on a baseline. A small gap lies
// within a word, a wider one separates words. A wide gap, a negative one or a
// vertical rule separates columns.
func joinRuns(runs []run, vertical []rule) []segment {
	vertical = append([]rule(nil), vertical...)
	sort.Slice(vertical, func(i, j int) bool { return vertical[i].at < vertical[j].at })
	var out []segment
	groups := baselines(splitAtSpaces(runs))
	edges := edgesOf(groups)
	for n, group := range groups {
		before := 0.0 // start of the previous run
		for _, r := range group {
			from := before
			before = r.x0
			s := segment{r.text, r.x0, r.x1, r.y, r.size}
			if len(out) == 0 || math.Abs(out[len(out)-1].y-s.y) > 0.5*s.size {
				out = append(out, s)
				continue
			}
			last := &out[len(out)-1]
			size := math.Max(math.Min(last.size, s.size), 0.1)
			gap := (s.x0 - last.x1) / size
			switch {
			case s.text == last.text && math.Abs(s.x0-last.x0) < 0.15*size && math.Abs(s.y-last.y) < 0.15*size:
				// It is the same text printed twice, which looks bold.
			case r.sameLine && gap < 0 && gap > -0.35:
				// Kerning moved it closer to the text before.
				last.text += s.text
				last.x1 = math.Max(last.x1, s.x1)
			case isSign(last.text) && gap > 0 && gap < maxSignGap && startsDigit(s.text) && !ruleBetween(vertical, from, s.x0, s.y+0.3*size):
				last.text += " " + s.text
				last.x1 = math.Max(last.x1, s.x1)
			case gap > minCellGap && !r.sameLine && edges.aligned(n, r) && !isMark(last.text):
				out = append(out, s) // a cell of a table with little space between the columns
			case gap < -0.15 || gap > maxWordGap || gap > 0.75 && !r.sameLine || ruleBetween(vertical, from, s.x0, s.y+0.3*size):
				out = append(out, s)
			default:
				if gap > 0.16 && !strings.HasSuffix(last.text, " ") && !strings.HasPrefix(s.text, " ") {
					last.text += " "
				}
				last.text += s.text
				last.x1, last.size = math.Max(last.x1, s.x1), math.Max(last.size, s.size)
			}
		}
	}
	kept := out[:0]
	for _, s := range out {
		if s.text = strings.Join(strings.Fields(s.text), " "); s.text != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// columnSpaces separate columns within a run, as in reports in a monospaced font.
const columnSpaces = "   "

// splitAtSpaces splits the runs in which several spaces separate columns. The places of the
// parts are exact in a monospaced font.
func splitAtSpaces(runs []run) []run {
	if !slices.ContainsFunc(runs, func(r run) bool { return strings.Contains(strings.Trim(r.text, " "), columnSpaces) }) {
		return runs
	}
	var split []run
	for _, r := range runs {
		if !strings.Contains(strings.Trim(r.text, " "), columnSpaces) {
			split = append(split, r)
			continue
		}
		width := (r.x1 - r.x0) / float64(utf8.RuneCountInString(r.text))
		at := 0 // characters before the rest
		for rest := r.text; rest != ""; {
			spaces := len(rest) - len(strings.TrimLeft(rest, " "))
			text, next, _ := strings.Cut(rest[spaces:], columnSpaces)
			length := utf8.RuneCountInString(text)
			if text != "" {
				part := r
				part.text, part.x0 = text, r.x0+width*float64(at+spaces)
				part.x1 = part.x0 + width*float64(length)
				part.sameLine = r.sameLine && at == 0
				split = append(split, part)
			}
			at += utf8.RuneCountInString(rest[:len(rest)-len(next)])
			rest = next
		}
	}
	return split
}

// maxSignGap is the widest gap between the sign of a currency and its amount, in multiples of the
// size of the text.
const maxSignGap = 8

// isSign reports whether a text is only the sign of a currency.
func isSign(text string) bool {
	text = strings.TrimSpace(text)
	return text == "$" || text == "£" || text == "€"
}

func startsDigit(text string) bool {
	text = strings.TrimLeft(text, " ")
	return text != "" && '0' <= text[0] && text[0] <= '9'
}

// baselines groups runs by line, from top to bottom, each from left to right.
func baselines(runs []run) [][]run {
	sort.SliceStable(runs, func(i, j int) bool { return runs[i].y > runs[j].y })
	var groups [][]run
	for start := 0; start < len(runs); {
		end := start + 1
		for end < len(runs) && runs[start].y-runs[end].y <= 0.3*math.Max(runs[start].size, runs[end].size) && runs[start].y-runs[end].y < 6 {
			end++
		}
		group := runs[start:end]
		sort.SliceStable(group, func(i, j int) bool { return group[i].x0 < group[j].x0 })
		groups = append(groups, group)
		start = end
	}
	return groups
}

// ruleBetween reports whether a vertical rule stands between the starts of two
// runs. Their ends do not matter: text may run over the rule at its end.
func ruleBetween(vertical []rule, from, to, y float64) bool {
	i := sort.Search(len(vertical), func(i int) bool { return vertical[i].at > from })
	for ; i < len(vertical) && vertical[i].at <= to+1; i++ {
		if vertical[i].from <= y && y <= vertical[i].to {
			return true
		}
	}
	return false
}

// textLines groups segments by baseline, from top to bottom.
func textLines(segments []segment) []textLine {
	sort.SliceStable(segments, func(i, j int) bool { return segments[i].y > segments[j].y })
	var lines []textLine
	for _, s := range segments {
		if n := len(lines); n > 0 {
			l := &lines[n-1]
			if tolerance := 0.35 * math.Max(l.size, s.size); l.y-s.y <= math.Min(tolerance, 6) {
				l.segments = append(l.segments, s)
				l.size = math.Max(l.size, s.size)
				continue
			}
		}
		lines = append(lines, textLine{y: s.y, size: s.size, segments: []segment{s}})
	}
	for i := range lines {
		s := lines[i].segments
		sort.SliceStable(s, func(a, b int) bool { return s[a].x0 < s[b].x0 })
	}
	return lines
}

// String returns the line with a tab for every wide gap.
func (l *textLine) String() string {
	var b strings.Builder
	for i, s := range l.segments {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(s.text)
	}
	return b.String()
}

// emptyColumn stands for a column in which a line has no text although a line above it has.
const emptyColumn = "\u00a0"

// inColumns returns the text of a line, and the line whose columns the next lines may share.
// If the line fills only some of the columns of the line above, the columns that it skips are
// written as empty ones, because a label can have no value below it.
func (l *textLine) inColumns(above *textLine) (string, *textLine) {
	if above == nil || len(l.segments) >= len(above.segments) || above.y-l.y > 8*math.Max(l.size, above.size) {
		return l.String(), l
	}
	var b strings.Builder
	next := 0
	for i, s := range l.segments {
		at := next
		for at+1 < len(above.segments) && above.segments[at+1].x0 <= s.x0+3 {
			at++
		}
		if at >= len(above.segments) || above.segments[at].x0 > s.x0+3 || at+1 < len(above.segments) && s.x1 > above.segments[at+1].x0 {
			return l.String(), l
		}
		for ; next < at; next++ {
			b.WriteString(emptyColumn + "\t")
		}
		next++
		b.WriteString(s.text)
		if i+1 < len(l.segments) {
			b.WriteByte('\t')
		}
	}
	return b.String(), above
}

// Limits of the edges at which the texts of several lines begin or end.
const (
	minCellGap  = 0.42 // between cells, in multiples of the size of the text; a space between words is narrower
	nearLines   = 4    // lines above and below that are searched
	minAligned  = 2    // of these lines, which have a text with the same edge
	sameEdge    = 0.6  // maximum distance of edges that count as the same
	maxMarkSize = 4    // bytes of the mark of a list
)

// edges are the positions at which the runs of each line begin and end, in ascending order.
type edges struct{ left, right [][]float64 }

func edgesOf(lines [][]run) edges {
	e := edges{make([][]float64, len(lines)), make([][]float64, len(lines))}
	for n, line := range lines {
		for _, r := range line {
			e.left[n] = append(e.left[n], r.x0)
			e.right[n] = append(e.right[n], r.x1)
		}
		slices.Sort(e.left[n])
		slices.Sort(e.right[n])
	}
	return e
}

// aligned reports whether a run of line n begins, or ends, at the same position as runs of several lines
// near it, as in the columns of a table.
func (e edges) aligned(n int, r run) bool {
	left, right := 0, 0
	for i := max(0, n-nearLines); i <= min(len(e.left)-1, n+nearLines); i++ {
		if i == n {
			continue
		}
		if holds(e.left[i], r.x0) {
			left++
		}
		if holds(e.right[i], r.x1) {
			right++
		}
	}
	return left >= minAligned || right >= minAligned
}

// holds reports whether one of the sorted positions is near another.
func holds(sorted []float64, at float64) bool {
	i, _ := slices.BinarySearch(sorted, at-sameEdge)
	return i < len(sorted) && math.Abs(sorted[i]-at) <= sameEdge
}

// isMark reports whether a text is the mark of an entry in a list, such as "•" or "12.".
func isMark(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) <= maxMarkSize && (strings.HasSuffix(text, ".") || strings.HasSuffix(text, ")") || !strings.ContainsAny(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
}
