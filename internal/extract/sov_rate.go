package extract

import (
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
)

// rate returns the score of a cell as the value of a field of a location. fit says how well
// the text fits the field.
func (d *extractor) rate(name, text string, fit float64, c location.Cell) float64 {
	r := resolve.Reading{Text: text, Features: d.Features(max(c.From, source.Guess), c.Doubt, 1-fit, c.At), Evidence: c.At.Evidence.String()}
	if c.Derived {
		r.Features[resolve.Derived] = 1
	}
	if c.Agrees {
		r.Features[resolve.Agrees] = 1
	}
	return d.RateRow(name, r)
}
