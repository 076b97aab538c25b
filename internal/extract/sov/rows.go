package sov

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// damageCols are the values that add up to a location's property damage. untold
// matches the text of a cell whose sum is not zero, but not stated.
var (
	damageCols = words.Set("building_value", "contents_tiv", "stock_tiv", "~equipment", "~building_other")
	untold     = vocabulary.Pattern(`(?i)\b{{placeholders.sum}}\b`)
)

// sovRow reads a row under a header. It returns false if the row is not part of the
// statement.
func (d *Tables) sovRow(s *Segment, cells []content.Cell, number int) bool {
	filled := 0
	first := ""
	for _, c := range cells {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			if filled++; first == "" {
				first = text
			}
		}
	}
	if filled == 0 {
		s.gap = true
		return true
	}
	gap := s.gap
	if s.gap = false; gap && s.places > 0 && headsOther(cells) {
		s.ended = true
	}
	if s.ended {
		return false
	}
	if s.entersSite(cells, filled) {
		return true
	}
	if column.IsTotal(first) {
		s.checkTotals(cells)
		return true
	}
	row := location.Row{Cells: map[string]location.Cell{}, At: s.At}
	row.At.Line = s.At.Line
	for _, c := range s.Columns {
		if c.Field == "" || c.Index >= len(cells) {
			continue
		}
		if cell, ok := location.ReadCell(c, cells[c.Index], s.At); ok {
			if held, taken := row.Cells[c.Field]; !taken || held.Weaker(cell) && held.Value == 0 {
				row.Cells[c.Field] = cell
			}
		} else if damageCols[c.Field] && untold.MatchString(cells[c.Index].Text) {
			row.Cells["~unread"] = location.Cell{Text: cells[c.Index].Text}
		}
	}
	s.describe(row, cells)
	column.DescribePlace(row, s.At)
	splitNumber(row)
	if filled == 1 && len(s.Columns) > 2 {
		return false // a footnote or a heading between rows
	}
	if s.isSum(row) {
		return true
	}
	if s.ended = s.ended || s.valued > 0 && s.valued == len(s.Rows) && filled > 2 && !row.Values() && column.LooksLikeHeader(cells) && !parse.HasDigit(row.Cells["location_address"].Text); s.ended {
		return false // the header of another table
	}
	if code := row.Cells["location_postal_code"].Text; gap && code != "" && !parse.HasDigit(code) && !row.Values() {
		return false // a line of text below the table
	}
	if s.isNote(row, filled) || s.totals > 0 && s.valued == len(s.Rows) && !row.Values() {
		return false
	}
	s.atSite(row)
	s.inherit(row)
	if row.Place() || row.Cells["location_id"].Text != "" || row.Cells["~name"].Text != "" || row.Cells["~category"].Text != "" {
		s.Rows = append(s.Rows, row)
		if row.Place() {
			s.places++
			s.filled += filled
		}
		if row.Values() {
			s.valued++
		}
		for f, c := range row.Cells {
			if c.Value != 0 && s.sums[f] < parse.MostCents {
				s.sums[f] += c.Value
			}
		}
		return true
	}
	return false
}

// describe reads cells of unknown columns that describe a location, if no column holds values:
// "Building: $1,200,000, Contents: $400,000".
func (s *Segment) describe(row location.Row, cells []content.Cell) {
	if s.placeless || len(s.Rows) > maxDescribed || slices.ContainsFunc(s.Columns, func(c location.Column) bool { return location.ValueColumns[c.Field] }) {
		return
	}
	for i, c := range cells {
		if len(c.Text) < minDescription || len(c.Text) > maxDescription || slices.ContainsFunc(s.Columns, func(o location.Column) bool { return o.Index == i && o.Field != "" }) {
			continue
		}
		passages.DescribeSite(row, strings.ReplaceAll(c.Text, "\n", "; "), layout.CellPlace(s.At, c))
	}
}

// Limits of descriptions in cells.
const (
	minDescription = 8   // bytes
	maxDescription = 400 // bytes
	maxDescribed   = 500 // rows of a table
)

