package extract

import (
	"cmp"

	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
)

// weaker reports whether a cell is less explicit than another.
func (c sovCell) weaker(other sovCell) bool {
	return cmp.Or(cmp.Compare(c.from, other.from), cmp.Compare(other.doubt, c.doubt)) < 0
}

// rate returns the score of a cell as the value of a field of a location. fit says how well
// the text fits the field.
func (d *extractor) rate(name, text string, fit float64, c sovCell) float64 {
	r := resolve.Reading{Text: text, Features: d.Features(max(c.from, source.Guess), c.doubt, 1-fit, c.at), Evidence: c.at.Evidence.String()}
	if c.derived {
		r.Features[resolve.Derived] = 1
	}
	if c.agrees {
		r.Features[resolve.Agrees] = 1
	}
	return d.RateRow(name, r)
}
