package extract

import "understudy.example/internal/document/content"

// partial is the factor of scores for values from a part that was cut off by a limit
// or is damaged: the missing rest may state something else.
const partial = 0.8

// cutShort reports whether the part was only partly read.
func cutShort(part content.Part) bool {
	return part.Cause == content.Limit || part.Cause == content.Damaged
}

// trust returns the factor of scores for the values of a part.
func (d *extractor) trust(part int) float64 {
	if part < len(d.parts) && cutShort(d.parts[part]) {
		return partial
	}
	return 1
}
