package layout

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/parse"
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

// Numbers from these limits on are taken to be amounts in full, despite a unit in their label, or in a heading or a note
// above it. In cents.
const (
	maxInUnits      = 10_000_000_00
	maxInUnitsAbove = 1_000_000_00
)

var currency = vocabulary.Pattern(`(?i){{money.sign}}|{{money.code}}`)

// InUnits multiplies the amount in a value by the unit that its label states, otherwise by that of the heading above it,
// otherwise by the one that a note states for all amounts of the part. A unit of 0 is not stated. An amount with a
// currency is not below such a note: "Annual revenue: $850,000", below "All values in thousands".
func (d *Document) InUnits(value string, label, heading int64, part int) string {
	switch {
	case label > 0:
		return multiplied(value, label, maxInUnits)
	case heading > 0:
		return multiplied(value, heading, maxInUnitsAbove)
	case currency.MatchString(value):
		return value
	}
	return multiplied(value, d.StatedUnit(part, false), maxInUnitsAbove)
}

// InLabelUnit multiplies the amount in a value by the unit that its label states, if it states one.
func InLabelUnit(value, label string) string {
	return multiplied(value, recognise.UnitOf(label), maxInUnits)
}

// multiplied multiplies the amount in a value by a unit: "4,500" in thousands becomes "4,500,000.00". Other values,
// amounts with a unit of their own, and amounts from the limit on are returned unchanged.
func multiplied(value string, unit int64, limit parse.Amount) string {
	if unit <= 1 {
		return value
	}
	found, ok := parse.FindMoney(value)
	if !ok || found.Amount >= limit || strings.ContainsFunc(currency.ReplaceAllString(value[found.Start:found.End], ""), unicode.IsLetter) {
		return value
	}
	return value[:found.Start] + (found.Amount * parse.Amount(unit)).String() + value[found.End:]
}
