package generate

import (
	"fmt"
	"strings"
	"unicode"

	"understudy.example/internal/extract/grade"
)

// column is a column of a schedule of locations: its header and its values. Its field is empty if
// the truth does not list it.
type column struct {
	header, field string
	money         bool
	value         func(i int, s site) string
	amount        func(s site) int64
}

// columns returns the columns of the schedule in a usual order. A part of them can be absent.
func (p *paper) columns() []column {
	sprinklered := func(_ int, s site) string { return s.sprinklered }
	all := []column{
		{"h.location_id", "", false, func(i int, _ site) string { return fmt.Sprint(i + 1) }, nil},
		{"h.location_address", "location_address", false, func(_ int, s site) string { return s.street }, nil},
		{"h.location_city", "location_city", false, func(_ int, s site) string { return s.city }, nil},
		{"h.location_state", "location_state", false, func(_ int, s site) string { return s.state }, nil},
		{"h.location_postal_code", "location_postal_code", false, func(_ int, s site) string { return s.zip }, nil},
		{"h.location_occupancy_code", "", false, func(_ int, s site) string { return s.use }, nil},
		{"h.construction_type", "construction_type", false, func(_ int, s site) string { return s.construction }, nil},
		{"h.~built", "year_built", false, func(_ int, s site) string { return fmt.Sprint(s.built) }, nil},
		{"h.location_have_sprinklers", "location_have_sprinklers", false, sprinklered, nil},
		{"h.building_value", "building_value", true, nil, func(s site) int64 { return s.building }},
		{"h.contents_tiv", "contents_tiv", true, nil, func(s site) int64 { return s.contents }},
		{"h.stock_tiv", "stock_tiv", true, nil, func(s site) int64 { return s.stock }},
		{"h.business_interruption_value", "business_interruption_value", true, nil, func(s site) int64 { return s.bi }},
	}
	if p.chance(40) { // Y and N, J and N
		all[8].value = func(_ int, s site) string { return string(unicode.ToUpper([]rune(s.sprinklered)[0])) }
	}
	var list []column
	for i, c := range all {
		if c.field == "location_state" && p.market != "us" || i > 4 && i != 9 && p.chance(20) || i == 0 && p.chance(30) {
			continue
		}
		c.header = p.label(c.header)
		list = append(list, c)
	}
	return list
}

// locationRows returns the schedule of locations with a header, a row of totals and sometimes
// rows of notes, and records the values.
func (p *paper) locationRows() [][]any {
	list := p.columns()
	scale := int64(1)
	if p.chance(20) {
		scale = 1000
	}
	header := make([]any, 0, len(list)+1)
	for _, c := range list {
		text := c.header
		if c.money && scale == 1000 {
			text += map[string]string{"us": " ($000)", "uk": " (£000)", "de": " (TEUR)", "fr": " (k€)", "es": " (miles €)", "nl": " (x € 1.000)"}[p.market]
		}
		header = append(header, text)
	}
	withTotal := p.chance(50)
	if withTotal {
		header = append(header, map[string]string{"en": "Total", "de": "Summe", "fr": "Total", "es": "Total", "nl": "Totaal"}[p.language])
	}
	rows := [][]any{header}
	sums := make([]int64, len(header))
	for i, s := range p.sites {
		stated := map[string]grade.Texts{}
		row := make([]any, 0, len(header))
		total := int64(0)
		for at, c := range list {
			if !c.money {
				row = append(row, c.value(i, s))
				p.stateCell(stated, c.field, c.value(i, s), s)
				continue
			}
			value := c.amount(s) / scale
			sums[at] += value
			total += value
			row = append(row, value)
			if value > 0 {
				p.stateCell(stated, c.field, fmt.Sprint(value), s)
				stated[c.field] = grade.Texts{cents(value * scale)}
			}
		}
		if withTotal {
			row = append(row, total)
			sums[len(sums)-1] += total
		}
		rows = append(rows, row)
		p.truth.Locations.Rows = append(p.truth.Locations.Rows, stated)
	}
	count := len(p.sites)
	p.truth.Locations.Count = &count
	if p.chance(60) {
		rows = append(rows, p.totals(list, sums))
	}
	if p.chance(20) {
		note := map[string]string{"en": "Blanket limit", "de": "Höchstentschädigung", "fr": "Limite globale", "es": "Límite global", "nl": "Maximum per gebeurtenis"}[p.language]
		rows = append(rows, []any{}, []any{note, "", p.money(50_000_000)})
	}
	return rows
}

// stateCell records the value of a cell.
func (p *paper) stateCell(stated map[string]grade.Texts, field, shown string, s site) {
	if field == "" {
		return
	}
	p.shown = append(p.shown, shown)
	value := shown
	if field == "location_have_sprinklers" {
		value = map[bool]string{true: "Y", false: "N"}[s.sprinklered == p.phrasesOf("yes")[0]]
	}
	stated[field] = grade.Texts{value}
}

func (p *paper) totals(list []column, sums []int64) []any {
	row := make([]any, len(sums))
	for i := range row {
		row[i] = ""
		if i >= len(list) || list[i].money {
			row[i] = sums[i]
		}
	}
	at := 0
	if p.chance(50) && !list[1].money {
		at = 1
	}
	row[at] = p.phrase("total")
	return row
}

// texts formats the cells of a table for a page.
func texts(rows [][]any) [][]string {
	var list [][]string
	for _, row := range rows {
		if len(row) == 0 {
			continue
		}
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = fmt.Sprint(cell)
		}
		list = append(list, cells)
	}
	return list
}

