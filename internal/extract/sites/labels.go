package sites

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// pair reads a label with its value inside a block.
func (b *blocks) pair(label, value string, at source.Place) {
	if inlineSum.MatchString(label) && hasCurrency.MatchString(label) && b.inline(label+"; "+value, at) {
		return // a list of sums: "Buildings EUR 4,150,000 | Contents EUR 620,000"
	}
	if parts := splitPair(label, value); parts != nil {
		for _, p := range parts {
			b.pair(p.Label, p.Value, at)
		}
		return
	}
	if head, rest, ok := pairs.CutAt(pairs.Dashed, label); ok && rest != "" && len(head) <= maxHead {
		if keys := location.References(head); len(keys) == 1 {
			// "Premises 1 - walls"
			if key := strings.ToUpper(keys[0]); b.current == nil || !strings.EqualFold(b.current.Cells["location_id"].Text, key) {
				b.open(key, "", at)
			}
			label = rest
		}
	}
	m, ok := b.header(label)
	if (ok && m.Field == "location_address" || siteLabel.MatchString(label)) && sameAddress.MatchString(value) {
		if home := b.Ranked("address"); len(home) > 0 {
			value = home[0].Text
		}
	}
	if ok && m.Field == "location_address" && (b.listed || passages.NameSites(label)) && b.address(withoutCounty(label, value), at) {
		if b.listed {
			b.isCard, b.passing = false, false // the address is in a list of locations, so it counts
		}
		return
	}
	if siteLabel.MatchString(label) && (ok && b.address(value, at) || b.addressed(value, at)) {
		return
	}
	if !ok {
		if id, rest, heads := passages.Heading(label); heads && len(rest) < 30 {
			b.open(id, value, at)
		}
		return
	}
	if parse.IsAnswer(value) && b.isCard && m.From == source.Fuzzy && !answered[m.Field] {
		return // a question that has the word of a header: "Any work above three stories?"
	}
	if m.Field == "location_id" && len(value) < 12 && recognise.HeaderForms()[words.Key(label)].Field == "location_id" && strings.Contains(words.Key(label), " ") {
		if b.current == nil || b.current.Cells["location_id"].Text != value {
			b.open(value, "", at)
		}
		return
	}
	switch {
	case m.Field == "~category":
		b.kind = location.CategoryOf(value)
		return
	case m.Field == "~name" && m.From != source.Header:
		return
	case m.Field == "100_pct_limit" && b.isCard && column.IsTotal(label) && !strings.Contains(words.Key(label), " ") && !b.totals(value):
		return // a total of something else, such as machines or receipts
	case b.kind != "" && limitHeader.MatchString(label):
		b.set(b.kind, value, source.Synonym, at)
		b.kind = ""
		return
	}
	if m.Field == "location_address" {
		value = withoutCounty(label, value)
	}
	b.startCard(m.Field, value, at)
	b.set(m.Field, value, min(m.From, source.Synonym), at)
}

// sameAddress matches a value that refers to the insured's address: "Risk address: same as above".
var sameAddress = vocabulary.Pattern(`(?i)^\W*{{sites.same address}}\b[^\d]*$`)

// totals reports whether an amount is the sum of the values of the open location.
func (b *blocks) totals(value string) bool {
	a, _, ok := parse.Money(value)
	sum := parse.Amount(0)
	for _, f := range []string{"building_value", "contents_tiv", "stock_tiv", "~equipment", "business_interruption_value", "~rents"} {
		sum += b.current.Cells[f].Value
	}
	return ok && sum > 0 && location.Near(a, sum)
}

func (b *blocks) set(name, text string, from source.Kind, at source.Place) {
	if b.current == nil || name == "" || b.isCard && !ofLocation(name) {
		return
	}
	cell, ok := location.ReadCell(location.Column{Field: name, From: from, Scale: 1}, content.Cell{Text: text}, at)
	if cell.Value > 0 && cell.Value < minSum {
		return // probably a number of buildings, not an amount
	}
	if _, taken := b.current.Cells[name]; ok && !taken {
		cell.At = at
		b.current.Cells[name] = cell
	}
}

// header returns the field that a label names. It caches the field, because labels repeat.
func (b *blocks) header(label string) (recognise.Match, bool) {
	h, cached := b.headers[label]
	if !cached {
		h.Match, h.known = recognise.AnyHeader(strings.TrimRight(words.Numbering.ReplaceAllString(label, ""), ": ?"))
		if !h.known && len(label) <= passages.MaxLabel && !passages.IsHeading(label) {
			h.Match, h.known = recognise.HeaderByWords(label)
		}
		if l, ok := recognise.Label(label); ok && h.From == source.Fuzzy && l.Doubt == 0 && (l.From == source.Label || l.Field == "year_founded") && !ofLocation(l.Field) {
			h = labelled{} // "Anno inizio attività" is not the year of a building
		}
		if h.Field == "~name" && recognise.LabelForms()[words.Key(label)].Field == "company_name" {
			h = labelled{} // the name of the insured, not of a place
		}
		b.headers[label] = h
	}
	return h.Match, h.known
}

// labelled is the field that a label names; known is false if it names none.
type labelled struct {
	recognise.Match
	known bool
}

// ofLocation reports whether a field describes a location.
func ofLocation(field string) bool {
	return cardStarts[field] || location.PlaceColumns[field] || location.ValueColumns[field] || location.BuildingColumns[field]
}

const (
	minSum  = 500_00
	maxHead = 40 // bytes of the number of a location before a label
)
