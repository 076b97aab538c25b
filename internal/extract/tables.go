package extract

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/covers"
)

// readTable reads a table that is not a statement of values.
func (r *reader) readTable(t *content.Table, at origin) {
	taken := r.sovRows[t]
	t = narrowed(t)
	if r.whose == other && r.headed && len(t.Rows) > 2 && isLosses(t.Rows[0]) {
		return
	}
	if t.Title != "" {
		r.heading(t.Title)
	}
	if len(taken) == 0 && (r.singleRow(t, at) || r.sectionTable(t, at)) {
		return
	}
	for i := 0; i < len(t.Rows) && i < 400; i++ {
		if taken[i] {
			continue
		}
		if isLosses(t.Rows[i]) {
			return
		}
		if r.roleTable(t, i, at) || r.columnTable(t, i, at) {
			return
		}
		if n := r.answerTable(t, i, at); n > 0 {
			i += n
			continue
		}
		if n := r.coverTable(t, i, at); n > 0 {
			i += n
			continue
		}
		r.tableRow(t.Rows[i], at)
	}
}

// sectionTable reads a table whose first column repeats the party or the section that the
// label and the value beside it belong to.
func (r *reader) sectionTable(t *content.Table, at origin) bool {
	sections, known := map[string]bool{}, 0
	for _, row := range t.Rows {
		if len(row) < 3 || row[2].Text == "" {
			continue
		}
		sections[row[0].Text] = true
		if _, ok := matchLabel(row[1].Text); ok && row[0].Text != "" {
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
		if whose := roleParty(row[0].Text); whose != r.whose {
			r.name(whose, true)
		}
		text := row[2].Text
		if row[2].Date != "" {
			text = row[2].Date
		}
		r.pair(row[1].Text, text, fromLabel, cellPlace(at, row[2]))
	}
	r.flushAddress()
	r.name(nobody, false)
	return true
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

// narrowed returns the table without empty columns and without the cells beyond
// maxFormCells of each row, because every cell of a form is compared with all labels.
func narrowed(t *content.Table) *content.Table {
	var filled [maxFormCells]bool
	for _, row := range t.Rows {
		for j, c := range row[:min(len(row), maxFormCells)] {
			filled[j] = filled[j] || c.Text != "" || c.Merged
		}
	}
	narrow := *t
	narrow.Rows = make([][]content.Cell, len(t.Rows))
	for i, row := range t.Rows {
		kept := make([]content.Cell, 0, min(len(row), maxFormCells))
		for j, c := range row[:min(len(row), maxFormCells)] {
			if filled[j] {
				kept = append(kept, c)
			}
		}
		narrow.Rows[i] = kept
	}
	return &narrow
}

// cellPlace returns the evidence for a cell.
func cellPlace(at origin, c content.Cell) origin {
	if c.Ref != "" {
		at.evidence.Cell, at.evidence.Line = c.Ref, 0
	}
	return at
}

// tableRow reads the pairs of a row, each a label cell and the cell beside it.
func (r *reader) tableRow(row []content.Cell, at origin) {
	cells := row[:0:0]
	for _, c := range row {
		if !c.Merged && strings.TrimSpace(c.Text) != "" {
			cells = append(cells, c)
		}
	}
	if len(cells) == 1 {
		at := cellPlace(at, cells[0])
		for l := range strings.SplitSeq(cells[0].Text, "\n") {
			pieces := splitPairs(l)
			for _, p := range pieces {
				if p.value != "" {
					r.pair(p.label, p.value, fromLabel, at)
				}
			}
			if len(pieces) == 0 {
				r.heading(l)
			}
		}
		return
	}
	for i := 0; i < len(cells); i++ {
		at := cellPlace(at, cells[i])
		if pieces := colonPairs(cells[i].Text); len(pieces) > 0 && pieces[0].value != "" {
			_, ok := matchLabel(pieces[0].label)
			if ok || asideLabels[words(pieces[0].label)] {
				for _, p := range pieces {
					r.pair(p.label, p.value, fromLabel, at)
				}
				continue
			}
		}
		if i+1 == len(cells) {
			break
		}
		label := strings.TrimRight(cells[i].Text, ": ")
		_, known := matchLabel(label)
		_, next := matchLabel(strings.TrimRight(cells[i+1].Text, ": "))
		if known && next && i+2 < len(cells) && !strings.HasSuffix(cells[i].Text, ":") {
			continue // two labels: a header row
		}
		if p, rest, ok := partyPrefix(label); known || ok && p != nobody && labelForms[rest].field != "" || i == 0 && len(label) > 12 {
			value := cells[i+1]
			text := value.Text
			if value.Date != "" {
				text = value.Date
			}
			if i == 0 && len(cells) > 2 && !known {
				text = markedAnswer(row, text)
			}
			r.pair(label, text, fromLabel, cellPlace(at, value))
			i++
		}
	}
}

// markedAnswer returns the answer in a row "question | x | ": the header of the column
// with the mark, otherwise the text beside the question.
func markedAnswer(row []content.Cell, beside string) string {
	if len(row) >= 3 {
		yes, no := strings.TrimSpace(row[len(row)-2].Text), strings.TrimSpace(row[len(row)-1].Text)
		if loneTick.MatchString(yes) && no == "" {
			return "Yes"
		}
		if loneTick.MatchString(no) && yes == "" {
			return "No"
		}
	}
	return beside
}

// isLosses reports whether a row is the header of a table of claims, vehicles or
// wages, which does not describe the policy.
func isLosses(row []content.Cell) bool {
	hits, filled, numbers := 0, 0, 0
	for _, c := range row {
		if c.Merged || strings.TrimSpace(c.Text) == "" {
			continue
		}
		filled++
		if digitsForm.MatchString(c.Text) {
			numbers++
		}
		if foreignHeader(words(c.Text)) {
			hits++
		}
	}
	return hits >= 2 && numbers*3 <= filled // "Turnover | £9m | Wageroll | £2m" is not a header
}

// roleTable reads a table of contacts with one row per party and one column per
// detail.
func (r *reader) roleTable(t *content.Table, head int, at origin) bool {
	columns := map[int]string{}
	role := -1
	for j, c := range t.Rows[head] {
		key := words(c.Text)
		switch key {
		case "role", "party", "contact type", "capacity", "function", "relationship":
			role = j
		case "":
		default:
			if m, ok := labelForms[key]; ok && (strings.HasPrefix(m.field, "~") || m.field == "company_name") {
				columns[j] = m.field
			} else if key == "company" || key == "firm" || key == "organisation" || key == "organization" {
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
	for _, row := range t.Rows[head+1:] {
		if role >= len(row) {
			continue
		}
		whose := roleParty(row[role].Text)
		if whose == nobody {
			continue
		}
		parties++
		r.name(whose, true)
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
			if name == "~name" && !hasFirm && whose == insured && len(strings.Fields(c.Text)) <= 3 && !legalName.MatchString(c.Text) {
				name = "~contact"
			}
			r.giveNeutral(labelMatch{name, fromSynonym}, whose, c.Text, 1, cellPlace(at, c))
		}
	}
	r.name(nobody, false)
	return parties > 0
}

func roleParty(text string) party {
	for _, h := range headings[:3] {
		if h.form.MatchString(text) {
			return h.party
		}
	}
	if headings[4].form.MatchString(text) {
		return insured
	}
	return nobody
}

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

// coverTable reads the first column of a table of covers with their limits or sums
// insured, and returns the number of rows that it read.
func (r *reader) coverTable(t *content.Table, head int, at origin) int {
	if r.whose == other && r.headed || !covers.IsHeader(texts(t.Rows[head : head+1])[0]) {
		return 0
	}
	rows := t.Rows[head:min(len(t.Rows), head+maxCoverRows)]
	for i, row := range rows {
		if i > 0 && (len(row) == 0 || strings.TrimSpace(row[0].Text) == "") {
			rows = rows[:i]
			break
		}
	}
	found := covers.Table(texts(rows))
	if len(found) == 0 {
		return 0
	}
	column := limitColumn(t.Rows[head])
	for _, c := range found {
		row := rows[c.Line]
		at := cellPlace(at, row[0])
		at.place = at.place*100 + c.Line
		r.propose("coverage", c.Text, fromSynonym, c.Fit, at)
		if column > 0 && column < len(row) {
			r.giveLimit(row[0].Text, row[column].Text, fromHeader, 1, cellPlace(at, row[column]))
		}
		r.propose("business_interruption_period", biPeriod.FindString(rowText(row)), fromSynonym, 0.9, at)
	}
	return len(rows) - 1
}

const maxCoverRows = 400 // of a table of covers, with its header

// texts returns the texts of the cells.
func texts(rows [][]content.Cell) [][]string {
	all := make([][]string, len(rows))
	for i, row := range rows {
		for _, c := range row {
			all[i] = append(all[i], c.Text)
		}
	}
	return all
}
