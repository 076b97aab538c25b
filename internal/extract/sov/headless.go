package sov

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/lazyregexp"
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

// gapParts are the parts of a line of a table in text.
var gapParts = lazyregexp.New(`\t|\s{2,}`)

// signGap matches the spaces after a currency sign.
var signGap = lazyregexp.New(`([$£€])\s+`)

// completeTable adds the line above and the lines below to a table in text that lacks them: a
// header, or rows, with as many parts as the table has columns.
func (d *Tables) completeTable(t *content.Table, at source.Place) {
	if len(t.Rows) < 2 || len(t.Rows[0]) < 3 || at.Evidence.Sheet != "" {
		return
	}
	width := len(t.Rows[0])
	parts := func(n int) []content.Cell {
		if n < 0 || n >= len(d.Lines) || d.Lines[n].Table != nil || d.Lines[n].Label != "" || d.Lines[n].At.Part != at.Part {
			return nil
		}
		fields := gapParts.Split(signGap.ReplaceAllString(strings.TrimSpace(d.Lines[n].Text), "$1"), -1)
		if len(fields) != width {
			return nil
		}
		row := make([]content.Cell, width)
		for i, f := range fields {
			row[i].Text = f
		}
		return row
	}
	above := at.Line - 1
	for above >= 0 && above > at.Line-4 && d.Lines[above].Table == nil && strings.Trim(d.Lines[above].Text, "-=+|_ \t") == "" && d.Lines[above].Label == "" {
		above--
	}
	if row := parts(above); row != nil && column.LooksLikeHeader(row) && !column.LooksLikeHeader(t.Rows[0]) {
		t.Rows = append([][]content.Cell{row}, t.Rows...)
		d.Lines[above].Text = ""
	}
	for n := at.Line + 1; ; n++ {
		row := parts(n)
		if row == nil || column.LooksLikeHeader(row) {
			break
		}
		t.Rows = append(t.Rows, row)
		d.Lines[n].Text = ""
	}
}
