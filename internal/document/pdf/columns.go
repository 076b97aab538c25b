package pdf

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Limits of text in two columns beside each other, which is read one column after the other.
const (
	minColumnLines = 6    // lines in each column
	maxShared      = 0.45 // share of the lines of the smaller column that have a neighbour on their baseline
	maxExact       = 0.3  // same share, for columns of prose whose baselines differ slightly (by more than 1 point)
	minProseLine   = 25   // prose: minimum average line length, in bytes; one line in five must begin with a lowercase letter
	minGutter      = 8    // points between the columns
	minHeight      = 40   // points of the columns

	maxColumnSegments = 2_000 // of a page that is searched for columns
	maxGutters        = 12    // left edges that are tried
	maxBands          = 20    // parts of the page that are tried for each of them
)

// band is the part of a page in which the text stands in two columns.
type band struct {
	gutter      float64 // left edge of the right column
	top, bottom float64
}

// columnBand finds two columns of text whose lines are not on common baselines. Lines on
// common baselines are those of a table or of a form with values beside their labels, which
// are read across.
func columnBand(segments []segment) (band, bool) {
	if len(segments) > maxColumnSegments {
		return band{}, false
	}
	left, right := math.Inf(1), math.Inf(-1)
	for _, s := range segments {
		left, right = math.Min(left, s.x0), math.Max(right, s.x1)
	}
	best, most := band{}, 0
	for _, gutter := range gutters(segments, left+0.3*(right-left), left+0.7*(right-left)) {
		if b, lines := bandAt(segments, gutter); lines > most {
			best, most = b, lines
		}
	}
	return best, most > 0
}

// gutters returns the left edges between two positions at which most segments begin.
func gutters(segments []segment, from, to float64) []float64 {
	counts := map[float64]int{}
	for _, s := range segments {
		if edge := math.Round(s.x0); from <= edge && edge <= to {
			counts[edge]++
		}
	}
	var edges []float64
	for edge, n := range counts {
		if n >= minColumnLines {
			edges = append(edges, edge)
		}
	}
	slices.Sort(edges)
	slices.SortStableFunc(edges, func(a, b float64) int { return counts[b] - counts[a] })
	return edges[:min(len(edges), maxGutters)]
}

// bandAt returns the longest part of the page in which no segment crosses the gutter, and
// the number of lines of its smaller column; 0 if the text there is no two columns.
func bandAt(segments []segment, gutter float64) (band, int) {
	var crossing []float64
	for _, s := range segments {
		if s.x0 < gutter-1 && s.x1 > gutter-minGutter {
			crossing = append(crossing, s.y)
		}
	}
	crossing = append(crossing, math.Inf(1), math.Inf(-1))
	slices.Sort(crossing)
	best, most, tried := band{}, 0, 0
	for i := 1; i < len(crossing) && tried < maxBands; i++ {
		b := band{gutter, crossing[i], crossing[i-1]}
		if b.top-b.bottom < minHeight {
			continue
		}
		tried++
		if lines := b.lines(segments); lines > most {
			best, most = b, lines
		}
	}
	return best, most
}

// lines returns the number of lines of the smaller column, or 0 if it is too short or if
// too many of its lines have neighbours in the other one.
func (b band) lines(segments []segment) int {
	var left, right []float64
	for _, s := range segments {
		switch b.side(s) {
		case 1:
			left = append(left, s.y)
		case 2:
			right = append(right, s.y)
		}
	}
	left, right = baselinesOf(left), baselinesOf(right)
	fewer, more := left, right
	if len(left) > len(right) {
		fewer, more = right, left
	}
	if len(fewer) < minColumnLines {
		return 0
	}
	if all := float64(len(fewer)); sharedLines(fewer, more, 2) > maxShared*all && (sharedLines(fewer, more, 1) > maxExact*all || !b.isProse(segments)) {
		return 0
	}
	return len(fewer)
}

// sharedLines returns the number of lines whose neighbour in the other column is at most at the distance.
func sharedLines(lines, others []float64, distance float64) (shared float64) {
	for _, y := range lines {
		i, _ := slices.BinarySearch(others, y-distance)
		if i < len(others) && others[i] <= y+distance {
			shared++
		}
	}
	return shared
}

// isProse reports whether the columns consist of long lines, many of which begin with a lowercase letter.
func (b band) isProse(segments []segment) bool {
	var lines, letters, lower [4]int
	for _, s := range segments {
		side := b.side(s)
		lines[side]++
		letters[side] += len(s.text)
		if s.text > "a" && s.text < "{" {
			lower[side]++
		}
	}
	prose := func(side int) bool {
		return letters[side] >= minProseLine*lines[side] && lower[side]*5 >= lines[side]
	}
	return prose(1) && prose(2)
}

// baselinesOf returns the different positions, from bottom to top.
func baselinesOf(ys []float64) []float64 {
	slices.Sort(ys)
	return slices.CompactFunc(ys, func(a, b float64) bool { return math.Abs(a-b) < 2 })
}

