package assign

import (
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
)

// sums are the fields whose labels can state the unit of their amounts.
var sums = words.Set("annual_revenue", "annual_payroll", "estimated_premium", "~expiring_premium")

const maxInUnits = 10_000_000 // in units; larger amounts are written in full

// inUnits returns the amount of a label that states its unit in full: "4,500,000.00" for "Annual revenue
// ($000)" and "4,500". A value with a unit of its own, or another value, is returned as it is.
func inUnits(label, value string) string {
	unit := recognise.ScaleOf(label)
	if unit == 1 {
		return value
	}
	found, ok := parse.FindMoney(value)
	if !ok || found.Amount >= maxInUnits*100 || strings.Trim(value[found.Start:found.End], parse.Digits+" .,'’$£€USDGBPEURCHFAN") != "" {
		return value
	}
	return value[:found.Start] + (found.Amount * parse.Amount(unit)).String() + value[found.End:]
}
