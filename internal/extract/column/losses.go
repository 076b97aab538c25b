package column

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// IsLosses reports whether a row is the header of a table of claims, vehicles or
// wages, which does not describe the policy.
func IsLosses(row []content.Cell) bool {
	hits, filled, numbers := 0, 0, 0
	for _, c := range row {
		if c.Merged || strings.TrimSpace(c.Text) == "" {
			continue
		}
		if wantedPremium.MatchString(c.Text) {
			return false // "Deductible | Expiring premium | Target premium"
		}
		filled++
		if parse.HasDigit(c.Text) {
			numbers++
		}
		if recognise.Foreign(words.Key(c.Text)) {
			hits++
		}
	}
	return hits >= 2 && numbers*3 <= filled // "Turnover | £9m | Wageroll | £2m" is not a header
}

// wantedPremium matches the header of a column of requested premiums.
var wantedPremium = vocabulary.Pattern(`(?i)^\W*(?:{{compared.wanted/premium}})\b`)
