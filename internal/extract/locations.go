package extract

import (
	"context"
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/forms"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/sites"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
)

// readTables reads the statements of values among the tables of the newest mail, or of the
// older ones.
func (d *extractor) readTables(quoted bool) {
	known := len(d.tables.Segments)
	d.tables.Read(quoted)
	for _, s := range d.tables.Segments[known:] {
		d.sovColumns(s)
	}
}

// sovColumns reads the columns of a statement of values that state the policy, such as
// its dates, if all rows agree.
func (d *extractor) sovColumns(s *sov.Segment) {
	if len(s.Rows) == 0 {
		return
	}
	head := -1
	for i, row := range s.Table.Rows {
		if len(row) > s.Columns[0].Index && strings.TrimSpace(row[s.Columns[0].Index].Text) == s.Columns[0].Header {
			head = i
			break
		}
	}
	if head < 0 {
		return
	}
	known := map[int]recognise.Match{}
	for j, c := range s.Table.Rows[head] {
		m, ok := recognise.LabelForms()[words.Key(c.Text)]
		if !ok {
			m, ok = recognise.Label(c.Text) // such as "Policy effective", composed of known words
			ok = ok && m.Doubt <= maxColumnDoubt && (m.Field == "policy_inception_date" || m.Field == "end_date" || m.Field == "company_name")
		} else if m.From != source.Label {
			ok = m.Field == "company_name" && len(s.Rows) > 1 // such as "Client", with the same name in all rows
		}
		if ok && policyColumns[m.Field] {
			known[j] = m
		}
	}
	for _, m := range known {
		if m.Field == "company_name" && len(s.Rows) > 1 {
			addAccountColumns(s, head, known)
			break
		}
	}
	forms.Columns(d.Set, s.Table, head, known, s.At)
}

// policyColumns are the fields of a policy that a statement of values can repeat in each row.
var policyColumns = words.Set("policy_inception_date", "end_date", "broker_name", "underwriter", "company_name", "product")

// addAccountColumns adds the columns of the insured, such as its address beside those of the locations, to those of a
// statement of values that was exported with its account.
func addAccountColumns(s *sov.Segment, head int, known map[int]recognise.Match) {
	for j, c := range s.Table.Rows[head] {
		if slices.ContainsFunc(s.Columns, func(c location.Column) bool { return c.Index == j && !strings.HasPrefix(c.Field, "~") }) {
			continue
		}
		if _, ok := known[j]; !ok {
			if m, ok := recognise.Label(c.Text); ok && m.Doubt <= maxColumnDoubt {
				known[j] = m
			}
		}
	}
}

// maxColumnDoubt is the greatest doubt about the header of such a column.
const maxColumnDoubt = 0.15

var headOffice = vocabulary.Pattern(`(?i)\b{{sites.head office}}\b`)

// proposeHome proposes the address of the head office as the insured's.
func (d *extractor) proposeHome(values []field.Value, row location.Row) {
	var parts []string
	for _, v := range values {
		switch v.Field {
		case "location_address", "location_city", "location_state", "location_postal_code":
			parts = append(parts, v.Text)
		}
	}
	if len(parts) > 1 {
		d.Propose("address", strings.Join(parts, ", "), source.Subject, 1, row.At)
	}
}

// readLocations returns the rows of all statements of values.
func (d *extractor) readLocations(ctx context.Context) [][]field.Value {
	rows := d.tables.Joined()
	if forms := sites.Forms(d.Set); len(rows) == 0 {
		rows = forms
	} else {
		location.Fill(rows, forms)
	}
	blocks, details := sites.Blocks(d.Set, d.tables.Taken, false)
	older := len(rows) == 0 && len(blocks) == 0 && len(valued(d.tables.Unplaced())) == 0
	if older {
		// The newest mail has no schedule, so an older one still applies.
		d.readTables(true)
		rows = d.tables.Joined()
		blocks, details = sites.Blocks(d.Set, d.tables.Taken, true)
	}
	texts := passages.Read(d.Document, false)
	found := passages.Places(texts)
	if older && len(found) == 0 {
		found = passages.Places(passages.Read(d.Document, true))
	}
	rows = d.joined(rows, blocks, found)
	location.Fill(rows, details)
	rows = passages.Only(d.Set, d.tables.Taken, rows, texts)
	passages.Refer(rows, texts)
	passages.Correct(d.Document, rows)
	d.addStreet(rows)
	locations := [][]field.Value{}
	counts, keys := map[string]int{}, make([]string, len(rows))
	for i, row := range rows {
		keys[i] = row.LocationKey()
		counts[keys[i]]++
	}
	home := d.homeCountry()
	for i, row := range rows {
		if row.Place() {
			row.Add("~home", home, source.Guess, row.At)
		}
		row.Shared = counts[keys[i]] > 1
		if len(locations) == location.MaxLocations || i%500 == 0 && ctx.Err() != nil {
			break
		}
		if values := location.Finish(row, d.rate); len(values) > 0 {
			locations = append(locations, values)
			if headOffice.MatchString(row.Cells["~name"].Text) {
				d.proposeHome(values, row)
			}
		}
	}
	fillCountries(locations)
	return locations
}

