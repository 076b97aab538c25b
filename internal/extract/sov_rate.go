package extract

import (
	"cmp"

	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/field"
)

// weaker reports whether a cell is less explicit than another.
func (c sovCell) weaker(other sovCell) bool {
	return cmp.Or(cmp.Compare(c.from, other.from), cmp.Compare(other.doubt, c.doubt)) < 0
}

// rate returns the score of a cell as the value of a field of a location. fit says how well
// the text fits the field.
func (d *extractor) rate(name, text string, fit float64, c sovCell) float64 {
	r := resolve.Reading{Text: text, Features: d.features(max(c.from, source.Guess), c.doubt, 1-fit, c.at), Evidence: c.at.Evidence.String()}
	if c.derived {
		r.Features[resolve.Derived] = 1
	}
	if c.agrees {
		r.Features[resolve.Agrees] = 1
	}
	return d.rateRow(name, r)
}

// rateDerived returns the score of a value of a location that follows from a value of the
// insured.
func (d *extractor) rateDerived(name, text string, r resolve.Reading) float64 {
	for _, f := range resolve.Contextual {
		r.Features[f] = 0
	}
	r.Text = text
	r.Features[resolve.Derived] = 1
	return d.rateRow(name, r)
}

func (d *extractor) rateRow(name string, r resolve.Reading) float64 {
	r.Field = rowPrefix + name
	r.Group = Group(r.Field)
	if d.trace != nil {
		d.trace.Cells[field.Value{Field: name, Text: r.Text, Evidence: r.Evidence}] = r
	}
	return rounded(resolve.Fitted.Alone(&r))
}

// rowPrefix distinguishes the fields of locations from others.
const rowPrefix = "locations."

// rowKinds holds the kind of every field of a location.
var rowKinds = func() map[string]field.Kind {
	m := map[string]field.Kind{}
	for _, fields := range [][]field.Field{field.LocationFacts, field.LocationOptions, field.MoreLocation} {
		for _, f := range fields {
			m[f.Name] = f.Kind
		}
	}
	return m
}()
