package sites

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// addressBelow joins the lines under a location's label up to the one that ends
// its address, and counts them.
func (b *blocks) addressBelow(i int) (string, int) {
	if !siteLabel.MatchString(b.Lines[i].Text) && !passages.NameSites(strings.TrimRight(b.Lines[i].Text, ": ")) {
		return "", 0
	}
	return b.addressAfter(i)
}

// headed starts a location at a line that is only its number, such as "Location 1", with the address
// in the lines below. It returns the number of lines that the address takes.
func (b *blocks) headed(i int) int {
	l := b.Lines[i]
	if len(l.Text) > 2*maxHead || !parse.HasDigit(l.Text) {
		return 0
	}
	id, rest, ok := passages.Heading(strings.TrimSpace(l.Text))
	if rest = strings.Trim(rest, " :-–—()"); !ok || rest != "" && !passages.IsName(rest) {
		return 0
	}
	whole, n := b.addressAfter(i)
	if n == 0 {
		return 0
	}
	b.open(id, rest, l.At)
	if !b.address(whole, b.Lines[i+n].At) {
		return 0
	}
	return n
}

// addressAfter returns the address in the lines after line i, and the number of lines that it takes.
func (b *blocks) addressAfter(i int) (string, int) {
	var kept []string
	for n := i + 1; n <= i+2*maxAddressLines && n < len(b.Lines) && len(kept) < maxAddressLines; n++ {
		text := strings.TrimSpace(b.Lines[n].Text)
		switch {
		case b.Lines[n].Table != nil || b.Lines[n].Label != "" || len(text) > 80:
			return "", 0
		case text == "":
			continue
		case passages.IsHeading(text):
			return "", 0 // the first of several locations
		}
		columns := pairs.ColumnsOf(text)
		if len(columns) > 2 {
			return "", 0 // further labels
		}
		if len(columns) == 2 {
			if m, known := b.header(columns[0]); known && (location.PlaceColumns[m.Field] || m.Field == "~name") {
				if m.Field == "~name" {
					continue
				}
				text = columns[1] // the label stands before its part of the address
			} else if known {
				return "", 0
			}
		}
		if label, value, ok := strings.Cut(text, ":"); ok && len(kept) == 0 {
			if m, known := b.header(label); !known || m.Field != "location_address" {
				return "", 0
			}
			text = strings.TrimSpace(value)
		}
		kept = append(kept, text)
		if whole := strings.Join(kept, ", "); parse.WrittenAddress(address.Parse(whole)) {
			return whole, n - i
		}
	}
	return "", 0
}

const maxAddressLines = 3

// wrapped joins a location's heading with the next line if the address continues
// there.
func (b *blocks) wrapped(i int) (string, bool) {
	if i+1 >= len(b.Lines) {
		return "", false
	}
	m, next := location.SiteHead.FindStringSubmatch(b.Lines[i].Text), b.Lines[i+1].Text
	if m == nil || len(m[2]) < 20 || next == "" || len(next) > 120 || passages.ListItem.MatchString(next) || len(pairs.ColonPairs(next)) > 0 || address.Parse(m[2]).PostalCode != "" {
		return "", false
	}
	street := m[2]
	if _, after, ok := strings.Cut(street, ": "); ok {
		street = after
	}
	return b.Lines[i].Text + " " + next, parse.WrittenAddress(address.Parse(street + " " + next))
}

// buildingHead matches the number of a building after the number of its location.
var buildingHead = vocabulary.Pattern(`(?i)^{{sites.building}}\.?\s*(?:#|no\.?|number)?\s*:?\s*(\d{1,4})\b`)

// open starts a location.
func (b *blocks) open(id, rest string, at source.Place) {
	b.close()
	b.current = &location.Row{Cells: map[string]location.Cell{"location_id": {Text: id, From: source.Synonym, At: at}}, At: at}
	rest = strings.Trim(rest, " -–—:()[]")
	if m := buildingHead.FindStringSubmatch(rest); m != nil {
		b.set("~building", m[1], source.Synonym, at)
		rest = strings.Trim(rest[len(m[0]):], " -–—:()")
	}
	if found := pairs.ColonPairs(rest); len(found) > 0 && isHeader(found[0].Label) {
		for _, p := range found {
			b.pair(p.Label, p.Value, at)
		}
		return
	}
	if rest == "" {
		return
	}
	if m := described.FindStringSubmatchIndex(rest); m != nil && parse.WrittenAddress(address.Parse(address.Arrange(rest[:m[0]]))) {
		b.describe(rest[m[2]:m[3]], at) // "12 Elm Row, Salem, OR 97301 (warehouse, brick, 1985)"
		rest = rest[:m[0]]
	}
	bare := withoutAside(rest)
	rest = address.Arrange(bare)
	if pieces := pairs.Dashed.Split(rest, -1); len(pieces) > 1 && parse.WrittenAddress(address.Parse(pieces[0])) {
		// "5 Dock Road, Portland, ME 04101 - Building $1.2m / Contents $400k - sprinklered"
		b.set("location_address", pieces[0], source.Synonym, at)
		for _, p := range pieces[1:] {
			b.describe(p, at)
			b.passing = true // a single sum counts
			b.inline(p, at)
			b.passing = false
		}
		return
	}
	name, street, ok := strings.Cut(rest, ": ")
	if !ok {
		name, street, ok = pairs.CutAt(pairs.Dashed, rest)
	}
	if ok && parse.WrittenAddress(address.Parse(street)) {
		b.set("~name", name, source.Synonym, at)
		rest = street
	}
	if a := address.Parse(rest); rest != bare || parse.WrittenAddress(a) && a.PostalCode != "" && a.Street != "" && len(rest) < 160 && !strings.Contains(rest, ";") && !parse.Sentence.MatchString(rest) && (a.State != "" || a.Country != "") || address.IsStreet(rest) && len(rest) < 60 && parse.HasDigit(rest[:1]) {
		b.set("location_address", rest, source.Synonym, at)
	} else if b.current.Cells["~name"].Text == "" {
		b.set("~name", rest, source.Synonym, at)
	}
}

