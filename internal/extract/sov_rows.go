package extract

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// settleColumns checks the values of a few rows if a header can have two meanings, and
// drops columns whose values do not fit the header.
func settleColumns(t *content.Table, columns []column, from int) {
	addressed := slices.ContainsFunc(columns, func(c column) bool { return c.field == "location_address" || c.field == "~location" })
	for i := range columns {
		c := &columns[i]
		filled, numbers, long, streets, cities, kinds, numbered, large := 0, 0, 0, 0, 0, 0, 0, 0
		for _, row := range t.Rows[from:min(from+40, len(t.Rows))] {
			if c.index >= len(row) || strings.TrimSpace(row[c.index].Text) == "" {
				continue
			}
			text := strings.TrimSpace(row[c.index].Text)
			filled++
			a, sum := cellAmount(row[c.index])
			if sum {
				if numbers++; a >= 5_000_00 {
					large++
				}
			} else if len(text) > 12 {
				long++
			}
			if name, _, _ := strings.Cut(text, "("); len(text) < 40 && categoryOf(name) != "" && !parse.DigitsForm.MatchString(name) {
				kinds++
			}
			if houseNumber.MatchString(text) {
				numbered++
			}
			if !sum && (address.IsStreet(text) || strings.Count(text, ",") >= 2) {
				streets++
			} else if c.field == "~location" && strings.Contains(text, ",") && address.Parse("1 Main Street, "+text).State != "" {
				cities++
			}
		}
		if filled == 0 {
			continue
		}
		switch {
		case (c.field == "location_id" || c.field == "~name" || c.field == "~location" || c.field == "location_occupancy_code") && kinds*3 > filled*2 && filled > 2:
			c.field = "~category"
		case c.field == "~name" && !addressed && numbered*3 > filled*2:
			c.field = "location_address"
		case c.field == "location_id" && !addressed && streets*2 > filled:
			c.field = "location_address"
		case c.field == "~location" && streets*2 >= filled:
			c.field = "location_address"
		case c.field == "~location" && cities*2 >= filled:
			c.field = "~city_line"
		case c.field == "~location" && long*2 < filled:
			c.field = "location_id"
		case c.field == "~location":
			c.field = "~name"
		case c.field == "location_state" && numbers*2 > filled:
			c.field = "~area" // "Area" names a region or a size
		case c.field == "~building" && large*2 > filled:
			c.field, c.from = "building_value", source.Fuzzy
		case recognise.MoneyColumns[c.field] && numbers == 0 && missingShare(t, c.index, from) < filled:
			c.field = ""
		case (c.field == "location_city" || c.field == "construction_type") && numbers*2 > filled:
			if c.field == "location_city" {
				c.field = ""
			}
		}
	}
	settleDoubles(columns)
	settlePoints(t, columns, from)
}

// pointed matches a sum in which points certainly separate thousands; if a table
// contains one, all its sums are read this way.
var pointed = lazyregexp.New(`^\D{0,4}\d{1,3}(?:\.\d{3})+(?:,\d{1,2}|\.\d{3})\D{0,4}$`)

func settlePoints(t *content.Table, columns []column, from int) {
	for _, row := range t.Rows[from:min(from+200, len(t.Rows))] {
		for _, c := range columns {
			if recognise.MoneyColumns[c.field] && c.index < len(row) && row[c.index].Number == nil && pointed.MatchString(strings.TrimSpace(row[c.index].Text)) {
				for i := range columns {
					columns[i].euro = true
				}
				return
			}
		}
	}
}

// settleDoubles assigns a different role to the second column of a field.
func settleDoubles(columns []column) {
	seen := map[string]bool{}
	for _, c := range columns {
		if c.from == source.Header {
			seen[c.field+"!"] = true
		}
	}
	for i := range columns {
		c := &columns[i]
		if c.field == "~location" {
			c.field = "~name"
		}
		if c.from != source.Header && seen[c.field+"!"] && recognise.MoneyColumns[c.field] {
			c.field = "" // a similar header beside the exact one
		}
		if seen[c.field] && c.field == "location_address" {
			c.field = "~address2"
		}
		seen[c.field] = true
	}
}

