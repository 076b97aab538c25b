package assign

import (
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
)

// sums are the fields whose labels can state the unit of their amounts.
var sums = words.Set("annual_revenue", "annual_payroll", "estimated_premium", "~expiring_premium")

// ofAccounts are the sums to which the unit of the accounts applies: "Financials ($000)".
var ofAccounts = words.Set("annual_revenue", "annual_payroll")

// withUnit multiplies the amount in a value by the unit that its label states. The unit of a heading or a note above it
// counts only for the accounts.
func (r *Assigner) withUnit(m recognise.Match, value string, part int) string {
	if m.Unit == 0 && !ofAccounts[m.Field] {
		return value
	}
	return r.InUnits(value, m.Unit, r.unit, part)
}

// InUnitOf multiplies the amount in a value of the field by the unit that a label states, such as the header of its
// column.
func InUnitOf(label, name, value string) string {
	if !sums[name] {
		return value
	}
	return layout.InLabelUnit(value, label)
}