// withoutAside removes a text in brackets from the end of an address, such as the province.
func withoutAside(text string) string {
	if m := aside.FindStringIndex(text); m != nil && m[0] > 0 {
		return text[:m[0]]
	}
	return text
}

// described matches a description in brackets after an address.
var described = lazyregexp.New(`\s*\(([^()]{2,120})\)\s*$`)

var aside = lazyregexp.New(`\s*\([\pL ]{2,30}\)?\s*$`)

// siteLabel is a label before the address of an insured location.
var siteLabel = vocabulary.Pattern(`(?i)^\W*{{sites.label}}(?:(?: {{sites.label end}})*|(?: {{sites.label end}})+ \(\d{1,2}\))\W*$`)

// address starts a location with its address, if the value is a complete one.
func (b *blocks) address(value string, at source.Place) bool {
	if b.several(value, at) {
		return true
	}
	if found, before := parse.AddressesIn(value); len(found) == 1 && strings.TrimSpace(before[0]) == "" && strings.HasPrefix(value[strings.Index(value, found[0])+len(found[0]):], ". ") {
		value = found[0] // sentences about the building follow
	}
	value = address.Arrange(withoutAside(value))
	a := address.Parse(value)
	if a.Street == "" || a.PostalCode != "" && !parse.WrittenAddress(a) || a.PostalCode == "" && a.State == "" || len(value) > 160 || !parse.HasDigit(value) {
		return false
	}
	if b.current != nil && b.current.Cells["location_address"].Text == "" {
		b.set("location_address", value, source.Label, at)
		return true
	}
	if b.current != nil && words.BareKey(b.current.Cells["location_address"].Text) == words.BareKey(value) {
		return true
	}
	b.close()
	b.current = &location.Row{Cells: map[string]location.Cell{}, At: at}
	b.set("location_address", value, source.Label, at)
	b.passing = true
	return true
}

// named starts a location for a line with a name and an address, or with an address and its sums,
// which are separated by wide gaps.
func (b *blocks) named(line string, at source.Place) bool {
	cells := pairs.ColumnsOf(line)
	if len(cells) < 2 || len(cells) > maxStacked || strings.Contains(line, ":") {
		return false
	}
	whole := func(text string) bool {
		a := address.Parse(address.Arrange(text))
		return parse.WrittenAddress(a) && a.Street != "" && a.PostalCode != "" && a.City != ""
	}
	switch {
	case b.listed && len(cells) == 2 && whole(cells[1]) && !parse.HasDigit(cells[0]) && len(cells[0]) <= passages.MaxLabel:
		b.close()
		b.current = &location.Row{Cells: map[string]location.Cell{}, At: at}
		b.set("~name", cells[0], source.Synonym, at)
		b.set("location_address", address.Arrange(cells[1]), source.Synonym, at)
		b.passing = true
		return true
	case len(cells) > 2 && whole(cells[0]):
		found := sumsOf(cells[1:], at)
		if len(found) < 2 {
			return false
		}
		b.close()
		b.rows = append(b.rows, location.Row{Cells: found, At: at})
		b.rows[len(b.rows)-1].Add("location_address", cells[0], source.Synonym, at)
		return true
	}
	return false
}

// passed starts a location for an entry of a list that begins or ends with an address; the
// location counts if values follow.
func (b *blocks) passed(entry, line string, at source.Place) bool {
	head, rest, ok := pairs.CutAt(pairs.Dashed, entry)
	if !ok {
		head, rest = "", entry
	}
	a, said := address.Parse(rest), ""
	if first := address.Parse(head); parse.WrittenAddress(first) && first.Street != "" && !strings.Contains(head, ":") && !parse.WrittenAddress(a) {
		a, head, rest, said = first, "", head, rest // "1 Mill Lane, Derby DE1 1AA - offices, brick"
	}
	if label, _, labelled := strings.Cut(entry, ":"); labelled {
		if _, known := recognise.Label(label); known || isHeader(label) {
			return false
		}
	}
	if !parse.WrittenAddress(a) || a.Street == "" || len(entry) > 160 || parse.Sentence.MatchString(entry) || parse.EmailForm.MatchString(entry) {
		return false
	}
	id := strings.Trim(strings.TrimSuffix(strings.TrimSpace(line), entry), " ().-*•·▪")
	b.close()
	b.current = &location.Row{Cells: map[string]location.Cell{}, At: at}
	b.set("location_id", id, source.Synonym, at)
	b.set("~name", head, source.Synonym, at)
	b.set("location_address", rest, source.Synonym, at)
	b.passing = true
	b.describe(said, at)
	return true
}
