package column

import (
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/lazyregexp"
)

// houseForm matches a house number in a column of its own.
var houseForm = lazyregexp.New(`^\d{1,5} ?[A-Za-z]?(?: ?[-–/+&] ?\d{0,5} ?[A-Za-z]?)?$`)

// settleHouses finds the column of house numbers beside a column of streets that have none. A column
// with a header such as "No." can also hold the numbers of the locations, so consecutive numbers before
// the street are house numbers only if another column has the numbers of the locations.
func settleHouses(t *content.Table, columns []location.Column, from int) {
	street := slices.IndexFunc(columns, func(c location.Column) bool { return c.Field == "location_address" })
	if street < 0 {
		return
	}
	for i := range columns {
		c := &columns[i]
		behind := c.Index == columns[street].Index+1
		switch {
		case c.Field == "~address_number":
		case c.Field != "location_id" && c.Field != "~building" && c.Field != "~name" || !behind && c.Index != columns[street].Index-1:
			continue
		case !housesBeside(t, c.Index, columns[street].Index, from):
			continue
		case !behind && !slices.ContainsFunc(columns, func(o location.Column) bool {
			return o.Index != c.Index && (o.Field == "location_id" || o.Field == "~building")
		}) && countsUp(t, c.Index, from):
			continue
		}
		c.Field = "~address_number"
		if c.Index > columns[street].Index {
			c.Field = "~number_behind"
		}
		return
	}
}

// housesBeside reports whether the cells of a column are numbers, beside streets without numbers.
func housesBeside(t *content.Table, numbers, streets, from int) bool {
	filled, fitting := 0, 0
	names := sample(t, streets, from)
	for i, c := range sample(t, numbers, from) {
		text := strings.TrimSpace(c.Text)
		if text == "" || i >= len(names) || strings.TrimSpace(names[i].Text) == "" {
			continue
		}
		if filled++; houseForm.MatchString(text) && !parse.HasDigit(names[i].Text) {
			fitting++
		}
	}
	return filled > 0 && fitting*4 >= filled*3
}

// countsUp reports whether the cells of a column are consecutive numbers.
func countsUp(t *content.Table, index, from int) bool {
	last := -1
	for _, c := range sample(t, index, from) {
		n, err := strconv.Atoi(strings.TrimSpace(c.Text))
		if err != nil || last >= 0 && n != last+1 {
			return false
		}
		last = n
	}
	return last >= 0
}
