package document

import (
	"math"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// pdfPage is what a page shows, in its own space turned upright.
type pdfPage struct {
	number  int
	upright matrix
	runs    []run
	across  []stroke  // horizontal rules: at y, from x to x
	down    []stroke  // vertical rules: at x, from y to y
	joined  []segment // level text, once asked for
}

// run is the text of one show operator: generators write a cell as one run and
// let neighbours overlap, so its glyphs stay together.
type run struct {
	text   string
	x0, x1 float64 // along the line
	y      float64 // of the baseline
	size   float64
	turned int  // quarter turns of the writing direction, counter-clockwise
	goesOn bool // moved to along the line from the run drawn before it
}

// stroke is a rule drawn at one coordinate, from one to another of the other.
type stroke struct{ at, from, to float64 }

type textState struct {
	ctm            matrix
	font           *pdfFont
	size           float64
	char, word     float64
	scale          float64
	leading, rise  float64
	matrix, origin matrix // of the text, of the line
	level          bool   // the last move kept to the line
}

// drawing carries out the content of a page.
type drawing struct {
	p     *pdfReader
	page  *pdfPage
	state textState
	path  []stroked
	x, y  float64 // current point
	sx    float64 // start of the sub-path
	sy    float64
}

// stroked is a straight piece of a path, in page space.
type stroked struct{ x0, y0, x1, y1 float64 }

// draw carries out a content stream. Forms inside draw themselves the same way.
func (d *drawing) draw(content []byte, resources types.Dict, depth int) {
	s := &scanner{data: content}
	var operands []token
	var saved []textState
	for {
		t := s.next(0)
		if t.kind == tokenEnd || d.p.glyphs > maxGlyphs {
			return
		}
		if t.kind != tokenOperator {
			if len(operands) < 100 {
				operands = append(operands, t)
			}
			continue
		}
		if d.p.operators++; d.p.operators > maxOperators {
			return
		}
		if d.p.operators%10_000 == 0 && d.p.r.ctx.Err() != nil {
			return
		}
		switch op := string(t.text); op {
		case "q":
			if len(saved) < 1000 {
				saved = append(saved, d.state)
			}
		case "Q":
			if n := len(saved); n > 0 {
				d.state, saved = saved[n-1], saved[:n-1]
			}
		case "cm":
			if m, ok := sixNumbers(operands); ok {
				d.state.ctm = m.then(d.state.ctm)
			}
		case "Do":
			d.form(operands, resources, depth)
		case "ID":
			s.passImage()
		default:
			if !d.textOperator(op, operands, resources) {
				d.pathOperator(op, operands)
			}
		}
		operands = operands[:0]
	}
}

func sixNumbers(operands []token) (matrix, bool) {
	var m matrix
	if len(operands) < 6 {
		return m, false
	}
	for i := range m {
		m[i] = operands[len(operands)-6+i].number
	}
	return m, true
}

func (d *drawing) form(operands []token, resources types.Dict, depth int) {
	if len(operands) == 0 || depth >= maxForms {
		return
	}
	o := d.p.dict(resources["XObject"])[string(operands[len(operands)-1].text)]
	dict := d.p.dict(o)
	if d.p.name(dict["Subtype"]) != "Form" {
		return
	}
	inner := d.p.dict(dict["Resources"])
	if inner == nil {
		inner = resources
	}
	before := d.state
	d.state.ctm = d.p.matrix(dict["Matrix"]).then(d.state.ctm)
	d.draw(d.p.stream(o), inner, depth+1)
	d.state = before
}

// textOperator carries out the operators of text; false for any other.
func (d *drawing) textOperator(op string, operands []token, resources types.Dict) bool {
	s := &d.state
	last := token{}
	if len(operands) > 0 {
		last = operands[len(operands)-1]
	}
	switch op {
	case "BT":
		s.matrix, s.origin, s.level = identity, identity, false
	case "Tf":
		if len(operands) >= 2 {
			s.font = d.p.font(d.p.dict(resources["Font"])[string(operands[len(operands)-2].text)])
			s.size = last.number
		}
	case "Tc":
		s.char = last.number
	case "Tw":
		s.word = last.number
	case "Tz":
		s.scale = last.number / 100
	case "TL":
		s.leading = last.number
	case "Ts":
		s.rise = last.number
	case "Tm":
		if m, ok := sixNumbers(operands); ok {
			s.matrix, s.origin, s.level = m, m, false
		}
	case "Td", "TD":
		if len(operands) >= 2 {
			s.level = last.number == 0
			if op == "TD" {
				s.leading = -last.number
			}
			d.move(operands[len(operands)-2].number, last.number)
		}
	case "T*":
		d.move(0, -s.leading)
	case "Tj":
		d.show([]token{last})
	case "TJ":
		d.show(last.list)
	case "'", `"`:
		if op == `"` && len(operands) >= 3 {
			s.word, s.char = operands[0].number, operands[1].number
		}
		d.move(0, -s.leading)
		d.show([]token{last})
	default:
		return false
	}
	return true
}

func (d *drawing) move(x, y float64) {
	d.state.origin = matrix{1, 0, 0, 1, x, y}.then(d.state.origin)
	d.state.matrix = d.state.origin
}

// show adds the runs of one show operator. A gap inside of more than a glyph's
// size parts columns, a smaller one words.
func (d *drawing) show(list []token) {
	s := &d.state
	if s.font == nil || s.size == 0 {
		return
	}
	var text strings.Builder
	start, at, spaced := 0.0, 0.0, 0.0
	flush := func() {
		if strings.TrimSpace(text.String()) != "" {
			d.add(text.String(), start, at)
		}
		text.Reset()
	}
	for _, t := range list {
		if t.kind == tokenNumber {
			gap := -t.number / 1000 * s.size * s.scale
			at += gap
			spaced += gap
			continue
		}
		if em := math.Abs(s.size * s.scale); text.Len() > 0 && spaced > 1.2*em || spaced < -2*em {
			end := at
			at -= spaced
			flush()
			at = end
		} else if spaced > 0.2*em && text.Len() > 0 && !strings.HasSuffix(text.String(), " ") {
			text.WriteByte(' ')
		}
		if spaced = 0; text.Len() == 0 {
			start = at
		}
		s.font.decode(t.text, func(glyph string, width float64, code int) {
			d.p.glyphs++
			text.WriteString(glyph)
			at += (width*s.size + s.char) * s.scale
			if code == ' ' && !s.font.wide {
				at += s.word * s.scale
			}
		})
	}
	end := at
	at -= spaced
	flush()
	s.matrix = matrix{1, 0, 0, 1, end, 0}.then(s.matrix)
}

func (d *drawing) add(text string, from, to float64) {
	s := &d.state
	m := s.matrix.then(s.ctm)
	size := math.Abs(s.size) * math.Hypot(m[2], m[3])
	// Blanks at the ends would hide the gap to the neighbours.
	if trimmed := strings.TrimLeft(text, " "); len(text) > 0 && to > from {
		glyph := (to - from) / float64(max(1, len([]rune(text))))
		from += glyph * float64(len(text)-len(trimmed))
		end := strings.TrimRight(trimmed, " ")
		to -= glyph * float64(len(trimmed)-len(end))
		text = end
	}
	x0, y0 := m.apply(from, s.rise)
	x1, y1 := m.apply(to, s.rise)
	r := run{text: cleanText(text), size: size, goesOn: s.level}
	if r.size < 0.1 || r.size > 2000 || math.IsNaN(x0+y0+x1+y1) || math.Abs(x0)+math.Abs(y0) > 1e6 {
		return
	}
	// The direction comes from the matrix: a run may be a single narrow glyph.
	angle := math.Atan2(m[1]*sign(s.scale), m[0]*sign(s.scale))
	r.turned = (int(math.Round(angle/(math.Pi/2))) + 4) % 4
	r.x0, r.y = turn(x0, y0, r.turned)
	r.x1, _ = turn(x1, y1, r.turned)
	if r.x1 < r.x0 {
		r.x0, r.x1 = r.x1, r.x0
	}
	d.page.runs = append(d.page.runs, r)
}

func sign(f float64) float64 {
	if f < 0 {
		return -1
	}
	return 1
}

// turn gives a point in the frame of text written with some quarter turns.
func turn(x, y float64, quarters int) (float64, float64) {
	switch quarters {
	case 1:
		return y, -x
	case 2:
		return -x, -y
	case 3:
		return -y, x
	}
	return x, y
}

var oddBlanks = strings.NewReplacer("\u00a0", " ", "\u00ad", "-", "\ufb01", "fi", "\ufb02", "fl", "\ufb00", "ff", "\ufb03", "ffi", "\ufb04", "ffl",
	"\t", " ", "\n", " ", "\r", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u200b", "", "\ufffd", "")

func cleanText(s string) string {
	s = oddBlanks.Replace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return -1
		case r == 0x7f || r >= 0xf000 && r <= 0xf0ff: // bullets of symbol fonts
			return '•'
		}
		return r
	}, s)
}

