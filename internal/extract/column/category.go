package column

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// namesSites reports whether a header is that of the numbers or names of locations.
func namesSites(header string) bool { return vocabulary.Set("sites.column")[words.Key(header)] }

// byCategory reports whether the columns make a table with one row for each coverage
// of a place that has only a number or a name.
func byCategory(columns []location.Column) bool {
	placed, long, stated := false, false, false
	for _, c := range columns {
		placed = placed || namesSites(c.Header)
		long = long || c.Field == "~category"
		stated = stated || c.Field == "100_pct_limit"
	}
	return placed && long && stated
}

// categorised reports whether the category column of a table contains the insured
// property, such as buildings and contents, in most of its first rows.
func categorised(t *content.Table, columns []location.Column, from int) bool {
	known, filled := 0, 0
	for _, c := range columns {
		if c.Field != "~category" {
			continue
		}
		for _, row := range t.Rows[from:min(from+30, len(t.Rows))] {
			if c.Index >= len(row) || strings.TrimSpace(row[c.Index].Text) == "" {
				continue
			}
			if filled++; location.CategoryOf(row[c.Index].Text) != "" {
				known++
			}
		}
	}
	return known > 0 && known*2 >= filled
}

// longAmount finds the amount columns of a table with one row for each coverage, where
// a limit is the sum insured for the coverage of the row.
func longAmount(columns []location.Column, headers []string) []location.Column {
	long, stated, placed := false, false, false
	for _, c := range columns {
		stated = stated || c.Field == "100_pct_limit"
		long = long || c.Field == "~category"
		placed = placed || namesSites(c.Header)
	}
	for i, c := range columns {
		if key := words.Key(c.Header); placed && !long && vocabulary.Set("sites.item")[key] {
			columns[i].Field, long = "~category", true // of each place
		}
	}
	if stated || !long {
		return columns
	}
	for j, text := range headers {
		held := slices.ContainsFunc(columns, func(c location.Column) bool { return c.Index == j && !recognise.MoneyColumns[c.Field] })
		if isAmountHeader(text) && !held {
			columns = slices.DeleteFunc(columns, func(c location.Column) bool { return c.Index == j })
			return append(columns, location.Column{Index: j, Field: "100_pct_limit", From: source.Fuzzy, Header: text})
		}
	}
	return columns
}