// houseNumber matches the start of a street line: "12-18 Kirkgate", "Unit 3
// Lowfields".
var houseNumber = lazyregexp.New(`(?i)^(?:(?:unit|units|plot|suite|flat)s? \w{1,4}[, ]+)?\d{1,5}[a-z]?(?:\s*[-–/&]\s*\d{1,5}[a-z]?)?,? \pL{2}|^(?:unit|plot)s? \w{1,4},? \pL{3}`)

func missingShare(t *content.Table, index, from int) int {
	n := 0
	for _, row := range t.Rows[from:min(from+40, len(t.Rows))] {
		if index < len(row) && row[index].Text != "" && words.Missing(row[index].Text) {
			n++
		}
	}
	return n
}

// cellAmount reads a cell as a sum of money.
func cellAmount(c content.Cell) (parse.Amount, bool) {
	if c.Date != "" {
		return 0, false
	}
	if c.Number != nil {
		return parse.Cents(*c.Number)
	}
	a, fit, ok := parse.Money(c.Text)
	return a, ok && fit == 1
}

// damageCols are the values that add up to a location's property damage. untold
// matches the text of a cell whose sum is not zero, but not stated.
var (
	damageCols = words.Set("building_value", "contents_tiv", "stock_tiv", "~equipment", "~building_other")
	untold     = lazyregexp.New(`(?i)\b(tb[acdn]|included|incl?|see|per|to be|unknown|pending|agreed|follow|various)\b`)
)

// sovRow reads a row under a header. It returns false if the row is not part of the
// statement.
func (d *extractor) sovRow(s *segment, cells []content.Cell, number int) bool {
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
		return true
	}
	if isTotal(first) {
		s.checkTotals(cells)
		return true
	}
	row := sovRow{cells: map[string]sovCell{}, at: s.at}
	row.at.Line = s.at.Line
	for _, c := range s.columns {
		if c.field == "" || c.index >= len(cells) {
			continue
		}
		if cell, ok := readCell(c, cells[c.index], s.at); ok {
			if held, taken := row.cells[c.field]; !taken || held.weaker(cell) && held.value == 0 {
				row.cells[c.field] = cell
			}
		} else if damageCols[c.field] && untold.MatchString(cells[c.index].Text) {
			row.cells["~unread"] = sovCell{text: cells[c.index].Text}
		}
	}
	if filled == 1 && len(s.columns) > 2 {
		return false // a footnote or a heading between rows
	}
	if s.isSum(row) {
		return true
	}
	if s.isNote(row, filled) {
		return false
	}
	if row.place() || row.cells["location_id"].text != "" || row.cells["~name"].text != "" || row.cells["~category"].text != "" {
		s.rows = append(s.rows, row)
		if row.place() {
			s.places++
			s.filled += filled
		}
		for f, c := range row.cells {
			if c.value != 0 && s.sums[f] < parse.MostCents {
				s.sums[f] += c.value
			}
		}
		return true
	}
	return false
}

