package pdf

import "math"

// page is what a page shows, in its own coordinates turned upright.
type page struct {
	number     int
	box        box    // that is shown, in the coordinates of upright
	upright    matrix // from the coordinates of the file
	runs       []run
	horizontal []rule
	vertical   []rule
}

// run is the text of one show operator. Its glyphs stay together, because
// programs write a cell as one run and let neighbours overlap.
type run struct {
	text     string
	x0, x1   float64 // along the line
	y        float64 // of the baseline
	size     float64
	quarters int  // quarter turns of the writing direction, counter-clockwise
	sameLine bool // reached from the previous run by a move along the line
}

// rule is a straight line drawn on a page, such as the border of a table. It is
// horizontal at y or vertical at x, and runs from one position to another.
type rule struct{ at, from, to float64 }

// turnedRules returns the rules of the page in the coordinates of a writing
// direction.
func (p *page) turnedRules(quarters int) (horizontal, vertical []rule) {
	switch quarters {
	case 0:
		return p.horizontal, p.vertical
	case 2:
		return turnRules(p.horizontal, false, quarters), turnRules(p.vertical, true, quarters)
	}
	return turnRules(p.vertical, true, quarters), turnRules(p.horizontal, false, quarters)
}

func turnRules(rules []rule, vertical bool, quarters int) (out []rule) {
	for _, r := range rules {
		x0, y0, x1, y1 := r.from, r.at, r.to, r.at
		if vertical {
			x0, y0, x1, y1 = r.at, r.from, r.at, r.to
		}
		x0, y0 = turn(x0, y0, quarters)
		x1, y1 = turn(x1, y1, quarters)
		if math.Abs(x1-x0) < math.Abs(y1-y0) {
			out = append(out, rule{x0, math.Min(y0, y1), math.Max(y0, y1)})
		} else {
			out = append(out, rule{y0, math.Min(x0, x1), math.Max(x0, x1)})
		}
	}
	return out
}
