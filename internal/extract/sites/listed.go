package sites

import (
	"strings"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/lazyregexp"
)

var (
	builtForm   = lazyregexp.New(`(?i)\b(?:built|constructed|erected)(?: in)? (?:c\.? ?|circa )?((?:1[6-9]|20)\d\d)\b`)
	storiesForm = lazyregexp.New(`(?i)\b(\d{1,2})[ -](?:storeys?|stor(?:y|ies)|floors)\b`)
)

const maxListed = 900 // bytes of a text that lists locations

// addressed reads a text that states locations one after the other: each address with what
// follows it, up to the next one. Each must have values, unless a label says that the addresses
// are those of locations.
func (b *blocks) addressed(text string, labelled bool, at source.Place) bool {
	text = layout.SingleSpaced(text)
	if len(text) > maxListed || parse.EmailForm.MatchString(text) {
		return false
	}
	found, before := parse.AddressesIn(text)
	if len(found) == 0 || len(found) == 1 && labelled {
		return false // a label with one address: see address
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
		row := b.listedRow(street, text[from:end], at)
		if !row.Values() && !labelled {
			return false
		}
		rows = append(rows, row)
	}
	b.close()
	b.rows = append(b.rows, rows...)
	return true
}

// listedRow returns the location with the address and what the text says about it.
func (b *blocks) listedRow(street, text string, at source.Place) location.Row {
	row := location.Row{Cells: map[string]location.Cell{}, At: at}
	for _, part := range valueParts.Split(strings.ReplaceAll(text, ". ", "; "), -1) {
		m := inlineSum.FindStringSubmatch(strings.Trim(part, " ."))
		if m == nil {
			continue
		}
		target := location.CategoryOf(m[1])
		sum, _, ok := parse.Money(m[2])
		if _, taken := row.Cells[target]; target == "" || taken || !ok || sum < 1_000_00 {
			continue
		}
		row.Cells[target] = location.Cell{From: source.Prose, At: at, Value: sum}
	}
	held := b.current
	b.current = &row
	b.set("location_address", street, source.Prose, at)
	for field, form := range map[string]*lazyregexp.Regexp{"~built": builtForm, "~stories": storiesForm} {
		if m := form.FindStringSubmatch(text); m != nil {
			b.set(field, m[1], source.Prose, at)
		}
	}
	b.describe(text, at)
	b.current = held
	return row
}
