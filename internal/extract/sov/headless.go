package sov

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
)

// withoutHeader returns a segment for a table without a header that states the sums of known
// locations: their numbers, the kind of property and the amount.
func (d *Tables) withoutHeader(t *content.Table, at source.Place) *Segment {
	known := slices.ContainsFunc(d.Segments, func(s *Segment) bool { return len(s.Rows) > 0 && s.Rows[0].Cells["location_id"].Text != "" })
	if !known || len(t.Rows) < 2 || len(t.Rows) > location.MaxLocations {
		return nil
	}
	var columns []location.Column
	for j := range t.Rows[0] {
		kinds, sums, ids, rows := 0, 0, 0, 0
		for _, row := range t.Rows[:min(len(t.Rows), column.MaxSampled)] {
			if j >= len(row) {
				return nil
			}
			rows++
			text := strings.TrimSpace(row[j].Text)
			if a, ok := location.CellAmount(row[j]); ok && a >= 1_000_00 {
				sums++
			} else if column.IDForm.MatchString(text) {
				ids++
			} else if len(text) < 60 && location.CategoryOf(text) != "" {
				kinds++
			}
		}
		field, has := "", func(f string) bool {
			return slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == f })
		}
		switch {
		case ids == rows && !has("location_id"):
			field = "location_id"
		case ids == rows && !has("~building") && !has("~category"):
			field = "~building"
		case kinds*5 >= rows*4 && !has("~category"):
			field = "~category"
		case sums*5 >= rows*4 && has("~category") && !has("100_pct_limit"):
			field = "100_pct_limit"
		default:
			continue
		}
		columns = append(columns, location.Column{Index: j, Field: field, From: source.Fuzzy, Scale: 1})
	}
	if len(columns) < 3 || columns[len(columns)-1].Field != "100_pct_limit" {
		return nil
	}
	s := &Segment{Table: t, At: at, Columns: columns, width: len(t.Rows[0]), scale: 1, sums: map[string]parse.Amount{}}
	d.Segments = append(d.Segments, s)
	return s
}
