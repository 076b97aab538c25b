package sites

import (
	"strings"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/source"
)

const maxListed = 900 // bytes of a text that lists locations

// addressed reads the text after a label of locations that states several, one after the
// other: each address with what follows it, up to the next one.
func (b *blocks) addressed(text string, at source.Place) bool {
	text = layout.SingleSpaced(text)
	if len(text) > maxListed || parse.EmailForm.MatchString(text) {
		return false
	}
	if b.several(text, at) {
		return true
	}
	found, before := parse.AddressesIn(text)
	if len(found) < 2 {
		return false // see address
	}
	var rows []location.Row
	for i, street := range found {
		end := len(text)
		if i+1 < len(found) {
			end = len(before[i+1])
		}
		from := len(before[i]) + strings.Index(text[len(before[i]):], street) + len(street)
		if from > end {
			return false
		}
		row := location.Row{Cells: map[string]location.Cell{}, At: at}
		row.Add("location_address", street, source.Prose, at)
		passages.DescribeSite(row, text[from:end], at)
		rows = append(rows, row)
	}
	b.close()
	b.rows = append(b.rows, rows...)
	return true
}

// several adds a location for each address of a text that consists of several addresses. It reports
// whether the text is of this form.
func (b *blocks) several(text string, at source.Place) bool {
	places := passages.Addresses(text)
	if len(places) < 2 {
		return false
	}
	b.close()
	for _, p := range places {
		b.rows = append(b.rows, passages.AddressRow(p, at))
	}
	return true
}
