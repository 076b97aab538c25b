package passages

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Only completes the only location of a document with what the document says about the
// property as a whole. If there is no location, it adds one at the insured's address.
func Only(d *candidate.Set, taken map[*content.Table]map[int]bool, rows []location.Row, passages []Passage) []location.Row {
	if len(rows) > 1 {
		return rows
	}
	if len(rows) == 1 && rows[0].Values() {
		placeAtHome(d, rows[0], passages)
		return rows
	}
	row := location.Row{Cells: map[string]location.Cell{}}
	passages = append(passages, tableRows(d.Document, taken)...)
	said := map[int]bool{} // passages with sums
	for i, p := range passages {
		if !parse.HasDigit(p.text) || holdsAddress(p.text) {
			continue
		}
		for _, s := range propertySums(p.text) {
			said[i] = true
			if _, taken := row.Cells[s.field]; !taken {
				row.Cells[s.field] = location.Cell{From: source.Prose, At: p.at, Value: s.amount}
			}
		}
	}
	if row.Cells["building_value"].Value == 0 && row.Cells["contents_tiv"].Value == 0 && row.Cells["stock_tiv"].Value == 0 {
		return rows
	}
	for i, p := range passages {
		if (said[i] || protects(p.text)) && !holdsAddress(p.text) {
			location.DescribeBuilding(row, p.text, p.at)
		}
	}
	row.At = passages[0].at
	if len(rows) == 0 {
		street := ""
		if home := d.Ranked("address"); len(home) > 0 {
			street = home[0].Text
		} else if street = onlyAddress(passages); street == "" {
			return rows
		}
		row.Add("location_address", street, source.Prose, passages[0].at)
		return []location.Row{row}
	}
	rows[0].Complete(row)
	return rows
}

// placeAtHome completes the only location if a table of sums states its values, but not where it is. It adds the insured's
// address, and what the sentences say about the building.
func placeAtHome(d *candidate.Set, row location.Row, passages []Passage) {
	home := d.Ranked("address")
	if row.Place() || row.Cells["location_address"].Text != "" || row.Cells["~name"].Text != "" || row.LocationKey() != "" || len(home) == 0 {
		return
	}
	for _, p := range passages {
		if protects(p.text) && !holdsAddress(p.text) {
			location.DescribeBuilding(row, p.text, p.at)
		}
	}
	row.Add("location_address", home[0].Text, source.Prose, row.At)
}

// onlyAddress returns the address in sentences and lists if there is exactly one, or "". An address
// on a line of its own is ignored, because it can belong to a letterhead.
func onlyAddress(passages []Passage) string {
	street := ""
	for _, p := range passages {
		found, before := parse.AddressesIn(p.text)
		for i, address := range found {
			if !p.item && !strings.ContainsFunc(before[i], unicode.IsLower) || otherParty(before[i]) {
				continue
			}
			if street != "" && words.BareKey(street) != words.BareKey(address) {
				return ""
			}
			street = address
		}
	}
	return street
}

func holdsAddress(text string) bool {
	found, _ := parse.AddressesIn(text)
	return len(found) > 0
}

// protects reports whether a text says something about sprinklers or alarms.
func protects(text string) bool {
	return slices.ContainsFunc(vocabulary.Protection().Find(text), func(m vocabulary.Match) bool {
		return m.Meaning != "yes" && m.Meaning != "no" && m.Meaning != "construction_type" && m.Meaning != "construction code"
	})
}

const maxTableRows = 60 // of a table that states sums of one location

// tableRows returns the rows of the tables that are not statements of values as passages.
func tableRows(d *layout.Document, taken map[*content.Table]map[int]bool) (out []Passage) {
	for _, l := range d.Lines {
		if l.Table == nil || l.At.Quoted || taken[l.Table] != nil || len(l.Table.Rows) > maxTableRows || len(l.Table.Rows) == 0 || column.IsLosses(l.Table.Rows[0]) {
			continue
		}
		for _, row := range l.Table.Rows {
			if len(row) <= 12 {
				out = append(out, Passage{text: layout.RowText(row), at: l.At})
			}
		}
	}
	return out
}