// titleRows returns rows above a schedule: a title, the insured, a date.
func (p *paper) titleRows() [][]any {
	if p.chance(25) {
		return nil
	}
	rows := [][]any{{p.phrase("locations heading")}}
	insured := p.entry("company_name")
	if p.chance(50) {
		rows = append(rows, []any{insured.label, insured.value})
	} else {
		rows = append(rows, []any{insured.label + ": " + insured.value})
	}
	return append(rows, []any{})
}

// schedule makes a statement of values with one row per location.
func schedule(p *paper) (extension, content string) {
	return p.rowsFile(append(p.titleRows(), p.locationRows()...), p.phrase("locations heading"))
}

// transposed makes a statement of values with one column per location.
func transposed(p *paper) (extension, content string) {
	p.sites = p.sites[:min(len(p.sites), 6)]
	title := p.titleRows()
	rows := p.locationRows()
	turned := make([][]any, len(rows[0]))
	for i := range turned {
		for _, row := range rows {
			if len(row) == len(turned) {
				turned[i] = append(turned[i], row[i])
			}
		}
	}
	return p.rowsFile(append(title, turned...), "Values")
}

// rowsFile writes rows as a workbook or as CSV.
func (p *paper) rowsFile(rows [][]any, name string) (extension, content string) {
	if p.chance(30) {
		return "csv", p.separated(rows)
	}
	return "xlsx", excel(sheet{name, rows})
}

// entryRows returns entries as rows, in some documents with an empty first column.
func (p *paper) entryRows() (rows [][]any) {
	var indent []any
	if p.chance(30) {
		indent = []any{""}
	}
	group := func(heading string, entries []entry) {
		rows = append(rows, append(indent[:len(indent):len(indent)], p.phrase(heading)))
		for _, e := range entries {
			rows = append(rows, append(indent[:len(indent):len(indent)], e.label, e.value))
		}
		rows = append(rows, []any{})
	}
	group("insured heading", p.insuredEntries())
	group("policy heading", append(p.policyEntries(), p.entry("coverage")))
	group("prior heading", p.priorEntries())
	group("broker heading", p.brokerEntries())
	return rows
}

// keyValue makes a sheet with labels in one column and values in the next.
func keyValue(p *paper) (extension, content string) {
	return p.rowsFile(append([][]any{{p.phrase("form")}, {}}, p.entryRows()...), "Submission")
}

// workbook makes a workbook with sheets for the insured, the locations and the losses.
func workbook(p *paper) (extension, content string) {
	sheets := []sheet{{one(p.Rand, []string{"Account", "Insured", "General"}), p.entryRows()}, {p.phrase("locations heading"), p.locationRows()}}
	if p.chance(60) {
		sheets = append(sheets, sheet{p.phrase("losses heading"), p.claimRows()})
	}
	return "xlsx", excel(sheets...)
}

// export makes the export of a system: locations with the column names of OED, or one row with a
// column for each field of the account.
func export(p *paper) (extension, content string) {
	if p.chance(50) {
		return "csv", p.separated(p.openExposureRows())
	}
	name := func(label string) string { return label }
	switch p.IntN(3) {
	case 0: // InsuredName
		name = func(label string) string {
			var b strings.Builder
			for _, word := range strings.FieldsFunc(strings.ToLower(label), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
				letters := []rune(word)
				b.WriteString(string(unicode.ToUpper(letters[0])) + string(letters[1:]))
			}
			return b.String()
		}
	case 1: // insured_name
		name = func(label string) string { return strings.ReplaceAll(strings.ToLower(label), " ", "_") }
	}
	rows := make([][]any, 2)
	for _, e := range append(append(p.insuredEntries(), p.policyEntries()...), p.brokerEntries()...) {
		rows[0], rows[1] = append(rows[0], name(e.label)), append(rows[1], e.value)
	}
	return "csv", p.separated(rows)
}

func (p *paper) openExposureRows() [][]any {
	rows := [][]any{{"PortNumber", "AccNumber", "LocNumber", "LocName", "CountryCode", "AreaCode", "StreetAddress", "City", "PostalCode", "OccupancyCode", "YearBuilt", "BuildingTIV", "ContentsTIV", "OtherTIV", "BITIV", "LocCurrency"}}
	currency := map[string]string{"us": "USD", "uk": "GBP"}[p.market]
	if currency == "" {
		currency = "EUR"
	}
	for i, s := range p.sites {
		rows = append(rows, []any{"1", "A" + p.fein[:2], fmt.Sprint(i + 1), s.use + " " + s.city, countries[p.market]["code"], s.state, s.street, s.city, s.zip, "1101", fmt.Sprint(s.built), s.building, s.contents, "0", s.bi, currency})
		stated := map[string]grade.Texts{"location_country": {countries[p.market]["code"]}}
		for field, value := range map[string]string{"location_address": s.street, "location_city": s.city, "location_postal_code": s.zip} {
			p.stateCell(stated, field, value, s)
		}
		stated["building_value"], stated["contents_tiv"], stated["business_interruption_value"] = grade.Texts{cents(s.building)}, grade.Texts{cents(s.contents)}, grade.Texts{cents(s.bi)}
		p.truth.Locations.Rows = append(p.truth.Locations.Rows, stated)
	}
	count := len(p.sites)
	p.truth.Locations.Count = &count
	return rows
}
