// Package location holds the rows of insured locations, joins the rows of one location, and
// converts their cells to the values of fields.
package location

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Row is a row of a statement of values: its cells by field.
type Row struct {
	Cells  map[string]Cell
	At     source.Place
	Shared bool // the location has several buildings
}

// Cell is the text of a field of a row, with the place in which it was found.
type Cell struct {
	Text            string
	header          string // of its column; "" if it comes from a form or a letter
	From            source.Kind
	Doubt           float64 // that the text is the value, from 0 to 1
	Derived, Agrees bool    // it is a sum of others; a stated total confirms it
	At              source.Place
	Value           parse.Amount
}

// BuildingColumns are the columns that describe a building.
var BuildingColumns = words.Set("construction_type", "~construction_code", "location_occupancy_code", "location_have_sprinklers", "~sprinkler_percent", "~built", "~stories", "~area", "~building_fact", "roof_type", "roof_shape", "roof_configuration", "exterior_construction_features", "exterior_roof_features", "fire_alarm_manufacturer", "coast_distance", "fire_hydrant_distance", "fire_protection_class_code", "total_buildings", "~flood_zone", "~eq_zone", "~wind_tier", "location_have_smoke_detectors", "location_have_intrusion_detectors", "~fire_alarm")

// ValueColumns are the columns of insured values and limits.
var ValueColumns = words.Set("building_value", "contents_tiv", "stock_tiv", "business_interruption_value", "location_pd", "100_pct_limit", "~equipment", "~other_value", "~rents", "~total_limit", "~bi_limit", "~building_other", "100_pct_pd_limit", "100_pct_bi_limit")

// PlaceColumns are the columns that state where a location is.
var PlaceColumns = words.Set("location_address", "location_city", "location_postal_code", "location_state", "latitude", "~city_line", "~geo")

// DescribesBuilding reports whether a row has one of the BuildingColumns.
func (r Row) DescribesBuilding() bool { return r.BuildingDetails() > 0 }

// BuildingDetails returns how many of the BuildingColumns a row has.
func (r Row) BuildingDetails() (n int) {
	for f := range BuildingColumns {
		if r.Cells[f].Text != "" {
			n++
		}
	}
	return n
}

// Place reports whether a row states where the location is.
func (r Row) Place() bool {
	has := func(f string) bool { return r.Cells[f].Text != "" }
	return has("location_address") || has("~city_line") || has("location_city") && (has("location_state") || has("location_postal_code") || has("location_country")) ||
		has("latitude") && has("longitude") || has("~geo") || has("location_city") && (has("~name") || has("location_id"))
}

// Values reports whether a row states an amount other than zero in one of the ValueColumns.
func (r Row) Values() bool {
	for f := range ValueColumns {
		if r.Cells[f].Value != 0 {
			return true
		}
	}
	return false
}

// HasPropertyValue reports whether a row states an insured value of property.
func (r Row) HasPropertyValue() bool {
	return slices.ContainsFunc([]string{"building_value", "contents_tiv", "stock_tiv", "~equipment", "location_pd", "100_pct_limit"}, func(f string) bool { return r.Cells[f].Value != 0 })
}

// JoinNumber adds the house number, which can be in a cell of its own, to the street.
func (r Row) JoinNumber() {
	street, known := r.Cells["location_address"]
	if !known || street.Text == "" {
		return
	}
	if n := r.Cells["~address_number"].Text; n != "" && !strings.HasPrefix(street.Text, n) {
		street.Text = n + " " + street.Text
	} else if n := r.Cells["~number_behind"].Text; n != "" && !strings.HasSuffix(street.Text, " "+n) {
		street.Text += " " + n
	}
	r.Cells["location_address"] = street
}

// PlaceOnly returns the cells of a row that state where the location is.
func (r Row) PlaceOnly() Row {
	place := Row{Cells: map[string]Cell{}, At: r.At}
	for f, c := range r.Cells {
		if PlaceColumns[f] || f == "location_country" || f == "~address2" {
			place.Cells[f] = c
		}
	}
	return place
}

// AddressKey returns a key for the street and city of a row, for comparisons.
func (r Row) AddressKey() string {
	a := r.Cells["location_address"].Text
	if r.Cells["location_city"].Text == "" || strings.Count(a, ",") > 1 {
		if parsed := address.Parse(a); r.Cells["location_city"].Text == "" || parsed.Street != "" && parsed.City != "" {
			return words.BareKey(parsed.Street + parsed.City)
		}
	}
	return words.BareKey(a + r.Cells["location_city"].Text)
}

