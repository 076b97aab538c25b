package column

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// codeForm matches postal codes that can be recognised by their form.
var codeForm = lazyregexp.New(`^(?:\d{5}(?:-\d{4})?|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})$`)

// placeTests tell from a cell which part of an address its column holds.
var placeTests = []struct {
	field string
	fits  func(text string) bool
}{
	{"location_address", func(text string) bool {
		if !parse.HasDigit(text) {
			return strings.Contains(text, ",") && slices.ContainsFunc(strings.Split(text, ","), address.IsStreet)
		}
		return strings.ContainsFunc(text, parse.IsLetter) && address.IsStreet(text) && len(parse.Dates(text, parse.UnknownOrder)) == 0
	}},
	{"location_postal_code", codeForm.MatchString},
	{"location_state", func(text string) bool {
		_, _, ok := address.State(text)
		return ok && len(text) == 2
	}},
	{"location_city", func(text string) bool { return !parse.HasDigit(text) && address.IsCity(text, "") }},
}

// withPlaces adds columns for the parts of addresses whose headers are not known: cells
// that are streets, and beside them cells that are postal codes, states and cities. It needs
// two rows below the header.
func withPlaces(t *content.Table, columns []location.Column, headers []string, from int) []location.Column {
	const most = 12 // rows that are examined
	var rows [][]content.Cell
	for _, row := range t.Rows[min(from, len(t.Rows)):] {
		if layout.FilledCells(row) < 4 || len(rows) == most {
			break
		}
		rows = append(rows, row)
	}
	if len(rows) < 2 {
		return columns
	}
	known := func(index int, field string) bool {
		return slices.ContainsFunc(columns, func(c location.Column) bool { return c.Index == index || c.Field == field })
	}
	street := slices.IndexFunc(columns, func(c location.Column) bool { return c.Field == "location_address" })
	if street >= 0 {
		street = columns[street].Index
	}
	placed := slices.ContainsFunc(columns, func(c location.Column) bool { return location.PlaceColumns[c.Field] })
	if IsStatement(columns) && !placed {
		return columns // the second half of a wide table
	}
	for _, test := range placeTests {
		for j, header := range headers {
			if header == "" || parse.HasDigit(header) && test.fits(header) || known(j, test.field) || test.field != "location_address" && (street < 0 || j < street-1 || j > street+4) {
				continue
			}
			fitting := 0
			for _, row := range rows {
				if j < len(row) && test.fits(strings.TrimSpace(row[j].Text)) {
					fitting++
				}
			}
			if fitting*4 < len(rows)*3 {
				continue
			}
			columns = append(columns, location.Column{Index: j, Field: test.field, From: source.Fuzzy, Header: header})
			if test.field == "location_address" {
				street = j
			}
			break
		}
	}
	slices.SortFunc(columns, func(a, b location.Column) int { return a.Index - b.Index })
	return columns
}

// withAddresses adds a column of addresses to the columns of a table that numbers its rows. Most
// cells of the column must begin or end with a complete address, and its header must be about places.
func withAddresses(t *content.Table, columns []location.Column, headers []string, from int, addresses Addresses) []location.Column {
	known := func(index int, fields ...string) bool {
		return slices.ContainsFunc(columns, func(c location.Column) bool { return c.Index == index || slices.Contains(fields, c.Field) })
	}
	if !known(-1, "location_id", "~building") || known(-1, "location_address") {
		return columns
	}
	rows := sampleRows(t, from)
	for j, header := range headers {
		if known(j) || !ofPlaces(header) {
			continue
		}
		complete, filled := 0, 0
		for _, c := range cellsAt(rows, j) {
			if strings.TrimSpace(c.Text) != "" {
				if filled++; addresses.holds(c.Text) {
					complete++
				}
			}
		}
		if complete > 0 && complete*4 >= filled*3 {
			columns = append(columns, location.Column{Index: j, Field: "location_address", From: source.Fuzzy, Header: header})
			slices.SortFunc(columns, func(a, b location.Column) int { return a.Index - b.Index })
			break
		}
	}
	return columns
}

// leadingAddress returns the complete address with which a text begins, or "".
func leadingAddress(text string) string {
	text = parse.SpacedAddress(text)
	found, before := parse.AddressesIn(text)
	if len(found) == 0 || strings.TrimSpace(before[0]) != "" {
		return ""
	}
	return found[0]
}

