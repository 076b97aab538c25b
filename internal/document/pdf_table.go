package document

import (
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"
)

const (
	ruleReach   = 3.0       // how far rules may miss each other and still meet
	maxMeetings = 4_000_000 // pairs of rules compared on one page
)

// grid is a net of rules: the borders of its columns and rows.
type grid struct {
	xs, ys       []float64 // ascending
	across, down []stroke
}

// ruledTables takes the segments that lie in nets of rules into tables and
// gives the others back.
func ruledTables(segments []segment, across, down []stroke) (items []item, rest []segment) {
	rest = segments
	for _, g := range grids(mergeRules(across), mergeRules(down)) {
		if boxes, left := g.form(rest); boxes != nil {
			items, rest = append(items, boxes...), left
			continue
		}
		if len(g.ys) < 3 {
			continue // one row of boxes is no table
		}
		table, left := g.table(rest)
		if table == nil {
			continue
		}
		rest = left
		items = append(items, item{top: g.ys[len(g.ys)-1], table: table, xs: g.xs})
	}
	return items, rest
}

// mergeRules joins rules that lie on each other or follow one another.
func mergeRules(list []stroke) []stroke {
	list = append([]stroke(nil), list...)
	sort.Slice(list, func(i, j int) bool { return list[i].at < list[j].at })
	var out []stroke
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].at-list[start].at < 1.5 {
			end++
		}
		same := list[start:end]
		sort.Slice(same, func(i, j int) bool { return same[i].from < same[j].from })
		open := same[0]
		for _, s := range same[1:] {
			if s.from <= open.to+ruleReach {
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

// grids finds the nets of rules that meet, from the top of the page.
func grids(across, down []stroke) []*grid {
	if len(across) < 2 || len(down) < 2 || len(across)*len(down) > maxMeetings {
		return nil
	}
	group := make([]int, len(across)+len(down))
	for i := range group {
		group[i] = i
	}
	find := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for i, h := range across {
		for j, v := range down {
			if v.from-ruleReach <= h.at && h.at <= v.to+ruleReach && h.from-ruleReach <= v.at && v.at <= h.to+ruleReach {
				group[find(len(across)+j)] = find(i)
			}
		}
	}
	nets := map[int]*grid{}
	var list []*grid
	net := func(i int) *grid {
		root := find(i)
		if nets[root] == nil {
			nets[root] = &grid{}
			list = append(list, nets[root])
		}
		return nets[root]
	}
	for i, h := range across {
		n := net(i)
		n.across = append(n.across, h)
	}
	for j, v := range down {
		n := net(len(across) + j)
		n.down = append(n.down, v)
	}
	var good []*grid
	for _, n := range list {
		n.xs, n.ys = borders(n.down), borders(n.across)
		if len(n.xs) >= 3 && len(n.ys) >= 2 && len(n.xs) <= 200 && len(n.ys) <= 1000 {
			good = append(good, n)
		}
	}
	sort.SliceStable(good, func(i, j int) bool { return good[i].ys[len(good[i].ys)-1] > good[j].ys[len(good[j].ys)-1] })
	return good
}

func borders(list []stroke) []float64 {
	var at []float64
	for _, s := range list {
		at = append(at, s.at)
	}
	sort.Float64s(at)
	var out []float64
	for _, a := range at {
		if len(out) == 0 || a-out[len(out)-1] > ruleReach {
			out = append(out, a)
		}
	}
	return out
}

// covered reports whether a rule stands at a place.
func covered(list []stroke, at, along float64) bool {
	for _, s := range list {
		if math.Abs(s.at-at) <= ruleReach && s.from-1 <= along && along <= s.to+1 {
			return true
		}
	}
	return false
}

// owners gives for each cell, row by row from the top, the first of the cells
// that it is one with because no rule parts them, and the number of cells left.
func (g *grid) owners() (owner []int, cells int) {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	owner = make([]int, rows*columns)
	for r := range rows {
		top := g.ys[rows-r]
		middle := (top + g.ys[rows-r-1]) / 2
		for c := range columns {
			i := r*columns + c
			switch {
			case c > 0 && !covered(g.down, g.xs[c], middle):
				owner[i] = owner[i-1]
			case r > 0 && !covered(g.across, top, (g.xs[c]+g.xs[c+1])/2):
				owner[i] = owner[i-columns]
			default:
				owner[i] = i
				cells++
			}
		}
	}
	return owner, cells
}

// tooMany tells whether the net has more boxes than are worth the work.
func (g *grid) tooMany() bool {
	boxes := (len(g.ys) - 1) * (len(g.xs) - 1)
	return len(g.across)*boxes > 20*maxMeetings || len(g.down)*boxes > 20*maxMeetings
}

// fill sorts text into the boxes, by the owners of their cells; rest lies
// outside.
func (g *grid) fill(owner []int, segments []segment) (inside [][]segment, rest []segment) {
	columns := len(g.xs) - 1
	inside = make([][]segment, len(owner))
	for _, s := range segments {
		r, c, ok := g.cellOf(s)
		if !ok {
			rest = append(rest, s)
			continue
		}
		i := owner[r*columns+c]
		inside[i] = append(inside[i], s)
	}
	return inside, rest
}

// table fills the net with text. A net whose boxes do not form rows and
// columns is a form rather than a table: it gives none.
func (g *grid) table(segments []segment) (*Table, []segment) {
	rows, columns := len(g.ys)-1, len(g.xs)-1
	if g.tooMany() {
		return nil, segments
	}
	owner, cells := g.owners()
	if cells < 4 || cells*2 < rows*columns {
		return nil, segments
	}
	inside, rest := g.fill(owner, segments)
	t := &Table{}
	for r := range rows {
		for _, line := range splitRow(inside[r*columns : (r+1)*columns]) {
			row := make([]Cell, columns)
			filled := false
			for c := range columns {
				row[c].Merged = owner[r*columns+c] != r*columns+c
				row[c].Text = cellText(line[c])
				filled = filled || row[c].Text != ""
			}
			if filled {
				t.Rows = append(t.Rows, row)
				nameCells(row, len(t.Rows))
			}
		}
	}
	if len(t.Rows) < 2 || framesText(inside) {
		return nil, segments
	}
	return t, rest
}

// framesText reports whether the boxes hold whole passages: rules around parts
// of a page, not a table.
func framesText(inside [][]segment) bool {
	filled, lines := 0, 0
	for _, cell := range inside {
		filled += boolInt(len(cell) > 0)
		lines += len(textLines(cell))
	}
	return lines > 6*filled
}

// splitRow parts a row whose rules are left out between lines: three lines or
// more, and nearly every filled cell has text on each of them.
func splitRow(cells [][]segment) [][][]segment {
	whole := [][][]segment{cells}
	var baselines []textLine
	filled, full := 0, 0
	for _, cell := range cells {
		if lines := textLines(cell); len(lines) > len(baselines) {
			baselines = lines
		}
	}
	if len(baselines) < 3 {
		return whole
	}
	rows := make([][][]segment, len(baselines))
	for i := range rows {
		rows[i] = make([][]segment, len(cells))
	}
	for c, cell := range cells {
		lines := textLines(cell)
		filled += boolInt(len(lines) > 0)
		full += boolInt(len(lines) == len(baselines))
		at := 0
		for _, line := range lines {
			for at < len(baselines) && baselines[at].y-line.y > 2 {
				at++
			}
			if at == len(baselines) || line.y-baselines[at].y > 2 {
				return whole
			}
			rows[at][c] = append(rows[at][c], line.segments...)
		}
	}
	if filled < 3 || full*10 < filled*7 {
		return whole
	}
	return rows
}

func nameCells(row []Cell, number int) {
	for c := range row {
		row[c].Ref = fmt.Sprintf("row %d, column %d", number, c+1)
	}
}

// cellOf finds the cell of a segment: that of its middle, or that of its start
// when it is wider than the cell, as text that runs over is.
func (g *grid) cellOf(s segment) (row, column int, ok bool) {
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

var (
	digitsEnd  = regexp.MustCompile(`^[-($£€]*[\d,.]*[\d,]$`)
	digitsOnly = regexp.MustCompile(`^[\d,.]+[)%]?$`)
)

// cellText joins the lines of a cell. A number broken over lines is put
// together without a blank.
func cellText(segments []segment) string {
	text := ""
	for _, line := range textLines(segments) {
		next := strings.ReplaceAll(line.String(), "\t", " ")
		switch {
		case text == "":
			text = next
		case digitsEnd.MatchString(text) && digitsOnly.MatchString(next):
			text += next
		default:
			text += " " + next
		}
	}
	return strings.TrimSpace(text)
}
