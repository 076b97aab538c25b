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

// A card is a group of labels and values that describes a location without a heading, such as a
// sheet for each building. The next card begins with a label for a name or a place that the open
// card already has. Cards count only if no heading in the document announces a location.

// cardStarts are the fields with which a card can begin.
var cardStarts = words.Set("~name", "location_id", "~building", "location_address", "location_city", "~city_line", "location_postal_code", "latitude")

// startCard starts a card if the field is the first one of a card.
func (b *blocks) startCard(field, value string, at source.Place) {
	if !cardStarts[field] || strings.TrimSpace(value) == "" || b.current != nil && !b.isCard {
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

// answerFields are the fields of a location that are answers to questions.
var (
	answerFields = []string{"location_have_sprinklers", "location_have_smoke_detectors", "location_have_intrusion_detectors", "~fire_alarm"}
	answered     = words.Set(answerFields...)
)

const minDetails = 2 // details of the building in a card without values

// isLocation reports whether the open block is a location. It must state a place. A card must also
// have insured values of property or details of the building.
func (b *blocks) isLocation() bool {
	r := *b.current
	switch {
	case !r.Place() || len(r.Cells) < 2:
		return false
	case b.isCard:
		street := r.Cells["location_address"].Text
		return (r.HasPropertyValue() || r.BuildingDetails() >= minDetails) && (street == "" || address.IsStreet(street) || parse.WrittenAddress(address.Parse(street)) || parse.HasDigit(street) && hasTown(r))
	}
	return !b.passing || r.Values() || r.BuildingDetails() > 1 || r.DescribesBuilding() && !b.saysBusiness(r)
}

// saysBusiness reports whether a location's occupancy only repeats the insured's business, so it says nothing about the building.
func (b *blocks) saysBusiness(r location.Row) bool {
	business := b.Best("company_description")
	return business != "" && words.BareKey(r.Cells["location_occupancy_code"].Text) == words.BareKey(business)
}

// hasTown reports whether a location states its postal code and its town, so that its street need not have a word
// such as "street".
func hasTown(r location.Row) bool {
	return parse.WrittenAddress(address.Parse("1 Main Street, " + r.Cells["location_postal_code"].Text + " " + r.Cells["location_city"].Text))
}

// splitPair splits a label that consists of several known labels, with its value: "Building /
// Contents: 500,000 / 80,000". It returns nil for other labels.
func splitPair(label, value string) (list []pairs.Pair) {
	labels, values := strings.Split(label, "/"), strings.Split(value, "/")
	if len(labels) < 2 || len(labels) != len(values) || len(labels) > maxSplit {
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

const maxSplit = 4 // labels in one

// gapPairs reads a line of labels, each with its value behind a wide gap: "Construction   Brick
// Year built   1920". Some of them can have a colon: "Contents   40,000   Construction: Brick". It
// returns nil for other lines.
func (b *blocks) gapPairs(line string) (list []pairs.Pair) {
	cells := slices.DeleteFunc(slices.Clone(pairs.ColumnsOf(line)), func(c string) bool { return c == ":" })
	if len(cells) < 2 || len(cells) > 2*maxStacked {
		return nil
	}
	for i := 0; i < len(cells); i += 2 {
		if label, value, ok := strings.Cut(cells[i], ":"); ok && len(cells)%2 != 0 && len(list) > 0 && isHeader(label) && strings.TrimSpace(value) != "" {
			list = append(list, pairs.Pair{Label: label, Value: strings.TrimSpace(value)})
			i-- // the next label follows at once
			continue
		}
		if i+1 == len(cells) {
			return nil
		}
		label, value := cells[i], cells[i+1]
		if strings.Contains(label, ":") || len(label) > passages.MaxLabel || isHeader(value) {
			return nil
		}
		m, known := recognise.AnyHeader(strings.TrimRight(label, "? "))
		if b.current != nil {
			m, known = b.header(label)
		}
		if known && (ofLocation(m.Field) || len(cells) > 2) || splitPair(label, value) != nil {
			list = append(list, pairs.Pair{Label: label, Value: value})
		} else if len(cells) == 2 || parse.HasDigit(label) {
			return nil
		}
	}
	return list
}

// withoutCounty removes the county from an address if the label lists the parts of the address:
// "Street, City, County, State, ZIP".
func withoutCounty(label, value string) string {
	parts, values := strings.Split(label, ","), strings.Split(value, ",")
	for i, p := range parts {
		if recognise.HeaderForms()[words.Key(p)].Field == "~county" && i > 1 && len(values) > i+1 && len(values) <= len(parts) {
			return strings.Join(append(values[:i:i], values[i+1:]...), ",")
		}
	}
	return value
}

// stackedLines reads a line of labels of a location, which are separated by wide gaps, and the line
// of values below it. It returns the number of lines that it has read below the labels.
func (b *blocks) stackedLines(i int) int {
	if text := b.Lines[i].Text; strings.Contains(text, ":") || !strings.Contains(text, "  ") && !strings.Contains(text, "\t") {
		return 0
	}
	labels := pairs.ColumnsOf(b.Lines[i].Text)
	if len(labels) < 2 || len(labels) > maxStacked {
		return 0
	}
	for _, l := range labels {
		if _, bare := parse.CutSign(l); len(l) > passages.MaxLabel || parse.HasDigit(l) && bare != "" && strings.Contains(parse.Digits, bare[:1]) {
			return 0
		}
	}
	n := 1
	for i+n < len(b.Lines) && n < 3 && b.Lines[i+n].Table == nil && b.Lines[i+n].Label == "" && strings.TrimSpace(b.Lines[i+n].Text) == "" {
		n++
	}
	if i+n >= len(b.Lines) || b.Lines[i+n].At.Part != b.Lines[i].At.Part {
		return 0
	}
	values := pairs.Cells(b.Lines[i+n].Text)
	if len(values) > len(labels) || len(values) < len(labels) && (len(values) < 2 || b.Lines[i].At.Evidence.Page == 0) {
		return 0 // only the readers of pages mark the empty columns before a value
	}
	known := 0
	for _, l := range labels {
		_, ok := recognise.AnyHeader(strings.TrimRight(l, "? "))
		if !ok && b.current != nil {
			_, ok = b.header(l)
		}
		if ok {
			known++
		}
	}
	if known < 2 || slices.ContainsFunc(values, isHeader) {
		return 0
	}
	for j, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			b.pair(labels[j], v, b.Lines[i+n].At)
		}
	}
	return n
}

const maxStacked = 8 // labels side by side
