package extract

import "understudy.example/internal/document/content"

// partial is the factor of scores of values out of a part that was cut short
// by a limit or damage: what was left out might say otherwise.
const partial = 0.8

// cutShort tells whether only some of the part was read.
func cutShort(part content.Part) bool {
	return part.Cause == content.Limit || part.Cause == content.Damaged
}

// trust is what the values of a part are worth.
func (d *extractor) trust(part int) float64 {
	if part < len(d.parts) && cutShort(d.parts[part]) {
		return partial
	}
	return 1
}