// headsOther reports whether a row after an empty one is the header of another table, even if its
// columns are not known: at least three short texts without digits.
func headsOther(cells []content.Cell) bool {
	filled := 0
	for _, c := range cells {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			if filled++; parse.HasDigit(text) {
				return false
			}
		}
	}
	return filled >= 3 && column.LooksLikeHeader(cells)
}

// splitNumber splits a name such as "1. Heyfield" into the number and the name of the location.
func splitNumber(row location.Row) {
	name := row.Cells["~name"]
	if m := column.Numbered.FindStringSubmatch(name.Text); m != nil && row.Cells["location_id"].Text == "" {
		id := name
		id.Text, name.Text = m[1], m[2]
		row.Cells["location_id"], row.Cells["~name"] = id, name
	}
}

// euroUnit matches a unit of amounts with points between thousands.
var euroUnit = vocabulary.Pattern(`(?i)€|\b{{money.euro unit}}\b`)

// isSum reports whether a row without a place is the sum of the rows above.
func (s *Segment) isSum(row location.Row) bool {
	if id := row.Cells["location_id"].Text; row.Place() || len(s.Rows) < 2 || len(id) == 1 || parse.HasDigit(id) {
		return false
	}
	for _, f := range []string{"building_value", "100_pct_limit", "contents_tiv"} {
		if v := row.Cells[f].Value; v != 0 {
			return location.Near(v, s.sums[f])
		}
	}
	return false
}

// inherit gives a row for a further building the place of the row above, as in tables that state
// the place only in the first row of a site. Such a row describes the building and has values.
func (s *Segment) inherit(row location.Row) {
	if len(s.Rows) == 0 || row.Cells["location_id"].Text != "" || row.Cells["~name"].Text != "" || row.Cells["~category"].Text != "" || !row.HasPropertyValue() || !row.DescribesBuilding() {
		return
	}
	above := s.Rows[len(s.Rows)-1]
	for f := range row.Cells {
		if location.PlaceColumns[f] || f == "location_state" {
			return
		}
	}
	for f, c := range above.Cells {
		if location.PlaceColumns[f] || f == "location_state" || f == "location_country" || f == "location_id" || f == "~name" || f == "~address2" || f == "~address_number" || f == "~county" {
			row.Add(f, c.Text, c.From, c.At)
		}
	}
}

// blanketRow matches a cell of a row that is not about one location.
var blanketRow = vocabulary.Pattern(`(?i)\b{{sites.blanket}}\b`)

// isNote reports whether a row with few cells is a note below the table, such as a limit
// for all locations: it has no house number, and the rows above have many cells.
func (s *Segment) isNote(row location.Row, filled int) bool {
	city := row.Cells["location_city"].Text
	if city == "" && row.Cells["location_postal_code"].Text == "" && s.places > 0 &&
		slices.ContainsFunc([]string{"location_id", "location_address", "~name"}, func(f string) bool { return blanketRow.MatchString(row.Cells[f].Text) }) {
		return true
	}
	if s.places > 0 && filled*2*s.places < s.filled && !row.Values() && !parse.HasDigit(row.Cells["location_address"].Text+row.Cells["location_postal_code"].Text) {
		return true // a row of a form below the table
	}
	return filled <= 2 && s.places > 0 && s.filled >= 5*s.places &&
		!parse.HasDigit(row.Cells["location_address"].Text) && (city == "" || parse.HasDigit(city))
}

// checkTotals raises the score of columns whose sum is the stated total.
func (s *Segment) checkTotals(cells []content.Cell) {
	if s.totals++; s.totals > 20 {
		return
	}
	for _, c := range s.Columns {
		if !recognise.MoneyColumns[c.Field] || c.Index >= len(cells) {
			continue
		}
		a, ok := location.CellAmount(cells[c.Index])
		if !ok || a <= 0 || !location.Near(a*max(c.Scale, 1), s.sums[c.Field]) {
			continue
		}
		for _, r := range s.Rows {
			if cell, ok := r.Cells[c.Field]; ok && cell.Value != 0 {
				cell.Agrees = true
				r.Cells[c.Field] = cell
			}
		}
	}
}
