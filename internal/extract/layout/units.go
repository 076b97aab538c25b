package layout

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
)

// Limits of the search for the unit of all amounts.
const (
	maxUnitText = 100 // bytes
	unitRows    = 50  // of each table
)

// statedUnit is the cache key for StatedUnit.
type statedUnit struct {
	part   int
	values bool // also accept a unit stated only for insured values: "Property values ($000)"
}

// StatedUnit returns the unit of all amounts of a part, such as a workbook, if one of its texts
// states it: "All values in USD thousands". Otherwise it is 1. values is set if a text can also concern only insured
// values.
func (d *Document) StatedUnit(part int, values bool) int64 {
	wanted := statedUnit{part, values}
	if unit, known := d.units[wanted]; known {
		return unit
	}
	unit := int64(1)
	for _, l := range d.Lines {
		if l.At.Part != part {
			continue
		}
		if l.Table == nil {
			unit = max(unit, wanted.in(l.Text))
			continue
		}
		unit = max(unit, wanted.in(l.Table.Title))
		for _, row := range l.Table.Rows[:min(unitRows, len(l.Table.Rows))] {
			if FilledCells(row) == 1 {
				unit = max(unit, wanted.in(row[slices.IndexFunc(row, func(c content.Cell) bool { return c.Text != "" })].Text))
			}
		}
	}
	if d.units == nil {
		d.units = map[statedUnit]int64{}
	}
	d.units[wanted] = unit
	return unit
}

// in returns the unit if the text states it, otherwise 1. Such a text has a word for all amounts at its beginning, or
// directly after an opening bracket, a colon, a dash or a period: "Amounts in $000", "Schedule (all values in
// thousands)". If values is set, the word can be anywhere.
func (u statedUnit) in(text string) int64 {
	if len(text) > maxUnitText {
		return 1
	}
	unit := recognise.ScaleOf(text)
	if unit == 1 {
		return 1
	}
	for clause := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("(:–-.", r) }) {
		for n, word := range vocabulary.Words(clause) {
			if (n == 0 || u.values) && (vocabulary.Qualifiers("every")[word] || vocabulary.Qualifiers("every")[word+"s"]) {
				return unit
			}
		}
	}
	return 1
}
