package assign

import (
	"strings"
	"unicode"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// sums are the fields whose labels can state the unit of their amounts.
var sums = words.Set("annual_revenue", "annual_payroll", "estimated_premium", "~expiring_premium")

var currency = vocabulary.Pattern(`(?i){{money.sign}}|{{money.code}}`)

const maxInUnits = 10_000_000 // larger numbers are taken to be amounts in full

// inUnits multiplies the amount in a value by the unit that its label states: "4,500" beside "Annual revenue
// ($000)" becomes "4,500,000.00". Other values, and amounts with a unit of their own, are returned unchanged.
func inUnits(label, value string) string {
	unit := recognise.ScaleOf(label)
	if unit == 1 {
		return value
	}
	found, ok := parse.FindMoney(value)
	if !ok || found.Amount >= maxInUnits*100 || strings.ContainsFunc(currency.ReplaceAllString(value[found.Start:found.End], ""), unicode.IsLetter) {
		return value
	}
	return value[:found.Start] + (found.Amount * parse.Amount(unit)).String() + value[found.End:]
}