// readCell reads a cell according to its column.
func readCell(c column, cell content.Cell, at source.Place) (sovCell, bool) {
	text := layout.SingleSpaced(words.Cut(cell.Text, layout.MaxCellText))
	if text == "" || words.Missing(text) && !strings.EqualFold(text, "none") {
		return sovCell{}, false
	}
	out := sovCell{text: text, header: c.name, from: c.from, at: layout.CellPlace(at, cell)}
	switch {
	case recognise.MoneyColumns[c.field]:
		if c.euro && cell.Number == nil && !strings.Contains(text, "€") {
			text = "EUR " + strings.TrimSpace(euroCode.ReplaceAllString(text, ""))
			cell.Text = text
		}
		a, ok := cellAmount(cell)
		if !ok {
			f, found := parse.FindMoney(text)
			if !found || !f.Currency && f.Amount < 1_000_00 || strings.Contains(text, "%") {
				return sovCell{}, false
			}
			a, out.doubt = f.Amount, 1-f.Fit
		}
		if a <= 0 {
			return sovCell{}, false
		}
		if c.scale > 1 && a < parse.MostCents/c.scale && a < 1_000_000_00*1000/c.scale {
			a *= c.scale
		}
		out.value = a
	case cellReference.MatchString(text):
		return sovCell{}, false
	case c.field == "location_city":
		if iso, _, ok := address.Country(text); ok && len(text) > 3 && !address.IsCity(text, iso) {
			return sovCell{}, false
		}
	case c.field == "location_country":
		if _, _, ok := address.Country(text); !ok {
			return sovCell{}, false
		}
	case c.field == "location_postal_code" && cell.Number != nil && len(text) < 5 && len(text) > 2:
		out.text = strings.Repeat("0", 5-len(text)) + text // leading zeros lost in a number
	}
	return out, true
}

// cellReference matches a reference to a cell of another sheet, as text.
var cellReference = lazyregexp.New(`^=?'?[^'!]{1,40}'?!\$?[A-Z]{1,3}\$?\d{1,6}$`)

// euroUnit matches a unit of amounts with points between thousands.
var euroUnit = lazyregexp.New(`(?i)€|\b(?:t?eur|tsd|tausend|milliers|duizend)\b`)

var euroCode = lazyregexp.New(`(?i)\b(?:EUR|CHF|DKK|SEK|NOK|PLN|CZK)\b`)

// place reports whether a row states where the location is.
func (r sovRow) place() bool {
	has := func(f string) bool { return r.cells[f].text != "" }
	return has("location_address") || has("~city_line") || has("location_city") && (has("location_state") || has("location_postal_code") || has("location_country")) ||
		has("latitude") && has("longitude") || has("~geo") || has("location_city") && (has("~name") || has("location_id"))
}

func (r sovRow) values() bool {
	for f := range valueCols {
		if r.cells[f].value != 0 {
			return true
		}
	}
	return false
}

// isSum reports whether a row without a place is the sum of the rows above.
func (s *segment) isSum(row sovRow) bool {
	if row.place() || row.cells["location_id"].text != "" || len(s.rows) < 2 {
		return false
	}
	for _, f := range []string{"building_value", "100_pct_limit", "contents_tiv"} {
		if v := row.cells[f].value; v != 0 {
			return near(v, s.sums[f])
		}
	}
	return false
}

// isNote reports whether a row with few cells is a note below the table, such as a limit
// for all locations: it has no house number, and the rows above have many cells.
func (s *segment) isNote(row sovRow, filled int) bool {
	city := row.cells["location_city"].text
	return filled <= 2 && s.places > 0 && s.filled >= 5*s.places &&
		!parse.DigitsForm.MatchString(row.cells["location_address"].text) && (city == "" || parse.DigitsForm.MatchString(city))
}

func near(a, b parse.Amount) bool {
	difference := a - b
	return max(difference, -difference) <= a/200
}

// checkTotals raises the score of columns whose sum is the stated total.
func (s *segment) checkTotals(cells []content.Cell) {
	if s.totals++; s.totals > 20 {
		return
	}
	for _, c := range s.columns {
		if !recognise.MoneyColumns[c.field] || c.index >= len(cells) {
			continue
		}
		a, ok := cellAmount(cells[c.index])
		if !ok || a <= 0 || !near(a*max(c.scale, 1), s.sums[c.field]) {
			continue
		}
		for _, r := range s.rows {
			if cell, ok := r.cells[c.field]; ok && cell.value != 0 {
				cell.agrees = true
				r.cells[c.field] = cell
			}
		}
	}
}
