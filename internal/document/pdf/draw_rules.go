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

// operator carries out the operators of paths, to add the rules that a page draws.
func (t *path) operator(p *page, op string, operands []token, ctm matrix) {
	n := func(i int) float64 {
		if i < len(operands) {
			return operands[i].number
		}
		return 0
	}
	switch op {
	case "m":
		t.x, t.y = ctm.apply(n(0), n(1))
		t.startX, t.startY = t.x, t.y
	case "l":
		x, y := ctm.apply(n(0), n(1))
		t.addLine(t.x, t.y, x, y)
		t.x, t.y = x, y
	case "c":
		t.x, t.y = ctm.apply(n(4), n(5))
	case "v", "y":
		t.x, t.y = ctm.apply(n(2), n(3))
	case "h":
		t.addLine(t.x, t.y, t.startX, t.startY)
		t.x, t.y = t.startX, t.startY
	case "re":
		b := ctm.box(box{n(0), n(1), n(0) + n(2), n(1) + n(3)})
		t.addLine(b.x0, b.y0, b.x1, b.y0)
		t.addLine(b.x1, b.y0, b.x1, b.y1)
		t.addLine(b.x1, b.y1, b.x0, b.y1)
		t.addLine(b.x0, b.y1, b.x0, b.y0)
	case "S", "s", "B", "B*", "b", "b*":
		t.paintStroked(p)
	case "f", "F", "f*":
		t.paintFilled(p)
	case "n":
		t.lines = t.lines[:0]
	}
}

func (t *path) addLine(x0, y0, x1, y1 float64) {
	if len(t.lines) < maxRules {
		t.lines = append(t.lines, line{x0, y0, x1, y1})
	}
}

// paintStroked adds the lines of the path as rules.
func (t *path) paintStroked(p *page) {
	for _, l := range t.lines {
		p.addRule(l)
	}
	t.lines = t.lines[:0]
}

// paintFilled adds the thin boxes of the path as rules. A filled area that is
// wider is no border.
func (t *path) paintFilled(p *page) {
	const thin = 2.5
	nothing := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	b := nothing
	for i, l := range t.lines {
		b = box{math.Min(b.x0, math.Min(l.x0, l.x1)), math.Min(b.y0, math.Min(l.y0, l.y1)), math.Max(b.x1, math.Max(l.x0, l.x1)), math.Max(b.y1, math.Max(l.y0, l.y1))}
		if i%4 != 3 {
			continue
		}
		switch {
		case b.y1-b.y0 <= thin:
			p.addRule(line{b.x0, (b.y0 + b.y1) / 2, b.x1, (b.y0 + b.y1) / 2})
		case b.x1-b.x0 <= thin:
			p.addRule(line{(b.x0 + b.x1) / 2, b.y0, (b.x0 + b.x1) / 2, b.y1})
		}
		b = nothing
	}
	t.lines = t.lines[:0]
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