// pathOperator collects the straight rules that a page draws.
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
		d.sx, d.sy = d.x, d.y
	case "l":
		x, y := d.state.ctm.apply(n(0), n(1))
		d.line(d.x, d.y, x, y)
		d.x, d.y = x, y
	case "c":
		d.x, d.y = d.state.ctm.apply(n(4), n(5))
	case "v", "y":
		d.x, d.y = d.state.ctm.apply(n(2), n(3))
	case "h":
		d.line(d.x, d.y, d.sx, d.sy)
		d.x, d.y = d.sx, d.sy
	case "re":
		b := d.state.ctm.box(box{n(0), n(1), n(0) + n(2), n(1) + n(3)})
		d.line(b.x0, b.y0, b.x1, b.y0)
		d.line(b.x1, b.y0, b.x1, b.y1)
		d.line(b.x1, b.y1, b.x0, b.y1)
		d.line(b.x0, b.y1, b.x0, b.y0)
	case "S", "s", "B", "B*", "b", "b*":
		d.rule(false)
	case "f", "F", "f*":
		d.rule(true)
	case "n":
		d.path = d.path[:0]
	}
}

func (d *drawing) line(x0, y0, x1, y1 float64) {
	if len(d.path) < maxRules {
		d.path = append(d.path, stroked{x0, y0, x1, y1})
	}
}

