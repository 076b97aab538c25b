package column

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

const maxCategory = 60 // bytes of the name of a kind of property

// Settle checks the values of a few rows if a header can have two meanings, and
// drops columns whose values do not fit the header.
func Settle(t *content.Table, columns []location.Column, from int) {
	addressed := slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "location_address" || c.Field == "~location" })
	kindsApart := valueKinds(columns) > 1 // so no column names the kind of property of its row
	for i := range columns {
		c := &columns[i]
		filled, numbers, long, streets, cities, kinds, housed, large, small, codes, named, digits, complete := 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
		for _, row := range t.Rows[from:min(from+40, len(t.Rows))] {
			if c.Index >= len(row) || strings.TrimSpace(row[c.Index].Text) == "" {
				continue
			}
			text := strings.TrimSpace(row[c.Index].Text)
			filled++
			a, sum := location.CellAmount(row[c.Index])
			if sum {
				if numbers++; a*max(c.Scale, 1) >= 5_000_00 {
					large++
				} else if a < 100_00 {
					small++
				}
			} else if len(text) > 12 {
				long++
			}
			if name := text[:max(0, strings.IndexAny(text+"(", "(,"))]; len(text) < maxCategory && location.CategoryOf(name) != "" && !parse.HasDigit(name) {
				kinds++
			}
			if !addressed && len(text) > 20 && (c.Field == "~name" || c.Field == "~location") && holdsAddress(text) {
				complete++
			}
			if codeForm.MatchString(text) {
				codes++
			} else if len(text) >= 4 && len(text) <= 6 && strings.Trim(text, parse.Digits) == "" {
				digits++
			}
			if houseNumber.MatchString(text) {
				housed++
			}
			if m := Numbered.FindStringSubmatch(text); m != nil && !parse.HasDigit(m[2]) {
				named++
			}
			if !sum && (address.IsStreet(text) || strings.Count(text, ",") >= 2) {
				streets++
			} else if c.Field == "~location" && strings.Contains(text, ",") && address.Parse("1 Main Street, "+text).State != "" {
				cities++
			}
		}
		if filled == 0 {
			continue
		}
		switch {
		case (c.Field == "location_id" || c.Field == "~name" || c.Field == "~location" || c.Field == "location_occupancy_code" || c.Field == "~geo") && kinds*3 > filled*2 && filled > 2 && !kindsApart:
			c.Field = "~category"
		case c.Field == "~name" && !addressed && (housed*3 > filled*2 || complete*3 >= filled*2 || streets*3 > filled*2):
			c.Field = "location_address"
		case c.Field == "location_id" && !addressed && streets*2 > filled:
			c.Field = "location_address"
		case c.Field == "location_address" && c.From != source.Fuzzy && named*3 > filled*2:
			c.Field = "~name"
		case c.Field == "~location" && (streets*2 >= filled || complete*2 >= filled):
			c.Field = "location_address"
		case c.Field == "~location" && cities*2 >= filled:
			c.Field = "~city_line"
		case c.Field == "~location" && long*2 < filled:
			c.Field = "location_id"
		case c.Field == "~location":
			c.Field = "~name"
		case c.Field == "fire_protection_class_code" && (codes+digits)*3 > filled*2:
			c.Field = "location_postal_code"
		case c.Field == "location_state" && numbers*2 > filled:
			c.Field = "~area" // "Area" can mean a region or a size
		case c.Field == "building_value" && numbers == filled && small == filled && c.Scale <= 1:
			c.Field = "~building" // numbers of buildings
		case (c.Field == "~building" || c.Field == "construction_type" && large == filled && !slices.ContainsFunc(columns, func(o location.Column) bool { return o.Field == "building_value" })) && large*2 > filled:
			c.Field, c.From = "building_value", source.Fuzzy
		case recognise.MoneyColumns[c.Field] && numbers == 0 && missingShare(t, c.Index, from) < filled:
			c.Field = ""
		case (c.Field == "location_city" || c.Field == "construction_type") && numbers*2 > filled:
			if c.Field == "location_city" {
				c.Field = ""
			}
		}
	}
	settleKinds(t, columns, from)
	settleStructures(t, columns, from)
	settleYears(columns)
	settleDoubles(columns)
	settleHouses(t, columns, from)
	settlePoints(t, columns, from)
}

