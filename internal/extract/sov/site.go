package sov

import (
	"maps"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
)

// A line above a table of buildings, or between its rows, can state where the buildings are:
// "Physical address: 12 Elm Row, Salem, OR 97301". The rows below it are at this place.

const (
	maxSiteRows = 12  // rows above a header that are searched
	maxSiteText = 200 // bytes of a line
	maxSiteName = 60  // bytes of the name of a site before its address
)

// placeless reports whether the columns do not state where the buildings are.
func placeless(columns []location.Column) bool {
	for _, c := range columns {
		if location.PlaceColumns[c.Field] && c.Field != "location_state" {
			return false
		}
	}
	return true
}

// siteAbove returns the place of the buildings of a table, from the rows above its header and the
// lines above the table.
func (d *Tables) siteAbove(t *content.Table, head int, s *Segment) map[string]location.Cell {
	found := map[string]location.Cell{}
	for i := head - 1; i >= 0 && i >= head-maxSiteRows; i-- {
		s.readSite(t.Rows[i], found)
	}
	for n, read := s.At.Line-1, 0; n >= 0 && n < len(d.Lines) && read < maxSiteLines && !complete(found); n-- {
		l := d.Lines[n]
		if l.Table != nil || l.At.Part != s.At.Part || l.At.Evidence.Sheet != s.At.Evidence.Sheet {
			break
		}
		if l.Label != "" {
			read++
			s.readSite([]content.Cell{{Text: l.Label}, {Text: l.Value}}, found)
		} else if text := strings.TrimSpace(l.Text); passages.ListItem.MatchString(text) {
			break // a list of places, to which the rows of the table belong
		} else if text != "" {
			read++
			s.readSite([]content.Cell{{Text: text}}, found)
		}
	}
	if !complete(found) {
		return nil
	}
	return found
}

const maxSiteLines = 5 // lines above a table that are searched

// complete reports whether cells state a place.
func complete(site map[string]location.Cell) bool {
	return location.Row{Cells: site}.Place()
}

// readSite adds the place that is stated by a row of labels and values, or by a single text.
func (s *Segment) readSite(row []content.Cell, found map[string]location.Cell) {
	var cells []content.Cell
	for _, c := range row {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			cells = append(cells, c)
		}
	}
	if len(cells) == 1 {
		if street, ok := siteIn(cells[0].Text); ok {
			s.addSite("location_address", street, cells[0], found)
			return
		}
		for _, p := range pairs.Split(cells[0].Text) {
			s.addLabelled(p.Label, p.Value, cells[0], found)
		}
		return
	}
	for i := 0; i+1 < len(cells) && len(cells) <= 8; i += 2 {
		s.addLabelled(cells[i].Text, cells[i+1].Text, cells[i+1], found)
	}
}

// addLabelled adds the value if its label is that of a place.
func (s *Segment) addLabelled(label, value string, at content.Cell, found map[string]location.Cell) {
	label = strings.TrimRight(label, ": ")
	m, ok := recognise.AnyHeader(label)
	if !ok || len(value) > maxSiteText || otherParty(label) {
		return
	}
	switch m.Field {
	case "location_address", "location_city", "location_state", "location_postal_code", "location_country", "~city_line":
		s.addSite(m.Field, value, at, found)
	}
}

func (s *Segment) addSite(name, text string, at content.Cell, found map[string]location.Cell) {
	at.Text, at.Number = text, nil
	if _, taken := found[name]; taken {
		return
	}
	if cell, ok := location.ReadCell(location.Column{Field: name, From: source.Synonym, Scale: 1}, at, s.At); ok {
		found[name] = cell
	}
}

// siteIn returns the address in a line about an insured place. Such a line is an address, or names a
// place before the address. Addresses of other parties do not count.
func siteIn(text string) (string, bool) {
	if len(text) > maxSiteText || !parse.HasDigit(text) || passages.ListItem.MatchString(text) {
		return "", false
	}
	headed := false
	if m := location.SiteHead.FindStringSubmatch(text); m != nil && m[2] != "" {
		text, headed = m[2], true
	}
	if name, street, ok := pairs.CutAt(pairs.Dashed, text); ok && len(name) <= maxSiteName && parse.WrittenAddress(address.Parse(street)) && address.Parse(street).Street != "" {
		headed = headed || namesSite(name)
		text = name + ": " + street
	}
	found, before := parse.AddressesIn(text)
	if len(found) != 1 {
		return "", false
	}
	lead := strings.TrimSpace(before[0])
	rest := strings.TrimSpace(strings.TrimPrefix(text[len(before[0]):], found[0]))
	if otherParty(lead) || len(strings.Trim(rest, " .,;)")) > 0 && !strings.HasPrefix(rest, "(") {
		return "", false
	}
	label, name, labelled := strings.Cut(lead, ":")
	switch {
	case lead == "" || headed:
		return found[0], true
	case labelled && strings.TrimSpace(name) == "":
		m, ok := recognise.AnyHeader(label)
		return found[0], ok && m.Field == "location_address" || location.SiteHead.MatchString(label) || namesSite(label)
	}
	return found[0], location.SiteHead.MatchString(lead) || namesSite(lead)
}

// namesSite reports whether a text has a word for an insured place.
func namesSite(text string) bool {
	for _, m := range vocabulary.Sites().Find(text) {
		if m.Meaning == "sites" || m.Meaning == "place" {
			return true
		}
	}
	return false
}

// otherParty reports whether a label is about the address of a party, or about a place that is not
// insured.
func otherParty(label string) bool {
	if m, ok := recognise.Label(strings.TrimRight(label, ": ")); ok && !strings.HasPrefix(m.Field, "~") {
		return true
	}
	for _, m := range vocabulary.Sites().Find(label) {
		if m.Meaning == "elsewhere" {
			return true
		}
	}
	return false
}

// entersSite reads a line between the rows that states where the next buildings are. It returns false
// for other rows.
func (s *Segment) entersSite(cells []content.Cell, filled int) bool {
	if filled != 1 || !s.placeless {
		return false
	}
	found := map[string]location.Cell{}
	s.readSite(cells, found)
	if !complete(found) || column.IsTotal(found["location_address"].Text) {
		return false
	}
	s.site = found
	return true
}

// atSite adds the place of the site to a row of a building.
func (s *Segment) atSite(row location.Row) {
	if s.site == nil || !row.Values() && !row.DescribesBuilding() {
		return
	}
	if row.Place() || row.Cells["location_address"].Text != "" {
		return
	}
	maps.Copy(row.Cells, s.site)
}
