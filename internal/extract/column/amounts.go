package column

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// WithBuilding finds a column of amounts whose header is only "limit" or "value", and makes it the
// column of building values. It does so if another column has the contents, or if one has the
// construction and there are no other columns of values.
func WithBuilding(t *content.Table, columns []location.Column, headers []string, from int, scale parse.Amount) []location.Column {
	contents, described, others := -1, false, false
	for _, c := range columns {
		switch {
		case c.Field == "building_value", c.Field == "~building_other", c.Field == "location_pd", c.Field == "~category":
			return columns
		case c.Field == "contents_tiv", c.Field == "~equipment":
			contents = c.Index
		case c.Field == "construction_type":
			described = true
		case location.ValueColumns[c.Field] && c.Field != "100_pct_limit":
			others = true
		}
	}
	if contents < 0 && (!described || others) {
		return columns
	}
	rows := sampleRows(t, from)
	for j, header := range headers {
		at := slices.IndexFunc(columns, func(c location.Column) bool { return c.Index == j })
		if at >= 0 && !unsettled[columns[at].Field] || !isAmountHeader(header) {
			continue
		}
		if !slices.ContainsFunc(cellsAt(rows, j), func(c content.Cell) bool { a, ok := location.CellAmount(c); return ok && a > 0 }) {
			continue
		}
		if at < 0 {
			columns = append(columns, location.Column{Index: j, Header: header, Name: location.CoverageName(header), Scale: max(scale, parse.Amount(recognise.ScaleOf(header)))})
			at = len(columns) - 1
		}
		columns[at].Field, columns[at].From = "building_value", source.Fuzzy
		slices.SortFunc(columns, func(a, b location.Column) int { return a.Index - b.Index })
		return columns
	}
	return columns
}

// unsettled are the columns that a header such as "limit" or "total" names.
var unsettled = words.Set("", "100_pct_limit", "100_pct_coverage_limits", "location_application_limit")

// isAmountHeader reports whether a header says that its column holds amounts, but not which ones.
func isAmountHeader(header string) bool {
	list := strings.Fields(words.Key(header))
	for _, w := range list {
		if !vocabulary.Qualifiers("amount")[w] {
			return false
		}
	}
	return len(list) > 0
}
