package extract

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// joined joins the rows of all segments: rows of one location in two tables become one
// row, and a current schedule replaces an older or hidden one.
func (d *extractor) joined() []sovRow {
	current := false
	d.markOlderYears()
	for _, s := range d.segments {
		s.rows = pivoted(s.rows)
		current = current || len(s.rows) > 0 && !s.prior && !s.hidden && s.rows[0].place()
	}
	var rows []sovRow
	byAddress := map[string]int{}
	pending := []*segment{}
	for _, wanted := range []bool{false, true} { // visible sheets first
		for _, s := range d.segments {
			if s.hidden != wanted || current && (s.prior || s.hidden) {
				continue
			}
			if !s.placed() {
				pending = append(pending, s)
				continue
			}
			if s.repeats(byAddress) || s.describes(rows) {
				fillFrom(rows, s.rows)
				continue
			}
			for _, r := range s.rows {
				if !r.place() && !(r.values() && (r.cells["location_state"].text != "" || r.cells["location_country"].text != "")) {
					continue
				}
				if len(rows) > 3*maxLocations {
					return rows
				}
				rows = append(rows, r)
			}
			if len(d.segments) == 1 {
				continue // no other segment can repeat it
			}
			for _, r := range s.rows {
				byAddress[r.addressKey()]++
			}
		}
	}
	for _, s := range pending {
		matched := fillFrom(rows, s.rows)
		if matched == 0 && len(rows) == 0 {
			for _, r := range s.rows {
				if r.cells["building_value"].value != 0 || r.cells["100_pct_limit"].value != 0 && r.cells["~name"].text != "" {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

// placed reports whether the segment states where its locations are.
func (s *segment) placed() bool {
	n := 0
	for _, r := range s.rows {
		if r.place() || r.cells["location_state"].text != "" {
			n++
		}
	}
	return n*2 >= len(s.rows) && n > 0
}

var yearInName = lazyregexp.New(`\b(?:19|20)\d\d\b`)

// markOlderYears marks the sheets of earlier years as prior, if the names of two sheets of
// a workbook differ in the year alone.
func (d *extractor) markOlderYears() {
	type workbook struct {
		part int
		name string
	}
	latest := map[workbook]string{}
	book := func(s *segment) (workbook, string) {
		sheet := s.at.Evidence.Sheet
		return workbook{s.at.Part, yearInName.ReplaceAllString(sheet, "")}, yearInName.FindString(sheet)
	}
	for _, s := range d.segments {
		w, year := book(s)
		latest[w] = max(latest[w], year)
	}
	for _, s := range d.segments {
		w, year := book(s)
		s.prior = s.prior || year != "" && year < latest[w]
	}
}

// describes reports whether the segment states more about known rows: it has no streets, and
// most of its rows have the numbers of known rows.
func (s *segment) describes(known []sovRow) bool {
	if slices.ContainsFunc(s.rows, func(r sovRow) bool { return r.cells["location_address"].text != "" }) {
		return false
	}
	ids := map[string]bool{}
	for _, r := range known {
		ids[r.locationKey()] = true
	}
	n := 0
	for _, r := range s.rows {
		if key := r.locationKey(); key != "" && ids[key] {
			n++
		}
	}
	return n*2 > len(s.rows)
}

// repeats reports whether most of the segment's rows are already known.
func (s *segment) repeats(known map[string]int) bool {
	if len(known) == 0 {
		return false
	}
	n := 0
	for _, r := range s.rows {
		if known[r.addressKey()] > 0 {
			n++
		}
	}
	return n*2 > len(s.rows)
}

func (r sovRow) addressKey() string {
	a := r.cells["location_address"].text
	if r.cells["location_city"].text == "" || strings.Count(a, ",") > 1 {
		if parsed := address.Parse(a); r.cells["location_city"].text == "" || parsed.Street != "" && parsed.City != "" {
			return words.BareKey(parsed.Street + parsed.City)
		}
	}
	return words.BareKey(a + r.cells["location_city"].text)
}

// locationKey is the number of the row's location.
func (r sovRow) locationKey() string {
	id, _, _ := strings.Cut(r.idKey(), "-")
	return id
}

// idKey returns a key for a row from the numbers of its location and its building.
func (r sovRow) idKey() string {
	id := r.cells["location_id"].text
	if id == "" {
		return ""
	}
	id = strings.TrimLeft(words.BareKey(id), "0")
	for _, word := range []string{"location", "loc", "site", "premises"} {
		id = strings.TrimPrefix(id, word)
	}
	return id + "-" + words.BareKey(r.cells["~building"].text)
}

// maxNamesCompared is the number of rows from which on only equal names match.
const maxNamesCompared = 300

// fillFrom adds to rows the values that others have for the same location, and returns
// how many of the others were found.
func fillFrom(rows, others []sovRow) int {
	if len(others) == 0 {
		return 0
	}
	byLocation := map[string][]int{}
	byID, byAddress, byName := map[string]int{}, map[string]int{}, map[string]int{}
	for i, r := range rows {
		for key, index := range map[string]map[string]int{"i" + r.idKey(): byID, "a" + r.addressKey(): byAddress, "n" + words.BareKey(r.cells["~name"].text): byName} {
			if _, taken := index[key]; !taken && len(key) > 2 {
				index[key] = i
			}
		}
		byLocation[r.locationKey()] = append(byLocation[r.locationKey()], i)
	}
	names := make([]string, len(rows)) // for comparing beginnings of names, in short tables
	for i, r := range rows[:min(len(rows), maxNamesCompared)] {
		names[i] = words.BareKey(r.cells["~name"].text)
	}
	matched := 0
	for _, o := range others {
		at, ok := byID["i"+o.idKey()]
		if only := byLocation[o.locationKey()]; !ok && len(only) == 1 && o.locationKey() != "" && o.cells["~building"].text == "" {
			at, ok = only[0], true
		}
		if o.place() {
			if a, found := byAddress["a"+o.addressKey()]; found {
				if !ok || rows[at].addressKey() != o.addressKey() {
					at, ok = a, true
				}
			} else if ok && rows[at].place() && rows[at].cells["location_address"].text != "" && o.cells["location_address"].text != "" && !strings.HasPrefix(rows[at].addressKey(), o.addressKey()) {
				ok = false
			}
		}
		if !ok {
			at, ok = byName["n"+words.BareKey(o.cells["~name"].text)]
		}
		if name := words.BareKey(o.cells["~name"].text); !ok && len(name) > 8 && len(rows) < maxNamesCompared {
			for i, known := range names {
				if len(known) > 8 && (strings.HasPrefix(name, known) || strings.HasPrefix(known, name)) {
					at, ok = i, true
					break
				}
			}
		}
		if !ok {
			continue
		}
		matched++
		if street := o.cells["location_address"]; street.text != "" && rows[at].cells["location_address"].text == "" {
			delete(rows[at].cells, "~city_line") // the complete address has more details
		}
		for f, cell := range o.cells {
			if _, taken := rows[at].cells[f]; !taken {
				rows[at].cells[f] = cell
				if f == "~name" {
					names[at] = words.BareKey(cell.text)
				}
			}
		}
	}
	return matched
}

// categories are words in the first column of a schedule with one line per
// location and kind of property.
var categories = []struct {
	field string
	form  *lazyregexp.Regexp
}{
	{"business_interruption_value", lazyregexp.New(`(?i)\b(bi|business (interruption|income)|gross (profit|revenue|earnings)|loss of (profits?|income|revenue)|time element|bi gp|gp)\b`)},
	{"~rents", lazyregexp.New(`(?i)\b(rents?|rental( income)?|rent receivable|icow|extra expense)\b`)},
	{"stock_tiv", lazyregexp.New(`(?i)\b(stock|inventory|raw materials?|finished goods|wip|work in progress|merchandise)\b`)},
	{"100_pct_limit", lazyregexp.New(`(?i)^\W*(total|tiv|total (sum )?insured( value)?|grand total)\b`)},
	{"contents_tiv", lazyregexp.New(`(?i)\b(contents|bpp|business personal property|personal property)\b`)},
	{"~equipment", lazyregexp.New(`(?i)\b(machinery|plant|equipment|m ?& ?p|p ?& ?m|m ?& ?e|ff ?& ?e|fixtures|fittings|tenants?'? improvements|computers?|edp)\b`)},
	{"building_value", lazyregexp.New(`(?i)\b(buildings?|structures?|real property|bldgs?)\b`)},
	{"~other_value", lazyregexp.New(`(?i)\b(other|miscellaneous|signs)\b`)},
}

func categoryOf(text string) string {
	for _, c := range categories {
		if c.form.MatchString(text) {
			return c.field
		}
	}
	return ""
}

// pivoted converts rows for one location and one category each to rows for one
// location each.
func pivoted(rows []sovRow) []sovRow {
	hits := 0
	for _, r := range rows {
		if categoryOf(r.cells["~category"].text) != "" && r.amountCell().value >= 0 {
			hits++
		}
	}
	if hits < 2 || hits*2 < len(rows) {
		return rows
	}
	var out []sovRow
	index := map[string]int{}
	last := ""
	for _, r := range rows {
		key := words.BareKey(r.cells["location_id"].text + r.cells["~building"].text + r.cells["~name"].text)
		if key == "" {
			key = words.BareKey(r.cells["location_address"].text + r.cells["location_city"].text)
		}
		if key == "" {
			key = last // only the first row of a location names it
		}
		last = key
		at, known := index[key]
		if !known {
			at = len(out)
			index[key] = at
			first := sovRow{cells: map[string]sovCell{}, at: r.at}
			for f, c := range r.cells {
				if !recognise.MoneyColumns[f] && f != "~category" {
					first.cells[f] = c
				}
			}
			out = append(out, first)
		}
		target, cell := categoryOf(r.cells["~category"].text), r.amountCell()
		if target == "" || cell.value == 0 {
			continue
		}
		cell.header = words.OneLine(r.cells["~category"].text)
		if held, taken := out[at].cells[target]; taken {
			cell.value += held.value
			if held.weaker(cell) {
				cell.from, cell.doubt = held.from, held.doubt
			}
		}
		out[at].cells[target] = cell
	}
	return out
}

// amountCell returns the only sum of a row with one coverage.
func (r sovRow) amountCell() sovCell {
	for _, f := range []string{"100_pct_limit", "location_application_limit", "100_pct_coverage_limits", "building_value"} {
		if c := r.cells[f]; c.value != 0 {
			return c
		}
	}
	return sovCell{}
}
