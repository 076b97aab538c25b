package assign

import (
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// Words for the expiring policy and for the requested one, in the value of a premium.
var (
	heldWord   = vocabulary.Pattern(`(?i)\b(?:{{compared.held|compared.paid}})\b`)
	wantedWord = vocabulary.Pattern(`(?i)\b(?:{{compared.wanted}})\b`)
	clauseEnd  = lazyregexp.New(`[;()|\n]|,\s|\.\s|\s/\s`)
)

// wantedPremium splits the value of a label for a premium that also states the premium of the expiring policy: "Held
// with Alder at $49,500; we want $45,000", "$48,000 (expiring $51,250)". held is empty if the value does not.
func wantedPremium(value string) (wanted, held string) {
	if len(value) > maxPremiums {
		return value, ""
	}
	var amounts, helds []string
	start := 0
	for _, end := range append(clauseEnd.FindAllStringIndex(value, -1), []int{len(value), len(value)}) {
		clause := strings.TrimSpace(value[start:end[0]])
		start = end[1]
		if _, ok := parse.FindMoney(clause); !ok || !parse.HasDigit(clause) {
			continue
		}
		if heldWord.MatchString(clause) && !wantedWord.MatchString(clause) {
			helds = append(helds, clause)
		} else {
			amounts = append(amounts, clause)
		}
	}
	if len(amounts) != 1 || len(helds) != 1 {
		return value, ""
	}
	return amounts[0], helds[0]
}

const maxPremiums = 200 // bytes of such a value
