package sov

import (
	"slices"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
)

// Limits of the search for the unit of all amounts.
const (
	scaleRows   = 50           // of each table
	wholeAmount = 1_000_000_00 // in cents; an amount of this size is rarely stated in thousands
)

// withStatedScale sets the unit of the columns to the one that the part states for all amounts,
// if no header states a unit and the amounts are small.
func (d *Tables) withStatedScale(t *content.Table, columns []location.Column, from, part int) {
	if slices.ContainsFunc(columns, func(c location.Column) bool { return c.Scale > 1 }) {
		return
	}
	scale := parse.Amount(d.StatedUnit(part, true))
	if scale == 1 {
		return
	}
	for _, row := range t.Rows[from:min(len(t.Rows), from+scaleRows)] {
		for _, c := range columns {
			if !recognise.MoneyColumns[c.Field] || c.Index >= len(row) {
				continue
			}
			if amount, ok := location.CellAmount(row[c.Index]); ok && amount >= wholeAmount {
				return
			}
		}
	}
	for i := range columns {
		columns[i].Scale = scale
	}
}