// side returns 0 for a segment above the band, 1 for one in the left column, 2 for one in
// the right column, and 3 for one below.
func (b band) side(s segment) int {
	switch {
	case s.y >= b.top:
		return 0
	case s.y <= b.bottom:
		return 3
	case s.x0 >= b.gutter-1:
		return 2
	}
	return 1
}

// inReadingOrder returns the tables, the fields and the lines of text of a page: from top to bottom,
// or, if the text has two columns, first what is above them, then each column, then what is below.
func inReadingOrder(tables, fields []item, text []segment, locator locator) []item {
	b, ok := columnBand(text)
	if !ok || slices.ContainsFunc(tables, func(t item) bool { return b.bottom < t.top && t.top < b.top }) {
		return withFields(fromTop(append(tables, alignedTables(alignCentred(textLines(text)), locator)...)), fields)
	}
	var groups [4][]segment
	for _, s := range text {
		groups[b.side(s)] = append(groups[b.side(s)], s)
	}
	var inGroup [4][]item
	for _, f := range fields {
		side := b.side(segment{x0: f.left, y: f.top})
		inGroup[side] = append(inGroup[side], f)
	}
	var ordered []item
	for side, group := range groups {
		items := alignedTables(alignCentred(textLines(group)), locator)
		for _, t := range tables {
			if side == 0 && t.top >= b.top || side == 3 && t.top <= b.bottom {
				items = append(items, t)
			}
		}
		ordered = append(ordered, withFields(fromTop(items), inGroup[side])...)
	}
	return ordered
}

// fromTop sorts the items from top to bottom.
func fromTop(items []item) []item {
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(b.top, a.top) })
	return items
}

// withFields puts the fields after the paragraph or table in which they stand. Fields after the
// same paragraph keep their order.
func withFields(items, fields []item) []item {
	if len(fields) == 0 {
		return items
	}
	behind := make([][]item, len(items)+1)
	ends := paragraphEnds(items)
	for _, f := range fields {
		at := len(items)
		if n := sort.Search(len(ends), func(n int) bool { return items[ends[n]].top < f.top }); n < len(ends) {
			at = ends[n]
		}
		behind[at] = append(behind[at], f)
	}
	all := make([]item, 0, len(items)+len(fields))
	for i, it := range items {
		all = append(append(all, behind[i]...), it)
	}
	return append(all, behind[len(items)]...)
}

// paragraphEnds returns the positions of the items that follow a table or a gap.
func paragraphEnds(items []item) (ends []int) {
	for i, it := range items {
		if i == 0 || it.line == nil || items[i-1].line == nil || isGap(items[i-1].line, it.line) {
			ends = append(ends, i)
		}
	}
	return ends
}

// isGap reports whether there is more space between two lines than within a paragraph.
func isGap(above, below *textLine) bool {
	return above.y-below.y > 1.9*math.Max(below.size, above.size)
}

// alignCentred moves texts that stand in the middle between two lines of the cell beside them, as in tables
// without rules whose cells are centred: a label beside its value of two lines, or a value beside its label.
// The label then stands beside the first line of its value, and the two lines of a label become one.
func alignCentred(lines []textLine) []textLine {
	out := lines[:0:0]
	for i := 0; i < len(lines); i++ {
		if i+2 >= len(lines) || !isCentred(&lines[i], &lines[i+1], &lines[i+2]) {
			out = append(out, lines[i])
			continue
		}
		above, middle, below := lines[i], lines[i+1], lines[i+2]
		if middle.segments[0].x0 < above.segments[0].x0 {
			middle.y, middle.segments = above.y, append(middle.segments[:1:1], above.segments[0])
			out = append(out, middle, below)
		} else {
			label := above.segments[0]
			label.text += " " + below.segments[0].text
			label.x1 = math.Max(label.x1, below.segments[0].x1)
			above.segments = append([]segment{label}, middle.segments...)
			out = append(out, above)
		}
		i += 2
	}
	return out
}

// isCentred reports whether a line stands between two lines of a cell beside it. Consecutive lines of ordinary
// text are further apart.
func isCentred(above, middle, below *textLine) bool {
	if len(above.segments) != 1 || len(below.segments) != 1 || math.Abs(above.segments[0].x0-below.segments[0].x0) > 1 {
		return false
	}
	size := math.Max(math.Max(above.size, below.size), middle.size)
	up, down := above.y-middle.y, middle.y-below.y
	if up > maxCentred*size || down > maxCentred*size || math.Abs(up-down) > maxOffCentre*size {
		return false
	}
	last := middle.segments[len(middle.segments)-1]
	if last.x1 < above.segments[0].x0 {
		return len(middle.segments) == 1
	}
	return middle.segments[0].x0 > math.Max(above.segments[0].x1, below.segments[0].x1)
}

// Distances of a centred text from the lines above and below it, in multiples of the size of the text.
const (
	maxCentred   = 0.85
	maxOffCentre = 0.3 // by which they differ
)