// addStreet adds the street of the insured's address to the only location, if the location states the same town and
// postal code without a street.
func (d *extractor) addStreet(rows []location.Row) {
	if len(rows) != 1 || rows[0].Cells["location_address"].Text != "" || rows[0].Cells["~address2"].Text != "" {
		return
	}
	town, code := rows[0].Cells["location_city"].Text, rows[0].Cells["location_postal_code"].Text
	ranked := d.Ranked("address")
	if town == "" || code == "" || len(ranked) == 0 {
		return
	}
	if home := address.Parse(ranked[0].Text); home.Street != "" && words.BareKey(home.City) == words.BareKey(town) && words.BareKey(home.PostalCode) == words.BareKey(code) {
		rows[0].Add("location_address", home.Street, source.Prose, rows[0].At)
	}
}

// fillCountries adds the country to locations that state none, if all others are in one country.
func fillCountries(locations [][]field.Value) {
	var known field.Value
	isCountry := func(v field.Value) bool { return v.Field == "location_country" }
	for _, row := range locations {
		if i := slices.IndexFunc(row, isCountry); i >= 0 {
			if known.Text != "" && known.Text != row[i].Text {
				return
			}
			known = row[i]
		}
	}
	if known.Text == "" {
		return
	}
	for n, row := range locations {
		last := -1
		for i, v := range row {
			if v.Field == "location_city" || v.Field == "location_state" || v.Field == "location_postal_code" {
				last = i
			}
		}
		if last >= 0 && !slices.ContainsFunc(row, isCountry) {
			locations[n] = slices.Insert(row, last+1, known)
		}
	}
}

// homeCountry returns the country of the insured's address, or the one that the text or the insured's legal form shows,
// for locations that state none.
func (d *extractor) homeCountry() string {
	if ranked := d.Ranked("address"); len(ranked) > 0 {
		if iso := address.Parse(ranked[0].Text).CountryISO; iso != "" {
			return iso
		}
	}
	country, _ := d.impliedCountry()
	if ranked := d.Ranked("company_name"); country == "" && len(ranked) > 0 {
		return formCountry(ranked[0].Text)
	}
	return country
}

// joined adds the values in blocks of labels and in the text to the rows of tables. If no table
// states where its locations are, it returns the locations of the blocks and the text.
func (d *extractor) joined(rows, blocks, text []location.Row) []location.Row {
	unplaced := d.tables.Unplaced()
	if len(rows) > 0 {
		for _, others := range [][]location.Row{unplaced, blocks, text} {
			location.Fill(rows, others)
		}
		return rows
	}
	found := location.Union(blocks, text)
	matched := location.Fill(found, unplaced)
	if alone := valued(unplaced); len(alone) > 0 && matched*2 <= len(unplaced) {
		location.Fill(alone, found)
		return alone
	}
	return found
}

// valued returns the rows that count as locations although they state no place, because they have
// a building value, or a name and a total.
func valued(rows []location.Row) []location.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r location.Row) bool {
		return r.Cells["building_value"].Value == 0 && (r.Cells["100_pct_limit"].Value == 0 || r.Cells["~name"].Text == "")
	})
}

// rate returns the score of a cell as the value of a field of a location. fit says how well
// the text fits the field.
func (d *extractor) rate(name, text string, fit float64, c location.Cell) float64 {
	r := resolve.Reading{Text: text, Features: d.Features(max(c.From, source.Guess), c.Doubt, 1-fit, c.At), Evidence: c.At.Evidence.String()}
	if c.Derived {
		r.Features[resolve.Derived] = 1
	}
	if c.Agrees {
		r.Features[resolve.Agrees] = 1
	}
	return d.RateRow(name, r)
}
