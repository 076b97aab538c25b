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

// Numbers that are larger are taken to be amounts in full, despite a unit in their label, or in a heading or a note
// above it.
const (
	maxInUnits      = 10_000_000
	maxInUnitsAbove = 1_000_000
)

// ofAccounts are the sums to which the unit of the accounts applies: "Financials ($000)".
var ofAccounts = words.Set("annual_revenue", "annual_payroll")

// withUnit multiplies the amount in a value by the unit that its label states, or the heading above it, or a note that
// concerns all amounts of the part.
func (r *Assigner) withUnit(m recognise.Match, value string, part int) string {
	switch {
	case m.Unit > 0:
		return inUnits(m.Unit, maxInUnits, value)
	case !ofAccounts[m.Field]:
		return value
	case r.unit > 1:
		return inUnits(r.unit, maxInUnitsAbove, value)
	}
	if currency.MatchString(value) {
		return value // "Annual revenue: $850,000", below "All values in thousands"
	}
	return inUnits(r.StatedUnit(part, false), maxInUnitsAbove, value)
}

// InUnitOf multiplies the amount in a value of the field by the unit that a label states, such as the header of its
// column.
func InUnitOf(label, name, value string) string {
	if !sums[name] {
		return value
	}
	return inUnits(max(recognise.UnitOf(label), 1), maxInUnits, value)
}

// inUnits multiplies the amount in a value by a unit: "4,500" in thousands becomes "4,500,000.00". Other values,
// amounts with a unit of their own, and amounts from the limit on are returned unchanged.
func inUnits(unit int64, limit parse.Amount, value string) string {
	if unit == 1 {
		return value
	}
	found, ok := parse.FindMoney(value)
	if !ok || found.Amount >= limit*100 || strings.ContainsFunc(currency.ReplaceAllString(value[found.Start:found.End], ""), unicode.IsLetter) {
		return value
	}
	return value[:found.Start] + (found.Amount * parse.Amount(unit)).String() + value[found.End:]
}
