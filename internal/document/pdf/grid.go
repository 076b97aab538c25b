package pdf

import (
	"math"
	"sort"
)

const (
	ruleTolerance  = 3.0       // distance at which rules still meet
	maxComparisons = 4_000_000 // of two rules, on one page
)

// grid is a group of rules that meet: the borders of columns and rows.
type grid struct {
	xs, ys               []float64 // positions of the borders, ascending
	horizontal, vertical []rule
}

// mergeRules joins rules that overlap or continue each other.
func mergeRules(list []rule) []rule {
	list = append([]rule(nil), list...)
	sort.Slice(list, func(i, j int) bool { return list[i].at < list[j].at })
	var out []rule
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].at-list[start].at < 1.5 {
			end++
		}
		same := list[start:end]
		sort.Slice(same, func(i, j int) bool { return same[i].from < same[j].from })
		open := same[0]
		for _, s := range same[1:] {
			if s.from <= open.to+ruleTolerance {
				open.to = math.Max(open.to, s.to)
				continue
			}
			out, open = append(out, open), s
		}
		out = append(out, open)
		start = end
	}
	return out
}

// findGrids groups the rules that meet into grids, from the top of the page.
func findGrids(horizontal, vertical []rule) []*grid {
	if len(horizontal) < 2 || len(vertical) < 2 || len(horizontal)*len(vertical) > maxComparisons {
		return nil
	}
	groupOf := groupRules(horizontal, vertical)
	byGroup := map[int]*grid{}
	var all []*grid
	gridOf := func(i int) *grid {
		group := groupOf(i)
		if byGroup[group] == nil {
			byGroup[group] = &grid{}
			all = append(all, byGroup[group])
		}
		return byGroup[group]
	}
	for i, h := range horizontal {
		g := gridOf(i)
		g.horizontal = append(g.horizontal, h)
	}
	for j, v := range vertical {
		g := gridOf(len(horizontal) + j)
		g.vertical = append(g.vertical, v)
	}
	var grids []*grid
	for _, g := range all {
		g.xs, g.ys = borders(g.vertical), borders(g.horizontal)
		if len(g.xs) >= 3 && len(g.ys) >= 2 && len(g.xs) <= 200 && len(g.ys) <= 1000 {
			grids = append(grids, g)
		}
	}
	sort.SliceStable(grids, func(i, j int) bool { return grids[i].top() > grids[j].top() })
	return grids
}

// groupRules returns a function that returns the group of a rule: rules that
// meet are in the same one. The horizontal rules are numbered first.
func groupRules(horizontal, vertical []rule) func(int) int {
	parent := make([]int, len(horizontal)+len(vertical))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, h := range horizontal {
		for j, v := range vertical {
			if v.from-ruleTolerance <= h.at && h.at <= v.to+ruleTolerance && h.from-ruleTolerance <= v.at && v.at <= h.to+ruleTolerance {
				parent[find(len(horizontal)+j)] = find(i)
			}
		}
	}
	return find
}

// top returns the position of the uppermost border.
func (g *grid) top() float64 { return g.ys[len(g.ys)-1] }

// borders returns the positions of rules in ascending order, each once.
func borders(list []rule) []float64 {
	var at []float64
	for _, s := range list {
		at = append(at, s.at)
	}
	sort.Float64s(at)
	var out []float64
	for _, a := range at {
		if len(out) == 0 || a-out[len(out)-1] > ruleTolerance {
			out = append(out, a)
		}
	}
	return out
}

// hasRule reports whether one of the rules at a position covers a place along it.
func hasRule(list []rule, at, along float64) bool {
	for _, s := range list {
		if math.Abs(s.at-at) <= ruleTolerance && s.from-1 <= along && along <= s.to+1 {
			return true
		}
	}
	return false
}

// owners returns for each box of the grid, row by row from the top, the first box
// of the cell that it belongs to: boxes without a rule between them form one
// cell. It also returns the number of cells.
func (g *grid) owners() (owner []int, cells int) {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	owner = make([]int, rows*columns)
	for r := range rows {
		top := g.ys[rows-r]
		middle := (top + g.ys[rows-r-1]) / 2
		for c := range columns {
			i := r*columns + c
			switch {
			case c > 0 && !hasRule(g.vertical, g.xs[c], middle):
				owner[i] = owner[i-1]
			case r > 0 && !hasRule(g.horizontal, top, (g.xs[c]+g.xs[c+1])/2):
				owner[i] = owner[i-columns]
			default:
				owner[i] = i
				cells++
			}
		}
	}
	return owner, cells
}

// tooLarge reports whether the grid has so many boxes that filling them would take
// too long.
func (g *grid) tooLarge() bool {
	boxes := (len(g.ys) - 1) * (len(g.xs) - 1)
	return len(g.horizontal)*boxes > 20*maxComparisons || len(g.vertical)*boxes > 20*maxComparisons
}

// fill sorts text into the cells. The rest lies outside of the grid.
func (g *grid) fill(owner []int, segments []segment) (inside [][]segment, rest []segment) {
	columns := len(g.xs) - 1
	inside = make([][]segment, len(owner))
	for _, s := range segments {
		r, c, ok := g.boxOf(s)
		if !ok {
			rest = append(rest, s)
			continue
		}
		i := owner[r*columns+c]
		inside[i] = append(inside[i], s)
	}
	return inside, rest
}

// boxOf returns the box of a segment: that of its middle, or that of its start
// when the segment is wider than the box, which is text that overflows.
func (g *grid) boxOf(s segment) (row, column int, ok bool) {
	y := s.y + 0.3*s.size
	i := sort.SearchFloat64s(g.ys, y)
	if i == 0 || i == len(g.ys) {
		return 0, 0, false
	}
	j := sort.SearchFloat64s(g.xs, (s.x0+s.x1)/2)
	if j == 0 || j == len(g.xs) || s.x1-s.x0 > g.xs[j]-g.xs[j-1]+2 {
		if j = sort.SearchFloat64s(g.xs, s.x0+1); j == 0 || j == len(g.xs) {
			return 0, 0, false
		}
	}
	return len(g.ys) - 1 - i, j - 1, true
}