// LocationKey is the number of the row's location.
func (r Row) LocationKey() string {
	id, _, _ := strings.Cut(r.IDKey(), "-")
	return id
}

// IDKey returns a key for a row from the numbers of its location and its building.
func (r Row) IDKey() string {
	id := r.Cells["location_id"].Text
	if id == "" {
		return ""
	}
	id = strings.TrimLeft(words.BareKey(id), "0")
	for _, word := range locationWords() {
		id = strings.TrimPrefix(id, word)
	}
	return id + "-" + words.BareKey(r.Cells["~building"].Text)
}

var locationWords = sync.OnceValue(func() []string { return vocabulary.Terms("sites.location") })

// NumberKey is the number of the row's location, or of its building if only buildings are numbered.
func (r Row) NumberKey() string {
	if key := r.LocationKey(); key != "" {
		return key
	}
	return strings.TrimLeft(words.BareKey(r.Cells["~building"].Text), "0")
}

// Opposite returns a row with the answers of this row, Yes and No exchanged.
func (r Row) Opposite() Row {
	opposite := Row{Cells: map[string]Cell{}}
	for f, c := range r.Cells {
		switch c.Text {
		case "Yes":
			c.Text = "No"
		case "No":
			c.Text = "Yes"
		default:
			continue
		}
		opposite.Cells[f] = c
	}
	return opposite
}

// amountCell returns the only sum of a row with one coverage.
func (r Row) amountCell() Cell {
	for _, f := range []string{"100_pct_limit", "location_application_limit", "100_pct_coverage_limits", "building_value"} {
		if c := r.Cells[f]; c.Value != 0 {
			return c
		}
	}
	return Cell{}
}

// Weaker reports whether a cell is less explicit than another.
func (c Cell) Weaker(other Cell) bool {
	return cmp.Or(cmp.Compare(c.From, other.From), cmp.Compare(other.Doubt, c.Doubt)) < 0
}

// YesWords are the answers yes and no in the form that words.Key returns.
var YesWords = map[string]bool{"yes": true, "no": true, "y": true, "n": true}

// Near reports whether b differs from a by at most half a percent of a.
func Near(a, b parse.Amount) bool {
	difference := a - b
	return max(difference, -difference) <= a/200
}

// Add sets a field of a row to a text, unless the row has the field already.
func (r Row) Add(name, text string, from source.Kind, at source.Place) {
	if _, taken := r.Cells[name]; !taken && text != "" {
		r.Cells[name] = Cell{Text: text, From: from, At: at}
	}
}

// Complete adds the fields that the row lacks from another row.
func (r Row) Complete(other Row) {
	for f, c := range other.Cells {
		if _, taken := r.Cells[f]; !taken {
			r.Cells[f] = c
		}
	}
}

// SetCell sets a field of a row to a form's text, unless the row has the field
// already.
func (r Row) SetCell(name, text string, at source.Place) {
	if _, taken := r.Cells[name]; taken {
		return
	}
	if cell, ok := ReadCell(Column{Field: name, From: source.Form, Scale: 1}, content.Cell{Text: text}, at); ok {
		cell.At = at
		r.Cells[name] = cell
	}
}

// Column is a column of a statement of values.
type Column struct {
	Index  int
	Field  string
	From   source.Kind
	Header string
	Name   string // the header without the unit of the amounts
	Scale  parse.Amount
	Euro   bool // points between thousands
	Half   int  // 1 or 2 if the cells state something else too, behind or before a slash
}

