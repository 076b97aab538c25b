package sov

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// withBuilding makes a column of amounts that is only called a limit or a value that of the
// buildings, if another column states their contents, and the amounts are not the totals.
func withBuilding(t *content.Table, columns []location.Column, headers []string, from int) []location.Column {
	contents := -1
	for _, c := range columns {
		switch c.Field {
		case "building_value", "~building_other", "location_pd":
			return columns
		case "contents_tiv", "~equipment":
			contents = c.Index
		}
	}
	if contents < 0 {
		return columns
	}
	for j, header := range headers {
		at := slices.IndexFunc(columns, func(c location.Column) bool { return c.Index == j })
		if at >= 0 && columns[at].Field != "100_pct_limit" && columns[at].Field != "location_application_limit" && columns[at].Field != "" || !isAmountHeader(header) {
			continue
		}
		larger, both := 0, 0
		for _, row := range t.Rows[min(from, len(t.Rows)):min(from+maxSampled, len(t.Rows))] {
			if max(j, contents) >= len(row) {
				continue
			}
			a, ok := location.CellAmount(row[j])
			b, other := location.CellAmount(row[contents])
			if ok && a > 0 {
				both++
				if other && b > 0 && a > b {
					larger++
				}
			}
		}
		if both == 0 {
			continue
		}
		if at < 0 {
			columns = append(columns, location.Column{Index: j, Header: header, Name: location.CoverageName(header), Scale: columns[slices.IndexFunc(columns, func(c location.Column) bool { return c.Index == contents })].Scale})
			at = len(columns) - 1
		}
		columns[at].Field, columns[at].From = "building_value", source.Fuzzy
		slices.SortFunc(columns, func(a, b location.Column) int { return a.Index - b.Index })
		return columns
	}
	return columns
}

// isAmountHeader reports whether a header says only that its column holds amounts, and not which.
func isAmountHeader(header string) bool {
	list := strings.Fields(words.Key(header))
	for _, w := range list {
		if !vocabulary.Qualifiers("amount")[w] {
			return false
		}
	}
	return len(list) > 0
}
