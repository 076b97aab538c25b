package pdf

import "understudy.example/internal/document/pdf/object"

// painter draws the pages of one document.
type painter struct {
	fontCache
	glyphs    *allowance // drawn
	operators *allowance // executed
}

// drawing executes the content of a page.
type drawing struct {
	*painter
	page  *page
	state graphicsState
	path  path
}

// draw executes a content stream. Forms inside it are drawn the same way.
func (d *drawing) draw(content []byte, resources object.Dict, depth int) {
	s := newScanner(content)
	var operands []token
	var saved []graphicsState
	for {
		t := s.next(0)
		if t.kind == tokenEnd || !d.glyphs.take(0) {
			return
		}
		if t.kind != tokenOperator {
			if len(operands) < 100 {
				operands = append(operands, t)
			}
			continue
		}
		if !d.operators.take(1) {
			return
		}
		if d.operators.left%10_000 == 0 && d.file.Err() != nil {
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
		case "Tf":
			d.setFont(operands, resources)
		case "Do":
			d.drawForm(operands, resources, depth)
		case "ID":
			s.skipImage()
		default:
			glyphs, ok := d.state.textOperator(d.page, op, operands)
			if d.glyphs.take(glyphs); !ok {
				d.path.operator(d.page, op, operands, d.state.ctm)
			}
		}
		operands = operands[:0]
	}
}

func (d *drawing) setFont(operands []token, resources object.Dict) {
	n := len(operands)
	if n < 2 {
		return
	}
	d.state.font = d.font(d.dict(resources["Font"])[object.Name(operands[n-2].text)])
	d.state.size = operands[n-1].number
}

// formOperators is the number of operators that drawing a form counts as, in addition to its own operators, because its
// stream is decoded each time.
const formOperators = 500

// drawForm draws a form XObject: a content stream of its own.
func (d *drawing) drawForm(operands []token, resources object.Dict, depth int) {
	if len(operands) == 0 || depth >= maxForms {
		return
	}
	o := d.dict(resources["XObject"])[object.Name(operands[len(operands)-1].text)]
	dict := d.dict(o)
	if d.name(dict["Subtype"]) != "Form" || !d.operators.take(formOperators) {
		return
	}
	inner := d.dict(dict["Resources"])
	if inner == nil {
		inner = resources
	}
	before := d.state
	d.state.ctm = d.matrix(dict["Matrix"]).then(d.state.ctm)
	d.draw(d.stream(o), inner, depth+1)
	d.state = before
}
