package pdf

import (
	"math"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// textOperator carries out the operators of text. It returns false for any other
// operator.
func (d *drawing) textOperator(op string, operands []token, resources types.Dict) bool {
	s := &d.state
	last := token{}
	if len(operands) > 0 {
		last = operands[len(operands)-1]
	}
	switch op {
	case "BT":
		s.matrix, s.lineMatrix, s.sameLine = identity, identity, false
	case "Tf":
		if len(operands) >= 2 {
			s.font = d.reader.font(d.reader.dict(resources["Font"])[string(operands[len(operands)-2].text)])
			s.size = last.number
		}
	case "Tc":
		s.charSpacing = last.number
	case "Tw":
		s.wordSpacing = last.number
	case "Tz":
		s.scale = last.number / 100
	case "TL":
		s.leading = last.number
	case "Ts":
		s.rise = last.number
	case "Tm":
		if m, ok := lastMatrix(operands); ok {
			s.matrix, s.lineMatrix, s.sameLine = m, m, false
		}
	case "Td", "TD":
		if len(operands) >= 2 {
			s.sameLine = last.number == 0
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
			s.wordSpacing, s.charSpacing = operands[0].number, operands[1].number
		}
		d.move(0, -s.leading)
		d.show([]token{last})
	default:
		return false
	}
	return true
}

// move moves the start of the line.
func (d *drawing) move(x, y float64) {
	d.state.lineMatrix = matrix{1, 0, 0, 1, x, y}.then(d.state.lineMatrix)
	d.state.matrix = d.state.lineMatrix
}

// show adds the runs of one show operator, whose operands are strings and
// numbers that move the next string. A gap of more than the size of a glyph
// separates runs, a smaller one words.
func (d *drawing) show(operands []token) {
	s := &d.state
	if s.font == nil || s.size == 0 {
		return
	}
	var text strings.Builder
	start, at, gaps := 0.0, 0.0, 0.0 // along the line; gaps since the last string
	flush := func() {
		if strings.TrimSpace(text.String()) != "" {
			d.addRun(text.String(), start, at)
		}
		text.Reset()
	}
	for _, t := range operands {
		if t.kind == tokenNumber {
			gap := -t.number / 1000 * s.size * s.scale
			at += gap
			gaps += gap
			continue
		}
		if em := math.Abs(s.size * s.scale); text.Len() > 0 && gaps > 1.2*em || gaps < -2*em {
			end := at
			at -= gaps
			flush()
			at = end
		} else if gaps > 0.2*em && text.Len() > 0 && !strings.HasSuffix(text.String(), " ") {
			text.WriteByte(' ')
		}
		if gaps = 0; text.Len() == 0 {
			start = at
		}
		s.font.decode(t.text, func(glyph string, width float64, code int) {
			d.reader.glyphs++
			text.WriteString(glyph)
			at += (width*s.size + s.charSpacing) * s.scale
			if code == ' ' && !s.font.wide {
				at += s.wordSpacing * s.scale
			}
		})
	}
	end := at
	at -= gaps
	flush()
	s.matrix = matrix{1, 0, 0, 1, end, 0}.then(s.matrix)
}

// addRun adds text that reaches from one position on the line to another.
func (d *drawing) addRun(text string, from, to float64) {
	s := &d.state
	m := s.matrix.then(s.ctm)
	size := math.Abs(s.size) * math.Hypot(m[2], m[3])
	// Spaces at the ends would hide the gap to the neighbours.
	if trimmed := strings.TrimLeft(text, " "); len(text) > 0 && to > from {
		glyph := (to - from) / float64(max(1, len([]rune(text))))
		from += glyph * float64(len(text)-len(trimmed))
		end := strings.TrimRight(trimmed, " ")
		to -= glyph * float64(len(trimmed)-len(end))
		text = end
	}
	x0, y0 := m.apply(from, s.rise)
	x1, y1 := m.apply(to, s.rise)
	r := run{text: cleanText(text), size: size, sameLine: s.sameLine}
	if r.size < 0.1 || r.size > 2000 || math.IsNaN(x0+y0+x1+y1) || math.Abs(x0)+math.Abs(y0) > 1e6 {
		return
	}
	// The direction comes from the matrix, because a run may be a single narrow
	// glyph.
	angle := math.Atan2(m[1]*sign(s.scale), m[0]*sign(s.scale))
	r.quarters = (int(math.Round(angle/(math.Pi/2))) + 4) % 4
	r.x0, r.y = turn(x0, y0, r.quarters)
	r.x1, _ = turn(x1, y1, r.quarters)
	if r.x1 < r.x0 {
		r.x0, r.x1 = r.x1, r.x0
	}
	d.page.runs = append(d.page.runs, r)
}

// plainCharacters replaces special spaces, hyphens and ligatures.
var plainCharacters = strings.NewReplacer("\u00a0", " ", "\u00ad", "-", "\ufb01", "fi", "\ufb02", "fl", "\ufb00", "ff", "\ufb03", "ffi", "\ufb04", "ffl",
	"\t", " ", "\n", " ", "\r", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u200b", "", "\ufffd", "")

// cleanText replaces characters that only matter for the look of a text.
func cleanText(s string) string {
	s = plainCharacters.Replace(s)
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