// rule keeps the pieces of a painted path that are rules. Of a filled path
// only thin boxes are: a coloured area is no border.
func (d *drawing) rule(filled bool) {
	const thin = 2.5
	if filled {
		b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		for i, l := range d.path {
			b = box{math.Min(b.x0, math.Min(l.x0, l.x1)), math.Min(b.y0, math.Min(l.y0, l.y1)), math.Max(b.x1, math.Max(l.x0, l.x1)), math.Max(b.y1, math.Max(l.y0, l.y1))}
			if i%4 != 3 {
				continue
			}
			switch {
			case b.y1-b.y0 <= thin:
				d.keep(b.x0, (b.y0+b.y1)/2, b.x1, (b.y0+b.y1)/2)
			case b.x1-b.x0 <= thin:
				d.keep((b.x0+b.x1)/2, b.y0, (b.x0+b.x1)/2, b.y1)
			}
			b = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		}
	} else {
		for _, l := range d.path {
			d.keep(l.x0, l.y0, l.x1, l.y1)
		}
	}
	d.path = d.path[:0]
}

func (d *drawing) keep(x0, y0, x1, y1 float64) {
	if len(d.page.across)+len(d.page.down) >= maxRules {
		return
	}
	switch dx, dy := math.Abs(x1-x0), math.Abs(y1-y0); {
	case dy < 1 && dx > 4:
		d.page.across = append(d.page.across, stroke{(y0 + y1) / 2, math.Min(x0, x1), math.Max(x0, x1)})
	case dx < 1 && dy > 4:
		d.page.down = append(d.page.down, stroke{(x0 + x1) / 2, math.Min(y0, y1), math.Max(y0, y1)})
	}
}
