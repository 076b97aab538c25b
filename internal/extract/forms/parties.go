package forms

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// roleTable reads a table of contacts with one row per party and one column per
// detail.
func (r *Reader) roleTable(t *content.Table, head int, at source.Place) bool {
	columns := map[int]string{}
	role := -1
	for j, c := range t.Rows[head] {
		key := words.Key(c.Text)
		switch {
		case vocabulary.Set("other_labels.role")[key]:
			role = j
		case key == "":
		default:
			if m, ok := recognise.LabelForms()[key]; ok && (strings.HasPrefix(m.Field, "~") || m.Field == "company_name") {
				columns[j] = m.Field
			} else if vocabulary.Set("other_labels.firm")[key] {
				columns[j] = "~firm"
			}
		}
	}
	if role < 0 && len(columns) >= 2 && len(t.Rows[head]) > 0 && columns[0] == "" {
		role = 0
	}
	if role < 0 || len(columns) < 2 || head+1 >= len(t.Rows) {
		return false
	}
	hasFirm := false
	for j, name := range columns {
		if name == "company_name" {
			columns[j] = "~firm"
		}
		hasFirm = hasFirm || columns[j] == "~firm"
	}
	parties := 0
	for _, row := range t.Rows[head+1 : min(len(t.Rows), head+1+layout.MaxPairRows)] {
		if role >= len(row) {
			continue
		}
		whose := party.RoleParty(row[role].Text)
		if whose == party.Nobody {
			continue
		}
		parties++
		r.SetParty(whose, true)
		for j, c := range row {
			name := columns[j]
			switch {
			case name == "" || c.Merged:
				continue
			case name == "~firm":
				name = "~name"
			case name == "~name" && hasFirm:
				name = "~contact"
			}
			if name == "~name" && !hasFirm && whose == party.Insured && words.Count(c.Text) <= 3 && !parse.LegalName.MatchString(c.Text) {
				name = "~contact"
			}
			r.AssignNeutral(recognise.Match{Field: name, From: source.Synonym}, whose, c.Text, 1, layout.CellPlace(at, c))
		}
	}
	r.SetParty(party.Nobody, false)
	return parties > 0
}

const maxSectionRows = 2000 // of a table of sections; longer tables are lists

// sectionTable reads a table whose first column repeats the party or the section that the
// label and the value beside it belong to.
func (r *Reader) sectionTable(t *content.Table, at source.Place) bool {
	if len(t.Rows) > maxSectionRows {
		return false
	}
	sections, known := map[string]bool{}, 0
	for _, row := range t.Rows {
		if len(row) < 3 || row[2].Text == "" {
			continue
		}
		sections[row[0].Text] = true
		if _, ok := recognise.Label(row[1].Text); ok && row[0].Text != "" {
			known++
		}
	}
	if known < minSingle || known*3 < len(t.Rows) || len(sections)*2 > len(t.Rows) {
		return false
	}
	for _, row := range t.Rows {
		if len(row) < 3 {
			continue
		}
		if whose := party.RoleParty(row[0].Text); whose != r.Whose {
			r.SetParty(whose, true)
		}
		text := row[2].Text
		if row[2].Date != "" {
			text = row[2].Date
		}
		r.Pair(row[1].Text, text, source.Label, layout.CellPlace(at, row[2]))
	}
	r.FlushAddress()
	r.SetParty(party.Nobody, false)
	return true
}
