package extract

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/resolve"
)

const minCoverName = 8 // minimum length in bytes of the name of a cover at the beginning of a line

// dropLimits removes amounts that were read as the premium but follow the name of a requested cover in their line, because
// they are its limit: "Storage in own warehouse, at most €1,500,000". It removes none if no other line states a premium.
func (d *extractor) dropLimits() {
	covers := d.Ranked("coverage")
	behindCover := func(c resolve.Reading) bool {
		if c.Field != "estimated_premium" || c.Features[resolve.Prose] == 0 || c.Place >= len(d.Lines) {
			return false
		}
		text := strings.TrimSpace(pairs.WithoutMark(strings.TrimSpace(d.Lines[c.Place].Text)))
		return slices.ContainsFunc(covers, func(v resolve.Value) bool {
			return len(v.Text) >= minCoverName && strings.HasPrefix(text, v.Text)
		})
	}
	if slices.ContainsFunc(d.Readings, func(c resolve.Reading) bool { return c.Field == "estimated_premium" && !behindCover(c) }) {
		d.Drop("it is the limit of a cover", behindCover)
	}
}