// valueKinds returns the number of kinds of property that have a column of values of their own.
func valueKinds(columns []location.Column) int {
	kinds := map[string]bool{}
	for _, c := range columns {
		if c.Field == "building_value" || c.Field == "contents_tiv" || c.Field == "stock_tiv" || c.Field == "business_interruption_value" {
			kinds[c.Field] = true
		}
	}
	return len(kinds)
}

// settleKinds checks the columns of kinds of property and of construction. Short texts that name no
// kind of property are numbers of locations. If the column of construction holds codes, and another
// column holds words for them, it uses the words.
func settleKinds(t *content.Table, columns []location.Column, from int) {
	most := func(index int, fits func(text string) bool) bool {
		filled, fitting := 0, 0
		for _, c := range sample(t, index, from) {
			if text := strings.TrimSpace(c.Text); text != "" {
				if filled++; fits(text) {
					fitting++
				}
			}
		}
		return filled > 0 && fitting*4 >= filled*3
	}
	built := slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "construction_type" })
	for i := range columns {
		c := &columns[i]
		switch {
		case c.Field == "~category" && most(c.Index, func(text string) bool { return len(text) < 4 && location.CategoryOf(text) == "" }):
			c.Field = "location_id"
		case c.Field == "~category" && !built && most(c.Index, isConstruction):
			c.Field = "construction_type"
		case c.Field == "construction_type" && most(c.Index, func(text string) bool { return len(text) < 4 }):
			for j := range t.Rows[min(from, len(t.Rows)-1)] {
				taken := slices.ContainsFunc(columns, func(o location.Column) bool { return o.Index == j && o.Field != "" && o.Field != "~name" })
				if !taken && most(j, func(text string) bool { return len(text) > 3 && isConstruction(text) }) {
					c.Index = j // the column with words instead of codes
					break
				}
			}
		}
	}
}

// isConstruction reports whether a text consists of words for a kind of construction.
func isConstruction(text string) bool {
	found := vocabulary.Protection().Whole(strings.Trim(text, parse.Digits+" .-–:()"), 0) // "4 - Masonry", "JM (2)"
	return len(found) > 0 && !slices.ContainsFunc(found, func(m vocabulary.Match) bool {
		return m.Meaning != "construction_type" && m.Meaning != "construction code" && m.Meaning != "no"
	})
}

func settlePoints(t *content.Table, columns []location.Column, from int) {
	for _, row := range t.Rows[from:min(from+200, len(t.Rows))] {
		for _, c := range columns {
			if recognise.MoneyColumns[c.Field] && c.Index < len(row) && row[c.Index].Number == nil && pointed.MatchString(strings.TrimSpace(row[c.Index].Text)) {
				for i := range columns {
					columns[i].Euro = true
				}
				return
			}
		}
	}
}

// settleDoubles assigns a different role to the second column of a field.
func settleDoubles(columns []location.Column) {
	seen := map[string]bool{}
	for _, c := range columns {
		if c.From == source.Header {
			seen[c.Field+"!"] = true
		}
	}
	for i := range columns {
		c := &columns[i]
		if c.Field == "~location" {
			c.Field = "~name"
		}
		if c.From != source.Header && seen[c.Field+"!"] && recognise.MoneyColumns[c.Field] {
			c.Field = "" // another column has the exact header
		}
		if seen[c.Field] && c.Field == "location_address" {
			c.Field = "~address2"
		}
		seen[c.Field] = true
	}
}

// pointed matches a sum in which points certainly separate thousands; if a table
// contains one, all its sums are read this way.
var pointed = lazyregexp.New(`^\D{0,4}\d{1,3}(?:\.\d{3})+(?:,\d{1,2}|\.\d{3})\D{0,4}$`)

// houseNumber matches the start of a street line: "12-18 Kirkgate", "Unit 3
// Lowfields".
var houseNumber = vocabulary.Pattern(`(?i)^(?:{{addresses.numbered}} \w{1,4}[, ]+)?\d{1,5}[a-z]?(?:\s*[-–/&]\s*\d{1,5}[a-z]?)?,? \pL{2}|^{{addresses.plot}} \w{1,4},? \pL{3}`)

func missingShare(t *content.Table, index, from int) int {
	n := 0
	for _, row := range t.Rows[from:min(from+40, len(t.Rows))] {
		if index < len(row) && row[index].Text != "" && words.Missing(row[index].Text) {
			n++
		}
	}
	return n
}

// Numbered matches the number of a location before its name or address.
var Numbered = lazyregexp.New(`^(\d{1,3})[.)]\s+(\pL.*)$`)
