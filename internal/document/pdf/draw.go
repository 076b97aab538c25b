package pdf

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// drawing carries out the content of a page.
type drawing struct {
	reader *reader
	page   *page
	state  graphicsState

	path           []line
	x, y           float64 // current point
	startX, startY float64 // of the current subpath
}

// graphicsState is the part of the graphics state that matters for text and
// rules.
type graphicsState struct {
	ctm           matrix // current transformation matrix
	font          *font
	size          float64
	charSpacing   float64
	wordSpacing   float64
	scale         float64 // horizontal scaling
	leading, rise float64
	matrix        matrix // of the text
	lineMatrix    matrix // of the start of the line
	sameLine      bool   // the last move stayed on the line
}

// draw carries out a content stream. Forms inside it are drawn the same way.
func (d *drawing) draw(content []byte, resources types.Dict, depth int) {
	s := &scanner{data: content}
	var operands []token
	var saved []graphicsState
	for {
		t := s.next(0)
		if t.kind == tokenEnd || d.reader.glyphs > maxGlyphs {
			return
		}
		if t.kind != tokenOperator {
			if len(operands) < 100 {
				operands = append(operands, t)
			}
			continue
		}
		if d.reader.operators++; d.reader.operators > maxOperators {
			return
		}
		if d.reader.operators%10_000 == 0 && d.reader.file.Err() != nil {
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
			if m, ok := lastMatrix(operands); ok {
				d.state.ctm = m.then(d.state.ctm)
			}
		case "Do":
			d.drawForm(operands, resources, depth)
		case "ID":
			s.skipImage()
		default:
			if !d.textOperator(op, operands, resources) {
				d.pathOperator(op, operands)
			}
		}
		operands = operands[:0]
	}
}

// lastMatrix returns the last six operands as a matrix.
func lastMatrix(operands []token) (matrix, bool) {
	var m matrix
	if len(operands) < 6 {
		return m, false
	}
	for i := range m {
		m[i] = operands[len(operands)-6+i].number
	}
	return m, true
}

// drawForm draws a form XObject: a content stream of its own.
func (d *drawing) drawForm(operands []token, resources types.Dict, depth int) {
	if len(operands) == 0 || depth >= maxForms {
		return
	}
	o := d.reader.dict(resources["XObject"])[string(operands[len(operands)-1].text)]
	dict := d.reader.dict(o)
	if d.reader.name(dict["Subtype"]) != "Form" {
		return
	}
	inner := d.reader.dict(dict["Resources"])
	if inner == nil {
		inner = resources
	}
	before := d.state
	d.state.ctm = d.reader.matrix(dict["Matrix"]).then(d.state.ctm)
	d.draw(d.reader.stream(o), inner, depth+1)
	d.state = before
}
