package forms

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// columnTable reads a table with a header of labels: one field per column, whose value
// counts if all rows agree.
func (r *Reader) columnTable(t *content.Table, head int, at source.Place) bool {
	known := columnHeader(t, head)
	if known == nil {
		return false
	}
	for j, c := range t.Rows[head] {
		if _, ok := known[j]; !ok {
			if m, clear := assign.ClearLabel(c.Text); clear {
				known[j] = m
			}
		}
	}
	Columns(r.Set, t, head, known, at)
	return true
}

// columnHeader returns the labels in a row that is the header of such a table; nil if it is
// another row.
func columnHeader(t *content.Table, head int) map[int]recognise.Match {
	known := map[int]recognise.Match{}
	filled := 0
	for j, c := range t.Rows[head] {
		if strings.TrimSpace(c.Text) != "" {
			filled++
		}
		if m, ok := recognise.LabelForms()[words.Key(c.Text)]; ok && m.From == source.Label {
			known[j] = m
		}
	}
	if len(known) < 3 || len(known)*4 < filled && len(known) < 4 || head+1 >= len(t.Rows) || alternates(t.Rows[head], known) {
		return nil
	}
	labels := 0
	for _, c := range t.Rows[head+1] {
		if _, ok := recognise.LabelForms()[words.Key(c.Text)]; ok && len(c.Text) > 2 {
			labels++
		}
	}
	if labels > 1 && labels*2 > len(known) {
		return nil // a second header
	}
	if head+2 < len(t.Rows) && labelRow(t.Rows[head+2]) && !labelRow(t.Rows[head+1]) ||
		head > 0 && head+2 == len(t.Rows) {
		return nil // labels and values alternate, or there is only one row of values
	}
	return known
}

// alternates reports whether the texts of a row are labels with their values beside them.
func alternates(row []content.Cell, known map[int]recognise.Match) bool {
	n, labels := 0, 0
	for j, c := range row {
		if c.Merged || strings.TrimSpace(c.Text) == "" {
			continue
		}
		if _, label := known[j]; label != (n%2 == 0) {
			if label || n%2 == 0 && labels < 2 {
				return false
			}
		} else if label {
			labels++
		}
		n++
	}
	return labels > 1
}

// Columns proposes the columns whose rows all agree. In a table with the insured's name, an
// address or a website is the insured's; otherwise, it is that of the broker, if the table has
// the broker's name.
func Columns(d *candidate.Set, t *content.Table, head int, known map[int]recognise.Match, at source.Place) {
	whose := party.Nobody
	for _, m := range known {
		switch m.Field {
		case "company_name":
			whose = party.Insured
		case "broker_name":
			if whose == party.Nobody {
				whose = party.Broker
			}
		}
	}
	var street, place []string // parts of an address that are in columns
	var streetAt source.Place
	for j := range t.Rows[head] {
		m, ok := known[j]
		part := m.Field
		if m.Whose != party.Nobody && strings.HasPrefix(m.Field, "~") && m.Whose != whose {
			continue
		}
		if whose != party.Nobody && strings.HasPrefix(m.Field, "~") && m.Field != "~name" {
			m.Field = assign.FieldsByParty[m.Field][whose-party.Insured]
		}
		if !ok || m.Field == "" && part != "~street" || strings.HasPrefix(m.Field, "~") {
			continue
		}
		var same *content.Cell
		agree := true
		for i := head + 1; i < len(t.Rows) && agree; i++ {
			if j >= len(t.Rows[i]) || strings.TrimSpace(t.Rows[i][j].Text) == "" {
				continue
			}
			c := &t.Rows[i][j]
			if same != nil && same.Text != c.Text && column.IsTotal(c.Text) {
				continue // the first cell of a row of totals
			}
			if same == nil {
				same = c
			}
			agree = same.Text == c.Text
		}
		if same == nil || !agree {
			continue
		}
		text := same.Text
		if same.Date != "" {
			text = same.Date
		}
		switch part {
		case "~street", "~address":
			if street == nil {
				streetAt = layout.CellPlace(at, *same)
			}
			street = append(street, text)
		case "~city", "~state", "~postal_code":
			place = append(place, text)
		}
		if m.Field != "" {
			d.Propose(m.Field, assign.InUnitOf(t.Rows[head][j].Text, m.Field, text), source.Header, 0.95, layout.CellPlace(at, *same))
		}
	}
	if len(street) > 0 && len(place) > 1 && whose != party.Nobody {
		d.Propose(assign.FieldsByParty["~address"][whose-party.Insured], strings.Join(append(street, place...), ", "), source.Header, 0.95, streetAt)
	}
}

// singleRow reads a table with a header and one row as labels with values. If the row is also
// that of a location, only labels that name a party or the policy count.
func (r *Reader) singleRow(t *content.Table, located bool, at source.Place) bool {
	if len(t.Rows) != 2 || len(t.Rows[0]) < minSingle || !column.LooksLikeHeader(t.Rows[0]) {
		return false
	}
	known := 0
	for j, c := range t.Rows[0] {
		if j < len(t.Rows[1]) && t.Rows[1][j].Text != "" {
			m, ok := recognise.Label(c.Text)
			ok = ok && !(located && (strings.HasPrefix(m.Field, "~") || m.From != source.Label))
			if _, rest, party := party.PartyPrefix(c.Text); ok || !located && party && recognise.LabelForms()[rest].Field != "" {
				known++
			}
		}
	}
	if known < minSingle || located && known < minLocated {
		return false
	}
	r.SetParty(party.Insured, true)
	for j, c := range t.Rows[0] {
		if j >= len(t.Rows[1]) || strings.TrimSpace(t.Rows[1][j].Text) == "" {
			continue
		}
		if m, _ := recognise.Label(c.Text); located && (strings.HasPrefix(m.Field, "~") || m.From != source.Label) {
			continue
		}
		value := t.Rows[1][j]
		text := value.Text
		if value.Date != "" {
			text = value.Date
		}
		r.SetParty(party.Insured, true)
		r.Pair(c.Text, text, source.Label, layout.CellPlace(at, value))
	}
	r.FlushAddress()
	r.SetParty(party.Nobody, false)
	return true
}

// Known labels of a table with one row.
const (
	minSingle  = 4
	minLocated = 8 // if the row is also that of a location
)