// ReadCell reads a cell according to its column.
func ReadCell(c Column, cell content.Cell, at source.Place) (Cell, bool) {
	cell = c.part(cell)
	if c.Field == "location_address" {
		cell.Text = parse.SpacedAddress(withCommas(cell.Text))
	}
	text := layout.SingleSpaced(words.Cut(cell.Text, layout.MaxCellText))
	if text == "" || words.Missing(text) && !strings.EqualFold(text, "none") && !(answerColumns[c.Field] && parse.IsAnswer(text)) {
		return Cell{}, false
	}
	out := Cell{Text: text, header: c.Name, From: c.From, At: layout.CellPlace(at, cell)}
	switch {
	case recognise.MoneyColumns[c.Field]:
		if c.Euro && cell.Number == nil && !strings.Contains(text, "€") {
			text = "EUR " + strings.TrimSpace(euroCode.ReplaceAllString(text, ""))
			cell.Text = text
		}
		if _, number := parse.CutSign(text); c.Scale >= 1_000_000 && cell.Number == nil && strings.Count(number, ".") == 1 {
			if millions, err := strconv.ParseFloat(number, 64); err == nil {
				cell.Number = &millions // "2.125" in millions
			}
		}
		a, ok := CellAmount(cell)
		if !ok {
			f, found := parse.FindMoney(text)
			if !found || !f.Currency && (f.Amount < 1_000_00 || words.Count(text) > maxSumWords) || strings.Contains(text, "%") {
				return Cell{}, false
			}
			a, out.Doubt = f.Amount, 1-f.Fit
		}
		if a <= 0 {
			return Cell{}, false
		}
		if c.Scale > 1 && a < parse.MostCents/c.Scale && a < 1_000_000_00*1000/c.Scale {
			a *= c.Scale
		}
		out.Value = a
	case cellReference.MatchString(text):
		return Cell{}, false
	case c.Field == "location_city":
		if iso, _, ok := address.Country(text); ok && len(text) > 3 && !address.IsCity(text, iso) {
			return Cell{}, false
		}
	case c.Field == "location_state" && strings.Contains(text, ","):
		return Cell{}, false // several states
	case c.Field == "construction_type":
		out.Text = mendedConstruction(constructionIn(text))
	case c.Field == "location_country":
		if _, _, ok := address.Country(text); !ok {
			return Cell{}, false
		}
	case c.Field == "location_postal_code" && cell.Number != nil && len(text) < 5 && len(text) > 2:
		out.Text = strings.Repeat("0", 5-len(text)) + text // leading zeros lost in a number
	}
	return out, true
}

// constructionIn returns the parts of a description up to the first one about the year of construction
// or the protection: "Brick, slate roof, built 1985, sprinklered".
func constructionIn(text string) string {
	parts := strings.Split(text, ", ")
	for i, part := range parts {
		if i > 0 && (yearPart.MatchString(part) || slices.ContainsFunc(vocabulary.Protection().Find(part), func(m vocabulary.Match) bool {
			return m.Meaning == "location_have_sprinklers" || m.Meaning == "no sprinklers"
		})) {
			return strings.Join(parts[:i], ", ")
		}
	}
	return text
}

var yearPart = lazyregexp.New(`\b(?:1[6-9]|20)\d\d\b`)

// answerColumns are the columns of answers, which can be signs such as a tick.
var answerColumns = words.Set("location_have_sprinklers", "location_have_smoke_detectors", "location_have_intrusion_detectors", "~fire_alarm")

// withCommas separates the lines of an address by commas, if this makes it a complete address.
func withCommas(text string) string {
	if len(text) > layout.MaxCellText || !strings.Contains(text, "\n") {
		return text
	}
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Trim(l, " ,"))
	}
	joined := strings.Join(lines, ", ")
	if a := address.Parse(joined); a.City != "" && (a.PostalCode != "" || a.State != "") {
		return joined
	}
	return text
}

const maxSumWords = 5 // in a cell whose sum has no currency

// part returns the part of a cell that belongs to a column.
func (c Column) part(cell content.Cell) content.Cell {
	left, right, ok := strings.Cut(cell.Text, "/")
	switch {
	case c.Half == 0 || !ok:
		return cell
	case c.Half == 1:
		cell.Text = strings.TrimSpace(left)
	default:
		cell.Text = strings.TrimSpace(right)
	}
	cell.Number = nil
	return cell
}

// cellReference matches a reference to a cell of another sheet, as text.
var cellReference = lazyregexp.New(`^=?'?[^'!]{1,40}'?!\$?[A-Z]{1,3}\$?\d{1,6}$`)

// CellAmount reads a cell as a sum of money.
func CellAmount(c content.Cell) (parse.Amount, bool) {
	if c.Date != "" {
		return 0, false
	}
	if c.Number != nil {
		return parse.Cents(*c.Number)
	}
	a, fit, ok := parse.Money(c.Text)
	return a, ok && fit == 1
}

var euroCode = vocabulary.Pattern(`(?i)\b{{money.code with points}}\b`)

// SiteHead matches the heading of a location, such as "Location 3: Main Street".
var SiteHead = vocabulary.Pattern(`(?i)^\W*(?:{{sites.before heading}}\s*[:–-]\s*)?{{sites.location|sites.location in heading}}\s*(?:#|no\.?|number)?\s*:?\s*(\d{1,4}|[A-H])\b\s*(?:of \d+)?\s*[-–—:.)]*\s*(.*)$`)
