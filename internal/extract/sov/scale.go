package sov

import (
	"slices"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
)

// Limits of the search for the unit of all amounts.
const (
	maxScaleText = 100          // bytes
	scaleRows    = 50           // of each table
	wholeAmount  = 1_000_000_00 // in cents; an amount of this size is rarely stated in thousands
)

// statedScale returns the unit of all amounts of a part, such as a workbook, if one of its texts
// states it: "All values in USD thousands". Otherwise it is 1.
func (d *Tables) statedScale(part int) parse.Amount {
	if scale, known := d.scales[part]; known {
		return scale
	}
	scale := parse.Amount(1)
	for _, l := range d.Lines {
		if l.At.Part != part {
			continue
		}
		if l.Table == nil {
			scale = max(scale, scaleOfAll(l.Text))
			continue
		}
		for _, row := range l.Table.Rows[:min(scaleRows, len(l.Table.Rows))] {
			if layout.FilledCells(row) == 1 {
				scale = max(scale, scaleOfAll(row[slices.IndexFunc(row, func(c content.Cell) bool { return c.Text != "" })].Text))
			}
		}
	}
	d.scales[part] = scale
	return scale
}

// scaleOfAll returns the unit if the text states it for all amounts, otherwise 1.
func scaleOfAll(text string) parse.Amount {
	if len(text) > maxScaleText || !slices.ContainsFunc(vocabulary.Words(text), func(w string) bool { return vocabulary.Qualifiers("every")[w] }) {
		return 1
	}
	return parse.Amount(recognise.ScaleOf(text))
}

// withStatedScale sets the unit of the columns to the one that the part states for all amounts,
// if no header states a unit and the amounts are small.
func (d *Tables) withStatedScale(t *content.Table, columns []location.Column, from, part int) {
	if slices.ContainsFunc(columns, func(c location.Column) bool { return c.Scale > 1 }) {
		return
	}
	scale := d.statedScale(part)
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
