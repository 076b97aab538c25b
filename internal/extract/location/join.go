package location

import (
	"cmp"
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Fill adds to rows the values that others have for the same location, and returns
// how many of the others were found.
func Fill(rows, others []Row) int {
	matched := 0
	for _, found := range fill(rows, others) {
		if found {
			matched++
		}
	}
	return matched
}

// fill does what Fill does, and returns which of the others were found.
func fill(rows, others []Row) []bool {
	found := make([]bool, len(others))
	if len(others) == 0 || len(rows) == 0 {
		return found
	}
	byLocation := map[string][]int{}
	byID, byAddress, byName := map[string]int{}, map[string]int{}, map[string]int{}
	for i, r := range rows {
		for key, index := range map[string]map[string]int{"i" + r.IDKey(): byID, "a" + r.AddressKey(): byAddress, "n" + words.BareKey(r.Cells["~name"].Text): byName} {
			if _, taken := index[key]; !taken && len(key) > 2 {
				index[key] = i
			}
		}
		byLocation[r.LocationKey()] = append(byLocation[r.LocationKey()], i)
	}
	names := make([]string, len(rows)) // for comparing beginnings of names, in short tables
	for i, r := range rows[:min(len(rows), maxNamesCompared)] {
		names[i] = words.BareKey(r.Cells["~name"].Text)
	}
	for n, o := range others {
		at, ok := byID["i"+o.IDKey()]
		if only := byLocation[o.LocationKey()]; !ok && len(only) == 1 && o.LocationKey() != "" && o.Cells["~building"].Text == "" {
			at, ok = only[0], true
		}
		if o.Place() {
			if a, known := byAddress["a"+o.AddressKey()]; known {
				if !ok || rows[at].AddressKey() != o.AddressKey() {
					at, ok = a, true
				}
			} else if ok && rows[at].Place() && rows[at].Cells["location_address"].Text != "" && o.Cells["location_address"].Text != "" && !strings.HasPrefix(rows[at].AddressKey(), o.AddressKey()) {
				ok = false
			}
		}
		if !ok {
			at, ok = byName["n"+words.BareKey(o.Cells["~name"].Text)]
		}
		if name := words.BareKey(o.Cells["~name"].Text); !ok && len(name) > 8 && len(rows) < maxNamesCompared {
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
		found[n] = true
		if street := o.Cells["location_address"]; street.Text != "" && rows[at].Cells["location_address"].Text == "" {
			delete(rows[at].Cells, "~city_line") // the complete address has more details
		}
		for f, cell := range o.Cells {
			if _, taken := rows[at].Cells[f]; !taken {
				rows[at].Cells[f] = cell
				if f == "~name" {
					names[at] = words.BareKey(cell.Text)
				}
			}
		}
	}
	return found
}

// Union returns the rows, completed with the values of others for the same locations, and the
// others that are about other locations, in the order of the document.
func Union(rows, others []Row) []Row {
	known := map[string]bool{}
	for _, r := range rows {
		for _, key := range r.similarKeys() {
			known[key] = true
		}
	}
	for n, found := range fill(rows, others) {
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
	for _, c := range categories {
		if c.form.MatchString(text) {
			return c.field
		}
	}
	return ""
}

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
	var placed []Row
	known := map[string]bool{}
	for _, r := range rows {
		id := r.IDKey()
		if len(placed) > 0 && (id == "" || known[id]) && Fill(placed, []Row{r}) > 0 {
			continue
		}
		if r.Place() || r.Cells["location_address"].Text != "" {
			placed = append(placed, r)
			known[id] = true
		}
	}
	return placed
}

// MaxLocations is the maximum number of locations that are extracted from a document.
const MaxLocations = 10_000

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

// maxNamesCompared is the number of rows from which on only equal names match.
const maxNamesCompared = 300
