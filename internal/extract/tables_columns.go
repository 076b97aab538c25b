package extract

import (
	"strings"

	"understudy.example/internal/document/content"
)

// columnTable reads a table with a header of labels: one field per column, whose value
// counts if all rows agree.
func (r *reader) columnTable(t *content.Table, head int, at origin) bool {
	known := map[int]labelMatch{}
	filled := 0
	for j, c := range t.Rows[head] {
		if strings.TrimSpace(c.Text) != "" {
			filled++
		}
		if m, ok := labelForms[words(c.Text)]; ok && m.from == fromLabel {
			known[j] = m
		}
	}
	if len(known) < 3 || len(known)*4 < filled && len(known) < 4 || head+1 >= len(t.Rows) {
		return false
	}
	labels := 0
	for _, c := range t.Rows[head+1] {
		if _, ok := labelForms[words(c.Text)]; ok && len(c.Text) > 2 {
			labels++
		}
	}
	if labels > 1 && labels*2 > len(known) {
		return false // a second header
	}
	r.columns(t, head, known, at)
	return true
}

// columns proposes the columns whose rows all agree. In a table of accounts, which has the
// insured's name, an address or a website is the insured's.
func (r *reader) columns(t *content.Table, head int, known map[int]labelMatch, at origin) {
	accounts := false
	for _, m := range known {
		accounts = accounts || m.field == "company_name"
	}
	for j := range t.Rows[head] {
		m, ok := known[j]
		if accounts && strings.HasPrefix(m.field, "~") && m.field != "~name" {
			m.field = neutral[m.field][0]
		}
		if !ok || m.field == "" || strings.HasPrefix(m.field, "~") {
			continue
		}
		var same *content.Cell
		agree := true
		for i := head + 1; i < len(t.Rows) && agree; i++ {
			if j >= len(t.Rows[i]) || strings.TrimSpace(t.Rows[i][j].Text) == "" {
				continue
			}
			c := &t.Rows[i][j]
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
		r.propose(m.field, text, fromHeader, 0.95, cellPlace(at, *same))
	}
}

// singleRow reads a table with a header and one row as labels with values.
func (r *reader) singleRow(t *content.Table, at origin) bool {
	if len(t.Rows) != 2 || len(t.Rows[0]) < minSingle || !looksLikeHeader(t.Rows[0]) {
		return false
	}
	known := 0
	for j, c := range t.Rows[0] {
		if j < len(t.Rows[1]) && t.Rows[1][j].Text != "" {
			_, ok := matchLabel(c.Text)
			if _, rest, party := partyPrefix(c.Text); ok || party && labelForms[rest].field != "" {
				known++
			}
		}
	}
	if known < minSingle {
		return false
	}
	r.name(insured, true)
	for j, c := range t.Rows[0] {
		if j >= len(t.Rows[1]) || strings.TrimSpace(t.Rows[1][j].Text) == "" {
			continue
		}
		value := t.Rows[1][j]
		text := value.Text
		if value.Date != "" {
			text = value.Date
		}
		r.name(insured, true)
		r.pair(c.Text, text, fromLabel, cellPlace(at, value))
	}
	r.flushAddress()
	r.name(nobody, false)
	return true
}

const minSingle = 4 // known labels of a table with one row
