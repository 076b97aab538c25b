package pdf

import "math"

// line is a straight piece of a path, in the coordinates of the page.
type line struct{ x0, y0, x1, y1 float64 }

// path is the current path of a page.
type path struct {
	lines          []line
	x, y           float64 // current point
	startX, startY float64 // of the current subpath
}

// operator executes the operators of paths. It adds the rules that they draw to
// the page.
func (p *path) operator(pg *page, op string, operands []token, ctm matrix) {
	n := func(i int) float64 {
		if i < len(operands) {
			return operands[i].number
		}
		return 0
	}
	switch op {
	case "m":
		p.x, p.y = ctm.apply(n(0), n(1))
		p.startX, p.startY = p.x, p.y
	case "l":
		x, y := ctm.apply(n(0), n(1))
		p.addLine(p.x, p.y, x, y)
		p.x, p.y = x, y
	case "c":
		p.x, p.y = ctm.apply(n(4), n(5))
	case "v", "y":
		p.x, p.y = ctm.apply(n(2), n(3))
	case "h":
		p.addLine(p.x, p.y, p.startX, p.startY)
		p.x, p.y = p.startX, p.startY
	case "re":
		b := ctm.box(box{n(0), n(1), n(0) + n(2), n(1) + n(3)})
		p.addLine(b.x0, b.y0, b.x1, b.y0)
		p.addLine(b.x1, b.y0, b.x1, b.y1)
		p.addLine(b.x1, b.y1, b.x0, b.y1)
		p.addLine(b.x0, b.y1, b.x0, b.y0)
	case "S", "s", "B", "B*", "b", "b*":
		p.paintStroked(pg)
	case "f", "F", "f*":
		p.paintFilled(pg)
	case "n":
		p.lines = p.lines[:0]
	}
}

func (p *path) addLine(x0, y0, x1, y1 float64) {
	if len(p.lines) < maxRules {
		p.lines = append(p.lines, line{x0, y0, x1, y1})
	}
}

// paintStroked adds the lines of the path as rules.
func (p *path) paintStroked(pg *page) {
	for _, l := range p.lines {
		pg.addRule(l)
	}
	p.lines = p.lines[:0]
}

// paintFilled adds the thin boxes of the path as rules. A filled area that is
// wider is no border.
func (p *path) paintFilled(pg *page) {
	const thin = 2.5
	nothing := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	b := nothing
	for i, l := range p.lines {
		b = box{math.Min(b.x0, math.Min(l.x0, l.x1)), math.Min(b.y0, math.Min(l.y0, l.y1)), math.Max(b.x1, math.Max(l.x0, l.x1)), math.Max(b.y1, math.Max(l.y0, l.y1))}
		if i%4 != 3 {
			continue
		}
		switch {
		case b.y1-b.y0 <= thin:
			pg.addRule(line{b.x0, (b.y0 + b.y1) / 2, b.x1, (b.y0 + b.y1) / 2})
		case b.x1-b.x0 <= thin:
			pg.addRule(line{(b.x0 + b.x1) / 2, b.y0, (b.x0 + b.x1) / 2, b.y1})
		}
		b = nothing
	}
	p.lines = p.lines[:0]
}

// addRule adds a line as a rule when it is horizontal or vertical and long enough.
func (p *page) addRule(l line) {
	if len(p.horizontal)+len(p.vertical) >= maxRules {
		return
	}
	switch dx, dy := math.Abs(l.x1-l.x0), math.Abs(l.y1-l.y0); {
	case dy < 1 && dx > 4:
		p.horizontal = append(p.horizontal, rule{(l.y0 + l.y1) / 2, math.Min(l.x0, l.x1), math.Max(l.x0, l.x1)})
	case dx < 1 && dy > 4:
		p.vertical = append(p.vertical, rule{(l.x0 + l.x1) / 2, math.Min(l.y0, l.y1), math.Max(l.y0, l.y1)})
	}
}