// namedAddress splits a text that consists of a name and a complete address: "Elm House, 4 Elm Row,
// Salem, OR 97301".
func namedAddress(text string) (name, street string, ok bool) {
	text = strings.Trim(words.OneLine(strings.ReplaceAll(text, "\n", ", ")), " ,.")
	found, before := parse.AddressesIn(text)
	if len(found) != 1 || !strings.HasSuffix(text, found[0]) {
		return "", "", false
	}
	// The address can contain the name, because both consist of words with capitals.
	name, street = strings.Trim(before[0], " ,;:-–—"), found[0]
	if first, rest, cut := strings.Cut(street, ", "); cut && !parse.HasDigit(first) && !address.IsStreet(first) && parse.WrittenAddress(address.Parse(rest)) && address.Parse(rest).Street != "" {
		name, street = strings.Trim(name+" "+first, " "), rest
	}
	return name, street, name != "" && len(name) <= maxPlaceName && !parse.HasDigit(name)
}

const maxPlaceName = 60 // bytes of the name of a location before its address

// holdsAddress reports whether a text begins with a complete address, or is a name with one after it.
func holdsAddress(text string) bool {
	if leadingAddress(text) != "" {
		return true
	}
	if _, _, ok := namedAddress(text); ok {
		return true
	}
	// "Seestrasse 3, 2502 Biel": four digits alone could be a year.
	a := address.Parse(text)
	return len(text) <= parse.MaxAddress && a.PostalCode != "" && parse.HasDigit(a.Street) && parse.WrittenAddress(a) && address.IsCity(a.City, a.CountryISO)
}

// Addresses holds the results of holdsAddress for the texts of a document, because a cell is in the
// samples of all the rows above it that may be headers.
type Addresses map[string]bool

func (a Addresses) holds(text string) bool {
	held, known := a[text]
	if !known {
		held = holdsAddress(text)
		a[text] = held
	}
	return held
}

// ofPlaces reports whether a header is about insured places.
func ofPlaces(header string) bool {
	sites := false
	for _, m := range vocabulary.Sites().Find(header) {
		sites = sites || m.Meaning == "sites" || m.Meaning == "place"
		if m.Meaning == "elsewhere" {
			return false
		}
	}
	return sites
}

// DescribePlace joins the street with its number, and splits a cell that describes a location: "27 Levee Road, Keokuk, IA 52632
// Construction: Frame Sprinklered: No".
func DescribePlace(row location.Row, at source.Place) {
	row.JoinNumber()
	cell := row.Cells["location_address"]
	if row.Cells["location_city"].Text == "" && strings.Contains(cell.Text, ",") && !strings.Contains(parse.Digits, cell.Text[:1]) {
		// In other countries, the name of a house is a part of its address.
		if name, street, ok := namedAddress(cell.Text); ok && address.Parse(street).State != "" && strings.Contains(parse.Digits, street[:1]) {
			row.Add("~name", name, cell.From, cell.At)
			cell.Text = street
			row.Cells["location_address"] = cell
		}
	}
	if !strings.ContainsAny(cell.Text, ":;(") && !strings.Contains(cell.Text, " - ") && !strings.Contains(cell.Text, " – ") {
		return
	}
	street, rest := leadingAddress(cell.Text), ""
	before, after, dashed := pairs.CutAt(pairs.Dashed, cell.Text)
	if behind, ok := strings.CutPrefix(cell.Text, street); ok && street != "" {
		rest = behind
	} else if dashed && parse.WrittenAddress(address.Parse(before)) {
		street, rest = before, after
	} else if m := aside.FindStringSubmatchIndex(cell.Text); m != nil && m[0] > 0 {
		street, rest = cell.Text[:m[0]], cell.Text[m[2]:m[3]]
	}
	if street == "" || strings.TrimSpace(rest) == "" {
		return
	}
	for _, p := range pairs.ColonPairs(rest) {
		m, ok := recognise.Header(p.Label)
		if read, filled := location.ReadCell(location.Column{Field: m.Field, From: source.Fuzzy, Scale: 1}, content.Cell{Text: p.Value}, at); ok && filled {
			row.Complete(location.Row{Cells: map[string]location.Cell{m.Field: read}})
		}
	}
	location.DescribeBuilding(row, rest, at)
	cell.Text = street
	row.Cells["location_address"] = cell
}

// aside matches a text in brackets at the end of a cell.
var aside = lazyregexp.New(`\s*\(([^()]{4,80})\)\s*$`)

// sums returns the number of columns that are not known and hold amounts of at least a
// thousand.
func sums(t *content.Table, columns []location.Column, width, from int) (n int) {
	rows := t.Rows[min(from, len(t.Rows)):min(from+2, len(t.Rows))]
	for j := range width {
		if slices.ContainsFunc(columns, func(c location.Column) bool { return c.Index == j }) {
			continue
		}
		large := 0
		for _, row := range rows {
			if j < len(row) && !codeForm.MatchString(strings.TrimSpace(row[j].Text)) {
				if a, ok := location.CellAmount(row[j]); ok && a >= 1_000_00 {
					large++
				}
			}
		}
		if large == len(rows) && large > 0 {
			n++
		}
	}
	return n
}
