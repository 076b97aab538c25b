// Package column finds the columns of a statement of values, by the texts of its header and by
// the cells below them.
package column

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// HeaderAt returns the columns and the height in rows of the header of a statement of
// values that starts at row i.
func HeaderAt(t *content.Table, i int, known Addresses) ([]location.Column, int) {
	var best []location.Column
	height := 0
	if holdsStreet(t.Rows[i]) {
		return nil, 0
	}
	for h := 1; h <= 3 && i+h <= len(t.Rows); h++ {
		if h > 1 && !LooksLikeHeader(t.Rows[i+h-1]) {
			break
		}
		headers := CombinedHeaders(t.Rows[i : i+h])
		columns := withAddresses(t, located(t, matchColumns(headers), i+h, known), headers, i+h, known)
		if len(columns) > len(best) && (IsStatement(columns) || byCategory(columns) || addressed(t, columns, i+h, known)) {
			best, height = columns, h
		}
	}
	if height > 1 {
		// A title row above a complete header is not part of it.
		if lower := matchColumns(CombinedHeaders(t.Rows[i+1 : i+height])); len(lower) >= len(best) && IsStatement(lower) {
			return nil, 0
		}
	}
	if height == 0 {
		return nil, 0
	}
	if IsStatement(best) || addressed(t, best, i+height, known) {
		best = withPlaces(t, best, CombinedHeaders(t.Rows[i:i+height]), i+height)
	} else if !categorised(t, best, i+height) {
		return nil, 0
	}
	if ofOtherTable(CombinedHeaders(t.Rows[i:i+height]), best) {
		return nil, 0
	}
	if next := i + height; next+1 < len(t.Rows) && LooksLikeHeader(t.Rows[next]) && layout.FilledCells(t.Rows[next])*2 >= len(best) {
		height++ // a line with the kinds of values: "ISO | Y/N | USD"
	}
	return best, height
}

// ofOtherTable reports whether headers are those of a list of claims, vehicles or the like: one of
// them occurs only there, or as many as there are columns of values or buildings occur there mostly.
func ofOtherTable(headers []string, columns []location.Column) bool {
	hits, values := 0, 0
	for _, text := range headers {
		key := words.Key(text)
		if recognise.OfOtherTable(key) {
			return true
		}
		if recognise.Foreign(key) {
			hits++
		}
	}
	for _, c := range columns {
		if location.ValueColumns[c.Field] || location.BuildingColumns[c.Field] {
			values++
		}
	}
	return hits >= 2 && hits >= values
}

// HeaderByCells returns the columns of the header in row i if too few of its names are known,
// but the cells below are addresses and at least two further columns are known or hold
// amounts.
func HeaderByCells(t *content.Table, i int) ([]location.Column, int) {
	if layout.FilledCells(t.Rows[i]) < 4 || !LooksLikeHeader(t.Rows[i]) || i+1 < len(t.Rows) && LooksLikeHeader(t.Rows[i+1]) {
		return nil, 0
	}
	headers := CombinedHeaders(t.Rows[i : i+1])
	if ofOtherTable(headers, nil) {
		return nil, 0
	}
	named := WithSimilar(matchColumns(headers), headers)
	columns := withPlaces(t, named, headers, i+1)
	if len(columns) == len(named) {
		return nil, 0
	}
	places, others := 0, sums(t, columns, len(headers), i+1)
	for _, c := range columns {
		switch {
		case location.PlaceColumns[c.Field]:
			places++
		case location.ValueColumns[c.Field] || location.BuildingColumns[c.Field]:
			others++
		}
	}
	found := func(field string) bool {
		return slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == field })
	}
	if places < 2 || others < 2 || !found("location_address") || !found("location_city") && !found("location_state") && !found("location_postal_code") {
		return nil, 0
	}
	return columns, 1
}

// OpensHeader reports whether the first text of a row is a header, as when the header
// is repeated on a new page.
func OpensHeader(row []content.Cell) bool {
	for _, c := range row {
		if text := strings.TrimSpace(c.Text); text != "" {
			if parse.IsPlainNumber(text) {
				return false
			}
			_, ok := recognise.HeaderForms()[words.Key(text)]
			return ok
		}
	}
	return false
}

// LooksLikeHeader reports whether a row contains only short texts.
func LooksLikeHeader(row []content.Cell) bool {
	filled := 0
	for _, c := range row {
		text := strings.TrimSpace(c.Text)
		if text == "" || c.Merged {
			continue
		}
		if c.Number != nil || c.Date != "" || len(text) > 80 || text[0] >= '0' && text[0] <= '9' && !strings.HasPrefix(text, "100") && !headerUnit.MatchString(text) || hasSign(text) && parse.HasDigit(text) && len(text) > 5 {
			return false
		}
		filled++
	}
	return filled >= 2
}

