package column

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// MaxSampled is the maximum number of rows that are examined to find the content of a column.
const MaxSampled = 40

// sampleRows returns the first rows below a header that hold at least two texts, up to a row of totals.
func sampleRows(t *content.Table, from int) (rows [][]content.Cell) {
	for _, row := range t.Rows[min(from, len(t.Rows)):min(from+MaxSampled, len(t.Rows))] {
		if layout.FilledCells(row) < 2 {
			continue
		}
		if IsTotal(firstText(row)) {
			break
		}
		rows = append(rows, row)
	}
	return rows
}

// cellsAt returns the cells of a column in the rows that have it.
func cellsAt(rows [][]content.Cell, index int) (cells []content.Cell) {
	for _, row := range rows {
		if index < len(row) {
			cells = append(cells, row[index])
		}
	}
	return cells
}

// sample returns the cells of a column in the first rows below a header. Callers that look at
// many columns of a table call sampleRows once instead.
func sample(t *content.Table, index, from int) []content.Cell {
	return cellsAt(sampleRows(t, from), index)
}

func firstText(row []content.Cell) string {
	for _, c := range row {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			return text
		}
	}
	return ""
}

// IDForm matches the number or short code of a location.
var IDForm = lazyregexp.New(`^(?:[A-Z]|[A-Za-z]{0,6}[-#./ ]{0,2}\d{1,6}[A-Za-z]?|[A-Z]{1,5}[-./][A-Z0-9]{1,5}|\d{1,4}[-./]\d{1,4})$`)

// WithIDs takes the first column for the numbers of the locations, if no header names such a
// column and the cells of the first one are distinct short codes.
func WithIDs(t *content.Table, columns []location.Column, from int) []location.Column {
	if slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "location_id" }) || len(columns) == 0 {
		return columns
	}
	index, rows := 0, sampleRows(t, from)
	for index < columns[0].Index && !slices.ContainsFunc(cellsAt(rows, index), func(c content.Cell) bool { return c.Text != "" }) {
		index++
	}
	seen := map[string]bool{}
	for _, c := range cellsAt(rows, index) {
		text := strings.TrimSpace(c.Text)
		if text == "" || c.Date != "" || seen[text] || !IDForm.MatchString(text) || words.Calendar.MatchString(text) {
			return columns
		}
		seen[text] = true
	}
	if len(seen) < 2 {
		return columns
	}
	held := location.Column{Index: index, Field: "location_id", From: source.Fuzzy, Scale: 1}
	if columns[0].Index > index {
		return append([]location.Column{held}, columns...)
	}
	switch columns[0].Field {
	case "~name", "~location":
		columns[0].Field = "location_id"
	case "~address2", "~equipment", "location_address", "":
		columns[0].Field, columns[0].From = "location_id", source.Fuzzy
	}
	return columns
}

// Halved splits columns whose header and cells both state two things: "Construction /
// Sprinklers" above "Masonry / Yes".
func Halved(t *content.Table, columns []location.Column, from int) []location.Column {
	for i := 0; i < len(columns); i++ {
		c := columns[i]
		first, second, ok := strings.Cut(c.Header, "/")
		if !ok || recognise.MoneyColumns[c.Field] || location.PlaceColumns[c.Field] || strings.Contains(second, "/") {
			continue
		}
		a, known := recognise.AnyHeader(first)
		b, other := recognise.AnyHeader(second)
		if !known || !other || a.Field == b.Field || !answerCols[a.Field] && !answerCols[b.Field] ||
			slices.ContainsFunc(columns, func(o location.Column) bool { return o.Index != c.Index && (o.Field == a.Field || o.Field == b.Field) }) {
			continue
		}
		filled, both := 0, 0
		for _, cell := range sample(t, c.Index, from) {
			if strings.TrimSpace(cell.Text) == "" {
				continue
			}
			filled++
			if left, right, ok := strings.Cut(cell.Text, "/"); ok && strings.TrimSpace(left) != "" && strings.TrimSpace(right) != "" {
				both++
			}
		}
		if filled == 0 || both*4 < filled*3 {
			continue
		}
		columns[i].Field, columns[i].Half = a.Field, 1
		c.Field, c.Half = b.Field, 2
		columns = slices.Insert(columns, i+1, c)
		i++
	}
	return columns
}

// answerCols are columns of answers.
var answerCols = words.Set("location_have_sprinklers", "location_have_smoke_detectors", "location_have_intrusion_detectors", "~fire_alarm", "~built", "~stories", "~area")

