package extract

import (
	"slices"
	"strings"

	"understudy/internal/field"
)

// partial is the factor of scores of values out of a part that was cut short
// by a limit or damage: what was left out might say otherwise.
const partial = 0.8

// Partial tells whether only a beginning of the part was read. The readers end
// such notes with these words.
func (p Part) Partial() bool {
	return strings.Contains(p.Note, "the rest left out") || strings.Contains(p.Note, "read in part")
}

// weaken lowers the scores of what stands in parts that were read in part.
func (e *Extraction) weaken() {
	for _, part := range e.Parts {
		if !part.Partial() {
			continue
		}
		for _, values := range slices.Concat(e.Locations, [][]field.Value{e.Facts, e.Options}) {
			for i, value := range values {
				// Evidence begins with the part's name.
				if after, ok := strings.CutPrefix(value.Evidence, part.Name); ok && (after == "" || after[0] == ',') {
					values[i].Score = rounded(value.Score * partial)
				}
			}
		}
	}
}
