package sov

import (
	"slices"

	"understudy.example/internal/extract/location"
	"understudy.example/internal/lazyregexp"
)

// Joined joins the rows of all segments: rows of one location in two tables become one
// row, and a current schedule replaces an older or hidden one.
func (d *Tables) Joined() []location.Row {
	current := false
	d.markOlderYears()
	for _, s := range d.Segments {
		s.Rows = location.Pivoted(s.Rows)
		current = current || len(s.Rows) > 0 && !s.prior && !s.hidden && s.Rows[0].Place()
	}
	list := location.NewList(nil)
	d.unplaced = nil
	pending := []*Segment{}
	for _, wanted := range []bool{false, true} { // visible sheets first
		for _, s := range d.Segments {
			if s.hidden != wanted || current && (s.prior || s.hidden) {
				continue
			}
			if !s.placed() {
				pending = append(pending, s)
				continue
			}
			if s.repeats(list) || s.describes(list) {
				list.Fill(s.Rows)
				continue
			}
			for _, r := range s.Rows {
				if !r.Place() && !(r.Values() && (r.Cells["location_state"].Text != "" || r.Cells["location_country"].Text != "")) {
					continue
				}
				if len(list.Rows) > 3*location.MaxLocations {
					return list.Rows
				}
				list.Rows = append(list.Rows, r)
			}
		}
	}
	for _, s := range pending {
		if matched := list.Fill(s.Rows); matched == 0 && len(list.Rows) == 0 {
			d.unplaced = append(d.unplaced, s.Rows...)
		}
	}
	return list.Rows
}

// Unplaced returns the rows that state values of locations, but not where the locations are. It
// returns none if Joined has returned locations.
func (d *Tables) Unplaced() (rows []location.Row) {
	for _, r := range d.unplaced {
		if r.Values() {
			rows = append(rows, r)
		}
	}
	return rows
}

// placed reports whether the segment states where its locations are.
func (s *Segment) placed() bool {
	n := 0
	for _, r := range s.Rows {
		if r.Place() || r.Cells["location_state"].Text != "" {
			n++
		}
	}
	return n*2 >= len(s.Rows) && n > 0
}

var yearInName = lazyregexp.New(`\b(?:19|20)\d\d\b`)

// markOlderYears marks the sheets of earlier years as prior, if the names of two sheets of
// a workbook differ in the year alone.
func (d *Tables) markOlderYears() {
	type workbook struct {
		part int
		name string
	}
	latest := map[workbook]string{}
	book := func(s *Segment) (workbook, string) {
		sheet := s.At.Evidence.Sheet
		return workbook{s.At.Part, yearInName.ReplaceAllString(sheet, "")}, yearInName.FindString(sheet)
	}
	for _, s := range d.Segments {
		w, year := book(s)
		latest[w] = max(latest[w], year)
	}
	for _, s := range d.Segments {
		w, year := book(s)
		s.prior = s.prior || year != "" && year < latest[w]
	}
}

// describes reports whether the segment has more details of known locations: it has no streets,
// and most of its rows have the numbers of known locations.
func (s *Segment) describes(known *location.List) bool {
	if len(known.Rows) == 0 || slices.ContainsFunc(s.Rows, func(r location.Row) bool { return r.Cells["location_address"].Text != "" }) {
		return false
	}
	return s.most(known.HasLocation)
}

// repeats reports whether most of the segment's rows are already known.
func (s *Segment) repeats(known *location.List) bool {
	if s.site != nil {
		return false // its rows are different buildings of a site
	}
	return len(known.Rows) > 0 && s.most(known.HasAddress)
}

// most reports whether has is true for most rows of the segment.
func (s *Segment) most(has func(location.Row) bool) bool {
	n := 0
	for _, r := range s.Rows {
		if has(r) {
			n++
		}
	}
	return n*2 > len(s.Rows)
}
