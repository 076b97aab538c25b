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
	var rows []location.Row
	byAddress := map[string]int{}
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
			if s.repeats(byAddress) || s.describes(rows) {
				location.Fill(rows, s.Rows)
				continue
			}
			for _, r := range s.Rows {
				if !r.Place() && !(r.Values() && (r.Cells["location_state"].Text != "" || r.Cells["location_country"].Text != "")) {
					continue
				}
				if len(rows) > 3*location.MaxLocations {
					return rows
				}
				rows = append(rows, r)
			}
			if len(d.Segments) == 1 {
				continue // no other segment can repeat it
			}
			for _, r := range s.Rows {
				byAddress[r.AddressKey()]++
			}
		}
	}
	for _, s := range pending {
		matched := location.Fill(rows, s.Rows)
		if matched == 0 && len(rows) == 0 {
			for _, r := range s.Rows {
				if r.Cells["building_value"].Value != 0 || r.Cells["100_pct_limit"].Value != 0 && r.Cells["~name"].Text != "" {
					rows = append(rows, r)
				}
			}
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

// describes reports whether the segment states more about known rows: it has no streets, and
// most of its rows have the numbers of known rows.
func (s *Segment) describes(known []location.Row) bool {
	if slices.ContainsFunc(s.Rows, func(r location.Row) bool { return r.Cells["location_address"].Text != "" }) {
		return false
	}
	ids := map[string]bool{}
	for _, r := range known {
		ids[r.LocationKey()] = true
	}
	n := 0
	for _, r := range s.Rows {
		if key := r.LocationKey(); key != "" && ids[key] {
			n++
		}
	}
	return n*2 > len(s.Rows)
}

// repeats reports whether most of the segment's rows are already known.
func (s *Segment) repeats(known map[string]int) bool {
	if len(known) == 0 {
		return false
	}
	n := 0
	for _, r := range s.Rows {
		if known[r.AddressKey()] > 0 {
			n++
		}
	}
	return n*2 > len(s.Rows)
}
