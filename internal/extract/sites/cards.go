package sites

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// A card is a location that nothing announces: labels with values of which one states a place,
// such as a sheet for each building. The next card begins with a label of a name or a place
// that the open one has already. Cards count if the document announces no location.

// opening are the fields with which a card can begin.
var opening = words.Set("~name", "location_id", "~building", "location_address", "location_city", "~city_line", "location_postal_code", "latitude")

// card begins a card if the field can be its first one.
func (b *blocks) card(field, value string, at source.Place) {
	if !opening[field] || strings.TrimSpace(value) == "" || b.current != nil && !b.isCard {
		return
	}
	if b.current != nil {
		held, taken := b.current.Cells[field]
		if !taken || words.BareKey(held.Text) == words.BareKey(value) {
			return
		}
	}
	b.close()
	b.current, b.isCard = &location.Row{Cells: map[string]location.Cell{}, At: at}, true
}

const minDetails = 2 // of the building, in a card without values

// counts reports whether the open location is one: if nothing announces it, it needs a place with
// sums of property or details of a building.
func (b *blocks) counts() bool {
	r := *b.current
	switch {
	case !r.Place() || len(r.Cells) < 2:
		return false
	case b.isCard:
		street := r.Cells["location_address"].Text
		return (r.Damage() || r.Details() >= minDetails) && (street == "" || address.IsStreet(street) || parse.WrittenAddress(address.Parse(street)))
	}
	return !b.passing || r.Values() || r.Housed()
}

// halves splits a label that consists of several known ones, and its value: "Building /
// Contents: 500,000 / 80,000".
func halves(label, value string) (list []pairs.Pair) {
	labels, values := strings.Split(label, "/"), strings.Split(value, "/")
	if len(labels) < 2 || len(labels) != len(values) || len(labels) > maxHalves {
		return nil
	}
	for i, l := range labels {
		if _, ok := recognise.HeaderForms()[words.Key(l)]; !ok {
			return nil
		}
		list = append(list, pairs.Pair{Label: strings.TrimSpace(l), Value: strings.TrimSpace(values[i])})
	}
	return list
}

const maxHalves = 4

// withoutCounty removes the county from an address whose label lists its parts: "Street, City,
// County, State, ZIP".
func withoutCounty(label, value string) string {
	parts, values := strings.Split(label, ","), strings.Split(value, ",")
	for i, p := range parts {
		if recognise.HeaderForms()[words.Key(p)].Field == "~county" && i > 1 && len(values) > i+1 && len(values) <= len(parts) {
			return strings.Join(append(values[:i:i], values[i+1:]...), ",")
		}
	}
	return value
}

// stackedLines reads a line of labels of a location, separated by wide gaps, with the line of
// their values below. It returns the number of lines below that it has read.
func (b *blocks) stackedLines(i int) int {
	if text := b.Lines[i].Text; strings.Contains(text, ":") || !strings.Contains(text, "  ") && !strings.Contains(text, "\t") {
		return 0
	}
	labels := pairs.ColumnsOf(b.Lines[i].Text)
	if len(labels) < 2 || len(labels) > maxStacked {
		return 0
	}
	known := 0
	for _, l := range labels {
		if len(l) > passages.MaxLabel || parse.DigitsForm.MatchString(l) && strings.Contains(parse.Digits, l[:1]) {
			return 0
		}
		_, ok := recognise.AnyHeader(strings.TrimRight(l, "? "))
		if !ok && b.current != nil {
			_, ok = b.header(l)
		}
		if ok {
			known++
		}
	}
	if known < 2 {
		return 0
	}
	n := 1
	for i+n < len(b.Lines) && n < 3 && b.Lines[i+n].Table == nil && b.Lines[i+n].Label == "" && strings.TrimSpace(b.Lines[i+n].Text) == "" {
		n++
	}
	if i+n >= len(b.Lines) || b.Lines[i+n].At.Part != b.Lines[i].At.Part {
		return 0
	}
	values := pairs.ColumnsOf(b.Lines[i+n].Text)
	if len(values) != len(labels) {
		return 0
	}
	if slices.ContainsFunc(values, isHeader) {
		return 0
	}
	for j, v := range values {
		b.pair(labels[j], v, b.Lines[i+n].At)
	}
	return n
}

const maxStacked = 8 // labels side by side
