package pdf

import (
	"math"

	"understudy.example/internal/document/content"
)

// locator turns segments of a page into spans. It is nil if the positions of the text are
// not asked for.
type locator func(segments ...segment) []content.Span

// locatorFor returns the locator for text of the page in a writing direction.
func (p *page) locatorFor(quarters int) locator {
	return func(segments ...segment) []content.Span {
		spans := make([]content.Span, len(segments))
		for i, s := range segments {
			x0, y0 := turn(s.x0, s.y-0.22*s.size, 4-quarters)
			x1, y1 := turn(s.x1, s.y+0.78*s.size, 4-quarters)
			b := box{math.Min(x0, x1), math.Min(y0, y1), math.Max(x0, x1), math.Max(y0, y1)}
			spans[i] = p.span(s.text, b, quarters)
		}
		return spans
	}
}

// span returns text in a box of the page.
func (p *page) span(text string, b box, quarters int) content.Span {
	return content.Span{
		Text: text, Page: p.number, X: points(b.x0 - p.box.x0), Y: points(p.box.y1 - b.y1),
		Width: points(b.x1 - b.x0), Height: points(b.y1 - b.y0), Turns: quarters,
	}
}

// locate returns the spans of segments. It returns nil for a nil locator.
func (l locator) locate(segments []segment) []content.Span {
	if l == nil {
		return nil
	}
	return l(segments...)
}

// locateLines returns the spans of lines.
func (l locator) locateLines(lines []textLine) (spans []content.Span) {
	for i := range lines {
		spans = append(spans, l.locate(lines[i].segments)...)
	}
	return spans
}

// points rounds a length to a tenth of a point. Files can contain any number.
func points(length float64) float64 {
	if math.IsNaN(length) {
		return 0
	}
	return math.Round(10*math.Max(-100_000, math.Min(100_000, length))) / 10
}
