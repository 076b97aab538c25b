package document

import (
	"math"
	"sort"
	"strings"
)

// segment is text on one line without a wide gap: runs joined.
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

// item is a line or table of a page, by where it starts.
type item struct {
	top   float64
	line  *textLine
	table *Table
	xs    []float64 // column borders of a ruled table
	box   []Block   // what a box of a form holds
}

// openTable is a table that may go on at the top of the next page.
type openTable struct {
	table *Table
	xs    []float64
}

// layOut adds the blocks of a page, each writing direction by itself, the one
// with most text first. It reports whether there is room for more.
func (p *pdfReader) layOut(page *pdfPage) bool {
	var runs [4][]run
	var weight [4]int
	for _, r := range page.runs {
		runs[r.turned] = append(runs[r.turned], r)
		weight[r.turned] += len(r.text)
	}
	order := []int{0, 1, 2, 3}
	sort.SliceStable(order, func(i, j int) bool { return weight[order[i]] > weight[order[j]] })
	for _, turned := range order {
		if len(runs[turned]) == 0 {
			continue
		}
		across, down := page.rules(turned)
		segments := joinRuns(runs[turned], down)
		items, rest := ruledTables(segments, across, down)
		items = append(items, openTables(textLines(rest))...)
		sort.SliceStable(items, func(i, j int) bool { return items[i].top > items[j].top })
		if !p.add(page, items) {
			return false
		}
	}
	return true
}

// add turns the items of a page into blocks.
func (p *pdfReader) add(page *pdfPage, items []item) bool {
	place := Place{Page: page.number}
	var last *openTable
	after := 0
	for i, it := range items {
		if it.table != nil {
			if i == 0 && p.last.continues(it) {
				p.last.extend(it.table)
				last, after = p.last, 0
				continue
			}
			if !p.r.keep(p.part, Block{Table: it.table, Place: place}) {
				return false
			}
			last, after = &openTable{it.table, it.xs}, 0
			continue
		}
		if it.box != nil {
			for _, b := range it.box {
				b.Place = place
				if !p.r.keep(p.part, b) {
					return false
				}
			}
			last = nil
			continue
		}
		if after++; i > 0 && items[i-1].line != nil && items[i-1].line.y-it.line.y > 1.9*math.Max(it.line.size, items[i-1].line.size) {
			p.r.keep(p.part, Block{Place: place})
		}
		if !p.r.keep(p.part, Block{Text: it.line.String(), Place: place}) {
			return false
		}
	}
	// A page number or a footer may stand below a table that goes on.
	if p.last = nil; last != nil && last.xs != nil && after <= 2 {
		p.last = last
	}
	return true
}

func (t *openTable) continues(it item) bool {
	if t == nil || len(t.xs) != len(it.xs) || len(it.xs) == 0 {
		return false
	}
	for i := range t.xs {
		if math.Abs(t.xs[i]-it.xs[i]) > 3 {
			return false
		}
	}
	return true
}

// extend adds the rows of a table's next page, without its header again.
func (t *openTable) extend(next *Table) {
	rows := next.Rows
	if len(rows) > 0 && len(t.table.Rows) > 0 && sameTexts(rows[0], t.table.Rows[0]) {
		rows = rows[1:]
	}
	for _, row := range rows {
		t.table.Rows = append(t.table.Rows, row)
		nameCells(row, len(t.table.Rows))
	}
}

func sameTexts(a, b []Cell) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Text != b[i].Text {
			return false
		}
	}
	return true
}

// rules gives the page's rules in the frame of a writing direction.
func (page *pdfPage) rules(turned int) (across, down []stroke) {
	across, down = page.across, page.down
	if turned == 0 {
		return across, down
	}
	turnAll := func(list []stroke, vertical bool) (out []stroke) {
		for _, s := range list {
			x0, y0, x1, y1 := s.from, s.at, s.to, s.at
			if vertical {
				x0, y0, x1, y1 = s.at, s.from, s.at, s.to
			}
			x0, y0 = turn(x0, y0, turned)
			x1, y1 = turn(x1, y1, turned)
			if math.Abs(x1-x0) < math.Abs(y1-y0) {
				out = append(out, stroke{x0, math.Min(y0, y1), math.Max(y0, y1)})
			} else {
				out = append(out, stroke{y0, math.Min(x0, x1), math.Max(x0, x1)})
			}
		}
		return out
	}
	if turned == 2 {
		return turnAll(across, false), turnAll(down, true)
	}
	return turnAll(down, true), turnAll(across, false)
}

// joinRuns joins runs that follow each other on a baseline: a small gap is
// inside a word, a wider one parts words, a wide or a negative one columns, as
// does a vertical rule.
func joinRuns(runs []run, down []stroke) []segment {
	down = append([]stroke(nil), down...)
	sort.Slice(down, func(i, j int) bool { return down[i].at < down[j].at })
	var out []segment
	for _, group := range baselines(runs) {
		before := 0.0 // where the run before starts
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
				// Printed twice, to look bold.
			case r.goesOn && gap < 0 && gap > -0.35:
				// A pair of letters drawn closer than they are wide.
				last.text += s.text
				last.x1 = math.Max(last.x1, s.x1)
			case gap < -0.15 || gap > 0.9 || gap > 0.75 && !r.goesOn || ruled(down, from, s.x0, s.y+0.3*size):
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

// baselines groups runs by line, from the top, each from the left.
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

// ruled reports whether a vertical rule stands between the starts of two runs:
// text may run over the rule at its end, so the ends say nothing.
func ruled(down []stroke, from, to, y float64) bool {
	i := sort.Search(len(down), func(i int) bool { return down[i].at > from })
	for ; i < len(down) && down[i].at <= to+1; i++ {
		if down[i].from <= y && y <= down[i].to {
			return true
		}
	}
	return false
}

// textLines groups segments by baseline.
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

// String gives the line with a tab for every wide gap.
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

// textNear gives the text that labels a box on the page: that left of it, else
// right after it, else above it.
func (page *pdfPage) textNear(b box, otherwise string) string {
	b = page.upright.box(b)
	best, found := math.Inf(1), ""
	for _, s := range page.segments() {
		middle := s.y + 0.3*s.size
		overlaps := s.x0 < b.x1 && s.x1 > b.x0
		far := math.Inf(1)
		switch {
		case middle > b.y0-2 && middle < b.y1+2 && s.x1 <= b.x0+4:
			far = b.x0 - s.x1
		case middle > b.y0-2 && middle < b.y1+2 && s.x0 >= b.x1-4 && b.x1-b.x0 < 25:
			far = s.x0 - b.x1 // a box to tick has its label behind it
		case overlaps && s.y >= b.y1-2:
			far = 30 + 4*(s.y-b.y1)
		}
		if far < best && far < 260 {
			best, found = far, strings.TrimRight(s.text, " :_.")
		}
	}
	if found == "" {
		return otherwise
	}
	return found
}

func (page *pdfPage) segments() []segment {
	if page.joined == nil {
		var level []run
		for _, r := range page.runs {
			if r.turned == 0 {
				level = append(level, r)
			}
		}
		page.joined = joinRuns(level, page.down)
	}
	return page.joined
}