// holdsStreet reports whether a cell of a row is an address. Such a row is not a header.
func holdsStreet(row []content.Cell) bool {
	return slices.ContainsFunc(row, func(c content.Cell) bool {
		text := strings.TrimSpace(c.Text)
		return len(text) > 8 && strings.Contains(parse.Digits, text[:1]) && strings.ContainsFunc(text, parse.IsLetter) && len(text) < 100 && parse.WrittenAddress(address.Parse(text))
	})
}

// addressed reports whether a table has only a number and the complete address of each
// location.
func addressed(t *content.Table, columns []location.Column, from int, known Addresses) bool {
	numbered, ofSites, street := false, false, -1
	for _, c := range columns {
		switch c.Field {
		case "location_id":
			numbered = namesSites(c.Header)
		case "location_address":
			street = c.Index
			ofSites = ofPlaces(c.Header)
		}
	}
	numbered = numbered || ofSites && slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "location_id" || c.Field == "~building" })
	if !numbered || street < 0 || len(columns) > 4 {
		return false
	}
	complete, filled := 0, 0
	for _, c := range sample(t, street, from) {
		if strings.TrimSpace(c.Text) == "" {
			continue
		}
		if filled++; parse.WrittenAddress(address.Parse(c.Text)) || known.holds(c.Text) {
			complete++
		}
	}
	return (complete >= 2 || complete == filled && len(columns) > 2) && complete*4 >= filled*3
}

// located makes a column that names locations or places the column of their addresses, if its cells
// are addresses.
func located(t *content.Table, columns []location.Column, from int, known Addresses) []location.Column {
	columns = townWithStreet(t, columns, from, known)
	at := slices.IndexFunc(columns, func(c location.Column) bool { return c.Field == "~location" })
	if at < 0 && len(columns) > 2 {
		at = slices.IndexFunc(columns, func(c location.Column) bool { return c.Field == "~name" })
	}
	if at < 0 || IsStatement(columns) || slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "location_address" }) {
		return columns
	}
	streets, filled := 0, 0
	for _, c := range sample(t, columns[at].Index, from) {
		if text := strings.TrimSpace(c.Text); text != "" {
			if filled++; columns[at].Field == "~location" && houseNumber.MatchString(text) || known.holds(text) {
				streets++
			}
		}
	}
	was := columns[at].Field
	if (streets >= 2 || streets == filled) && streets*3 > filled*2 {
		columns = slices.Clone(columns)
		columns[at].Field = "location_address"
		if IsStatement(columns) || addressed(t, columns, from, known) {
			return columns
		}
		columns[at].Field = was
	}
	return columns
}

// townWithStreet treats a column of towns as the address column if there is no address column and most of its cells are
// complete addresses: "Ort | Gebäude" above "Weberstraße 4, 42855 Remscheid".
func townWithStreet(t *content.Table, columns []location.Column, from int, known Addresses) []location.Column {
	at := slices.IndexFunc(columns, func(c location.Column) bool { return c.Field == "location_city" })
	if at < 0 || slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "location_address" }) {
		return columns
	}
	complete, filled := 0, 0
	for _, c := range sample(t, columns[at].Index, from) {
		if text := strings.TrimSpace(c.Text); text != "" {
			if filled++; known.holds(text) {
				complete++
			}
		}
	}
	if complete == 0 || complete*4 < filled*3 {
		return columns
	}
	columns = slices.Clone(columns)
	columns[at].Field = "location_address"
	return columns
}

// WithConstruction adds a column whose header is not known, but whose cells name kinds of
// construction.
func WithConstruction(t *content.Table, columns []location.Column, width, from int) []location.Column {
	if slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "construction_type" || c.Field == "~construction_code" }) {
		return columns
	}
	rows := sampleRows(t, from)
	for j := range width {
		if slices.ContainsFunc(columns, func(c location.Column) bool { return c.Index == j }) {
			continue
		}
		filled, fitting := 0, 0
		for _, c := range cellsAt(rows, j) {
			if text := strings.TrimSpace(c.Text); text != "" {
				if filled++; len(text) <= maxConstruction && isConstruction(text) {
					fitting++
				}
			}
		}
		if filled > 1 && fitting*5 >= filled*4 {
			columns = append(columns, location.Column{Index: j, Field: "construction_type", From: source.Fuzzy, Scale: 1})
			slices.SortFunc(columns, func(a, b location.Column) int { return a.Index - b.Index })
			break
		}
	}
	return columns
}

const maxConstruction = 40 // bytes of a cell
