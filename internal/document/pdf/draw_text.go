package pdf

import (
	"math"
	"strings"
)

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

// textOperator executes the operators of text, except the one that sets the font.
// It returns the number of glyphs shown, and false for any other operator.
func (s *graphicsState) textOperator(p *page, op string, operands []token) (glyphs int, ok bool) {
	last := token{}
	if len(operands) > 0 {
		last = operands[len(operands)-1]
	}
	switch op {
	case "BT":
		s.matrix, s.lineMatrix, s.sameLine = identity, identity, false
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
			s.move(operands[len(operands)-2].number, last.number)
		}
	case "T*":
		s.move(0, -s.leading)
	case "Tj":
		glyphs = s.show(p, []token{last})
	case "TJ":
		glyphs = s.show(p, last.list)
	case "'", `"`:
		if op == `"` && len(operands) >= 3 {
			s.wordSpacing, s.charSpacing = operands[0].number, operands[1].number
		}
		s.move(0, -s.leading)
		glyphs = s.show(p, []token{last})
	default:
		return 0, false
	}
	return glyphs, true
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

// move moves the start of the line.
func (s *graphicsState) move(x, y float64) {
	s.lineMatrix = matrix{1, 0, 0, 1, x, y}.then(s.lineMatrix)
	s.matrix = s.lineMatrix
}

// show adds the runs of one show operator, whose operands are strings and
// numbers that move the next string. A gap of more than the size of a glyph
// separates runs, a smaller one words. It returns the number of glyphs.
func (s *graphicsState) show(p *page, operands []token) (glyphs int) {
	if s.font == nil || s.size == 0 {
		return 0
	}
	var text strings.Builder
	start, at, gaps := 0.0, 0.0, 0.0 // along the line; gaps since the last string
	flush := func() {
		if strings.TrimSpace(text.String()) != "" {
			s.addRun(p, text.String(), start, at)
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
			glyphs++
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
	return glyphs
}

// addRun adds text that reaches from one position on the line to another.
func (s *graphicsState) addRun(p *page, text string, from, to float64) {
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
	p.runs = append(p.runs, r)
}

// plainCharacters replaces special spaces, hyphens and ligatures.
var plainCharacters = strings.NewReplacer("\u00a0", " ", "\u00ad", "-", "\ufb01", "fi", "\ufb02", "fl", "\ufb00", "ff", "\ufb03", "ffi", "\ufb04", "ffl",
	"\t", " ", "\n", " ", "\r", " ", "\u2002", " ", "\u2003", " ", "\u2009", " ", "\u200b", "", "\ufffd", "")

// cleanText replaces or removes special characters that only affect how a text
// looks.
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
