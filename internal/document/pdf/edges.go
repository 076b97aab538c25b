package pdf

import (
	"math"
	"slices"
	"strings"
)

// Limits of the edges at which the texts of several lines begin or end.
const (
	minCellGap  = 0.42 // between cells, in multiples of the size of the text; a space between words is narrower
	nearLines   = 4    // lines above and below that are searched
	minAligned  = 2    // of these lines
	sameEdge    = 0.6  // distance of edges that are the same
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

// aligned reports whether runs of several lines near line n begin, or end, where a run of this line
// does, as in the columns of a table.
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