// headerUnit matches a unit in a header: "24 months", "5 digit".
var headerUnit = lazyregexp.New(`^\d{1,2} \pL[\pL.]{1,9}$`)

// hasSign reports whether a text begins with a currency sign.
func hasSign(text string) bool {
	sign, _ := parse.CutSign(text)
	return sign != "" || codedAmount.MatchString(text)
}

// codedAmount matches an amount with the code of its currency: "GBP 18,500,000".
var codedAmount = vocabulary.Pattern(`^(?:{{money.code}})\s?\d[\d,.'’ ]*$|^\d[\d,.'’ ]*\s?(?:{{money.code}})$`)

// StackedHeaders joins the lines of a header. The text of merged cells is in the first one of them.
func StackedHeaders(rows [][]content.Cell) []string {
	width := 0
	for _, r := range rows {
		width = max(width, len(r))
	}
	texts := make([]string, width)
	for n, row := range rows {
		last := ""
		for j, c := range row {
			text := strings.TrimSpace(c.Text)
			if c.Merged && n+1 < len(rows) {
				text = last
			}
			last = text
			texts[j] = strings.TrimSpace(texts[j] + " " + text)
		}
	}
	return texts
}

// CombinedHeaders joins the lines of a header. If the lower line of a column is the better header, it
// returns only this line for the column.
func CombinedHeaders(rows [][]content.Cell) []string {
	texts := StackedHeaders(rows)
	if len(rows) > 1 {
		lower := rows[len(rows)-1]
		for j := range texts {
			// "Values | Building": the lower line alone may be the better header.
			if j >= len(lower) || lower[j].Merged || isExact(texts[j]) {
				continue
			}
			_, whole := recognise.Header(texts[j])
			m, ok := recognise.Header(lower[j].Text)
			if group, known := recognise.AnyHeader(texts[j]); m.Field == "~category" && known && group.Field != m.Field {
				continue // the group header "Construction" says what "Type" below it means
			}
			if ok && (!whole || isExact(lower[j].Text)) {
				texts[j] = lower[j].Text
			}
		}
	}
	return texts
}

// isExact reports whether the whole text is a known header.
func isExact(text string) bool {
	_, ok := recognise.HeaderForms()[words.Key(text)]
	return ok
}

func matchColumns(headers []string) []location.Column {
	var columns []location.Column
	for j, text := range headers {
		if location.YesWords[words.Key(text)] && len(columns) > 0 {
			continue // an answer, not the header of numbers
		}
		if m, ok := recognise.Header(text); ok {
			columns = append(columns, location.Column{Index: j, Field: m.Field, From: m.From, Header: text})
		}
	}
	if IsStatement(columns) {
		columns = WithSimilar(columns, headers)
	}
	return longAmount(columns, headers)
}

// WithSimilar adds the columns of a statement of values whose headers are only similar to
// known ones, for fields that no other column has.
func WithSimilar(columns []location.Column, headers []string) []location.Column {
	taken := map[int]bool{}
	for _, c := range columns {
		taken[c.Index] = true
	}
	for j, text := range headers {
		if taken[j] || len(text) > maxSimilarHeader || recognise.Foreign(words.Key(text)) {
			continue
		}
		m, ok := recognise.AnyHeader(text)
		if !ok {
			m, ok = recognise.HeaderByWords(text)
		}
		if !ok || slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == m.Field && !yearsApart(c.Header, text) }) {
			continue
		}
		columns = append(columns, location.Column{Index: j, Field: m.Field, From: m.From, Header: text})
	}
	slices.SortFunc(columns, func(a, b location.Column) int { return a.Index - b.Index })
	return columns
}

const maxSimilarHeader = 60 // bytes

// IsStatement reports whether the columns make a statement of values: places with values or
// with details of buildings, or values by location.
func IsStatement(columns []location.Column) bool {
	seen := map[string]bool{}
	for _, c := range columns {
		seen[c.Field] = true
	}
	count := func(of map[string]bool) int {
		n := 0
		for f := range seen {
			if of[f] {
				n++
			}
		}
		return n
	}
	places, values, house := count(location.PlaceColumns), count(location.ValueColumns), count(location.BuildingColumns)
	named := seen["location_id"] || seen["~location"] || seen["~name"]
	switch {
	case places == 0 && seen["~location"] && (values >= 2 || values+house >= 3):
		return true
	case places == 0:
		return (seen["location_id"] || seen["~building"]) && values+house >= 2 || named && seen["building_value"] && values >= 2 && house >= 1
	case seen["location_address"] || seen["latitude"] || seen["~geo"]:
		return values+house >= 1 || places >= 3 && named
	}
	return places+values+house >= 4 && values+house >= 1 || named && values >= 1
}
