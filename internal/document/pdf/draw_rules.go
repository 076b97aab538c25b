package pdf

import "math"

// line is a straight piece of a path, in the coordinates of the page.
type line struct{ x0, y0, x1, y1 float64 }

// pathOperator carries out the operators of paths, to collect the rules that a
// page draws.
func (d *drawing) pathOperator(op string, operands []token) {
	n := func(i int) float64 {
		if i < len(operands) {
			return operands[i].number
		}
		return 0
	}
	switch op {
	case "m":
		d.x, d.y = d.state.ctm.apply(n(0), n(1))
		d.startX, d.startY = d.x, d.y
	case "l":
		x, y := d.state.ctm.apply(n(0), n(1))
		d.addLine(d.x, d.y, x, y)
		d.x, d.y = x, y
	case "c":
		d.x, d.y = d.state.ctm.apply(n(4), n(5))
	case "v", "y":
		d.x, d.y = d.state.ctm.apply(n(2), n(3))
	case "h":
		d.addLine(d.x, d.y, d.startX, d.startY)
		d.x, d.y = d.startX, d.startY
	case "re":
		b := d.state.ctm.box(box{n(0), n(1), n(0) + n(2), n(1) + n(3)})
		d.addLine(b.x0, b.y0, b.x1, b.y0)
		d.addLine(b.x1, b.y0, b.x1, b.y1)
		d.addLine(b.x1, b.y1, b.x0, b.y1)
		d.addLine(b.x0, b.y1, b.x0, b.y0)
	case "S", "s", "B", "B*", "b", "b*":
		d.paintStroked()
	case "f", "F", "f*":
		d.paintFilled()
	case "n":
		d.path = d.path[:0]
	}
}

func (d *drawing) addLine(x0, y0, x1, y1 float64) {
	if len(d.path) < maxRules {
		d.path = append(d.path, line{x0, y0, x1, y1})
	}
}

// paintStroked adds the lines of the path as rules.
func (d *drawing) paintStroked() {
	for _, l := range d.path {
		d.addRule(l)
	}
	d.path = d.path[:0]
}

// paintFilled adds the thin boxes of the path as rules. A filled area that is
// wider is no border.
func (d *drawing) paintFilled() {
	const thin = 2.5
	nothing := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	b := nothing
	for i, l := range d.path {
		b = box{math.Min(b.x0, math.Min(l.x0, l.x1)), math.Min(b.y0, math.Min(l.y0, l.y1)), math.Max(b.x1, math.Max(l.x0, l.x1)), math.Max(b.y1, math.Max(l.y0, l.y1))}
		if i%4 != 3 {
			continue
		}
		switch {
		case b.y1-b.y0 <= thin:
			d.addRule(line{b.x0, (b.y0 + b.y1) / 2, b.x1, (b.y0 + b.y1) / 2})
		case b.x1-b.x0 <= thin:
			d.addRule(line{(b.x0 + b.x1) / 2, b.y0, (b.x0 + b.x1) / 2, b.y1})
		}
		b = nothing
	}
	d.path = d.path[:0]
}

// addRule adds a line to the page when it is horizontal or vertical and long
// enough.
func (d *drawing) addRule(l line) {
	if len(d.page.horizontal)+len(d.page.vertical) >= maxRules {
		return
	}
	switch dx, dy := math.Abs(l.x1-l.x0), math.Abs(l.y1-l.y0); {
	case dy < 1 && dx > 4:
		d.page.horizontal = append(d.page.horizontal, rule{(l.y0 + l.y1) / 2, math.Min(l.x0, l.x1), math.Max(l.x0, l.x1)})
	case dx < 1 && dy > 4:
		d.page.vertical = append(d.page.vertical, rule{(l.x0 + l.x1) / 2, math.Min(l.y0, l.y1), math.Max(l.y0, l.y1)})
	}
}
