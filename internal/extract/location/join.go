package location

import (
	"cmp"
	"slices"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Union returns the rows, completed with the values of others for the same locations, and the
// others that are about other locations, in the order of the document.
func Union(rows, others []Row) []Row {
	known := map[string]bool{}
	for _, r := range rows {
		for _, key := range r.similarKeys() {
			known[key] = true
		}
	}
	for n, found := range NewList(rows).fill(others) {
		if !found && !slices.ContainsFunc(others[n].similarKeys(), func(key string) bool { return known[key] }) {
			rows = append(rows, others[n])
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Or(a.At.Part-b.At.Part, a.At.Line-b.At.Line) })
	return rows
}

// similarKeys returns keys of which one is equal for rows whose addresses have the same postal
// code, and begin alike or have the same number.
func (r Row) similarKeys() (keys []string) {
	const least = 12 // letters and digits
	street := r.Cells["location_address"].Text
	code := address.Parse(street).PostalCode
	if code == "" {
		return nil
	}
	if key := words.BareKey(street); len(key) >= least {
		keys = append(keys, key[:least]+" "+code)
	}
	if id := r.LocationKey(); id != "" {
		keys = append(keys, "#"+id+" "+code)
	}
	return keys
}

// CategoryOf returns the column of the kind of property that a text names.
func CategoryOf(text string) string {
	found := vocabulary.Property().Find(text)
	for _, field := range categoryRanks {
		if slices.ContainsFunc(found, func(m vocabulary.Match) bool { return m.Meaning == field && (field != "100_pct_limit" || m.First == 0) }) {
			return field
		}
	}
	if m := recognise.HeaderForms()[words.Key(text)]; m.Field == "~other_value" || slices.Contains(categoryRanks, m.Field) {
		return m.Field
	}
	return ""
}

// categoryRanks are the columns of the kinds of property. If a text names several, the first in
// this list counts.
var categoryRanks = []string{"business_interruption_value", "~rents", "stock_tiv", "100_pct_limit", "contents_tiv", "~equipment", "building_value"}

// Pivoted converts rows for one location and one category each to rows for one
// location each.
func Pivoted(rows []Row) []Row {
	hits := 0
	for _, r := range rows {
		if CategoryOf(r.Cells["~category"].Text) != "" && r.amountCell().Value >= 0 {
			hits++
		}
	}
	if hits < 2 || hits*2 < len(rows) {
		return rows
	}
	var out []Row
	index := map[string]int{}
	last := ""
	for _, r := range rows {
		key := words.BareKey(r.Cells["location_id"].Text + r.Cells["~building"].Text + r.Cells["~name"].Text)
		if key == "" {
			key = words.BareKey(r.Cells["location_address"].Text + r.Cells["location_city"].Text)
		}
		if key == "" {
			key = last // only the first row of a location names it
		}
		last = key
		at, known := index[key]
		if !known {
			at = len(out)
			index[key] = at
			first := Row{Cells: map[string]Cell{}, At: r.At}
			for f, c := range r.Cells {
				if !recognise.MoneyColumns[f] && f != "~category" {
					first.Cells[f] = c
				}
			}
			out = append(out, first)
		}
		target, cell := CategoryOf(r.Cells["~category"].Text), r.amountCell()
		if target == "" || cell.Value == 0 {
			continue
		}
		cell.header = words.OneLine(r.Cells["~category"].Text)
		if held, taken := out[at].Cells[target]; taken {
			cell.Value += held.Value
			if held.Weaker(cell) {
				cell.From, cell.Doubt = held.From, held.Doubt
			}
		}
		out[at].Cells[target] = cell
	}
	return out
}

// Premises joins the values of two forms for the same building, and skips pages
// without an address.
func Premises(rows []Row) []Row {
	placed := NewList(nil)
	known := map[string]bool{}
	for _, r := range rows {
		id := r.IDKey()
		if (id == "" || known[id]) && placed.Fill([]Row{r}) > 0 {
			continue
		}
		if r.Place() || r.Cells["location_address"].Text != "" {
			placed.Rows = append(placed.Rows, r)
			known[id] = true
		}
	}
	return placed.Rows
}

// MaxLocations is the maximum number of locations that are extracted from a document.
const MaxLocations = 10_000
