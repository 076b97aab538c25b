// Package forms reads the labels and values in tables that are not statements of values: boxes,
// rows of labels, columns below a header of labels, questions with columns for the answers, and
// tables of parties and covers.
package forms

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Reader reads the tables of forms.
type Reader struct {
	*assign.Assigner
	taken    map[*content.Table]map[int]bool // rows of statements of values
	boxCells int                             // cells that were examined as boxes of forms so far
	parties  map[int]party.Party             // parties of the current table, by the column of the label that names them
	columns  map[int]bool                    // columns of the current table in which labels were read
}

// New returns a reader that skips the rows that are taken.
func New(a *assign.Assigner, taken map[*content.Table]map[int]bool) *Reader {
	return &Reader{Assigner: a, taken: taken}
}

// ReadTable reads a table that is not a statement of values.
func (r *Reader) ReadTable(t *content.Table, at source.Place) {
	taken := r.taken[t]
	r.parties, r.columns = map[int]party.Party{}, map[int]bool{}
	t = layout.Narrowed(t)
	if len(taken) == 0 {
		t = r.withoutHeld(t, at)
		defer r.premiumsByCover(t, at)
	}
	if r.Whose == party.Other && r.Headed && len(t.Rows) > 2 && column.IsLosses(t.Rows[0]) {
		return
	}
	if t.Title != "" {
		r.Heading(t.Title)
	}
	if len(taken) == 0 && r.stacked(t, at) || r.singleRow(t, len(taken) > 0, at) || len(taken) == 0 && r.sectionTable(t, at) {
		return
	}
	if len(taken) == 0 {
		r.coverGrids(t, at)
	}
	t = r.boxes(t, taken, at)
	for i := 0; i < len(t.Rows) && i < layout.MaxPairRows; i++ {
		if taken[i] {
			if i == 0 && layout.FilledCells(t.Rows[0]) > 1 && covers.IsSection(t.Rows[0][0].Text) {
				r.coverTable(t, 0, at) // the sums insured of each location by cover
			}
			r.periodRow(t.Rows[i], at)
			continue
		}
		if n := r.policyTable(t, i, at); n > 0 {
			r.columnTable(t, i, at)
			i += n
			continue
		}
		if column.IsLosses(t.Rows[i]) {
			i = endOfList(t.Rows, i)
			continue
		}
		if r.premiumsBesideCovers(t, i, at) {
			continue
		}
		if n := r.coverTable(t, i, at); n > 0 {
			r.premiumRows(t.Rows[i+1:i+n+1], at)
			i += n
			continue
		}
		if r.roleTable(t, i, at) || r.columnTable(t, i, at) {
			return
		}
		if n := r.answerTable(t, i, at); n > 0 {
			i += n
			continue
		}
		row, more := continuedRow(t.Rows, i)
		r.tableRow(row, at)
		i += more
	}
}

// endOfList returns the last row of the list below header i: the row above the next text that stands below an empty row and
// does not begin a row of totals.
func endOfList(rows [][]content.Cell, i int) int {
	empty := false
	for i++; i < len(rows); i++ {
		if layout.FilledCells(rows[i]) == 0 {
			empty = true
		} else if empty && !column.IsTotal(strings.TrimSpace(rows[i][0].Text)) {
			break
		}
	}
	return i - 1
}

// continuedRow returns row i, with the rows below that continue its value appended to the value,
// and the number of those rows. A row continues the value if its only text stands below the value.
// The label must be one whose values can have several lines, such as an address.
func continuedRow(rows [][]content.Cell, i int) ([]content.Cell, int) {
	row, value, filled := rows[i], -1, 0
	for j, c := range row {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			if filled++; filled == 1 {
				if m, ok := assign.ClearLabel(text); !ok || !assign.SeveralLines[m.Field] {
					return row, 0
				}
			}
			value = j
		}
	}
	if filled != 2 {
		return continuedValue(rows, i), 0
	}
	more := 0
	for n := i + 1; n < len(rows) && n <= i+MaxBoxLines && value < len(rows[n]); n++ {
		text := strings.TrimSpace(rows[n][value].Text)
		if layout.FilledCells(rows[n]) != 1 || text == "" || len(pairs.Split(text)) > 0 {
			break
		}
		if more++; more == 1 {
			row = slices.Clone(row)
		}
		row[value].Text += "\n" + text
	}
	return row, more
}

// continuedValue returns row i, with the text below the first value appended to it if the row below
// has no label beside that text.
func continuedValue(rows [][]content.Cell, i int) []content.Cell {
	row := rows[i]
	if i+1 >= len(rows) || len(row) < 4 || len(rows[i+1]) < 4 || strings.TrimSpace(rows[i+1][0].Text) != "" {
		return row
	}
	m, ok := assign.ClearLabel(row[0].Text)
	below := strings.TrimSpace(rows[i+1][1].Text)
	if !ok || !assign.SeveralLines[m.Field] || row[1].Text == "" || row[1].Merged || below == "" || rows[i+1][1].Merged || len(pairs.Split(below)) > 0 {
		return row
	}
	row = slices.Clone(row)
	row[1].Text += "\n" + below
	return row
}

// tableRow reads the pairs of a row, each a label cell and the cell beside it.
func (r *Reader) tableRow(row []content.Cell, at source.Place) {
	cells, columns := row[:0:0], []int{}
	for j, c := range row {
		if !c.Merged && strings.TrimSpace(c.Text) != "" {
			cells, columns = append(cells, c), append(columns, j)
		}
	}
	if len(cells) == 1 {
		at := layout.CellPlace(at, cells[0])
		for l := range strings.SplitSeq(cells[0].Text, "\n") {
			pieces := pairs.Split(l)
			for _, p := range pieces {
				if p.Value != "" {
					r.Pair(p.Label, p.Value, source.Label, at)
				}
			}
			if len(pieces) == 0 {
				r.Heading(l)
			}
		}
		return
	}
	if len(cells) > 0 && len(cells) <= maxPeriodCells {
		r.Propose("business_interruption_period", parse.IndemnityPeriod.FindString(layout.RowText(cells)), source.Synonym, 0.9, layout.CellPlace(at, cells[0]))
	}
	cells = withoutNumber(cells)
	columns = columns[len(columns)-len(cells):]
	if len(cells) == 2 && r.linesBeside(cells[0], cells[1], layout.CellPlace(at, cells[1])) {
		return
	}
	for i := 0; i < len(cells); i++ {
		at := layout.CellPlace(at, cells[i])
		if pieces := pairs.ColonPairs(cells[i].Text); len(pieces) > 0 && pieces[0].Value != "" && !isHint(pieces[0].Value) {
			_, ok := recognise.Label(pieces[0].Label)
			if ok || pairs.IsAside(words.Key(pieces[0].Label)) {
				for _, p := range pieces {
					r.Pair(p.Label, p.Value, source.Label, at)
				}
				continue
			}
		}
		if i+1 == len(cells) {
			break
		}
		label := strings.TrimRight(cells[i].Text, ": ")
		named, known := recognise.Label(label)
		if known && datesOfPolicy[named.Field] && i+2 < len(cells) {
			if from, to := dateOf(cells[i+1]), dateOf(cells[i+2]); from != "" && to != "" {
				r.Pair(label, from+" - "+to, source.Label, layout.CellPlace(at, cells[i+1])) // "Start / end | 1 May | 30 April"
				i += 2
				continue
			}
		}
		_, next := recognise.Known(strings.TrimRight(cells[i+1].Text, ": "))
		if known && next && i+2 < len(cells) && !strings.HasSuffix(cells[i].Text, ":") {
			continue // two labels: a header row
		}
		if !known && next && i+2 < len(cells) && strings.HasSuffix(cells[i+1].Text, ":") {
			continue // the rest of the value above, beside a label with its value
		}
		if p, rest, ok := party.PartyPrefix(label); known || ok && p != party.Nobody && recognise.LabelForms()[rest].Field != "" || i == 0 && (len(label) > 12 || parse.IsAnswer(cells[i+1].Text)) {
			value := cells[i+1]
			text := value.Text
			if value.Date != "" {
				text = value.Date
			}
			if i == 0 && len(cells) > 2 && !known {
				text = markedAnswer(row, text)
			}
			r.inColumn(columns[i], func() { r.Pair(label, text, source.Label, layout.CellPlace(at, value)) })
			i++
		}
	}
}

// isHint reports whether a text after a question only says what to answer: "(street, city, state, zip)".
func isHint(text string) bool {
	return strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") && !parse.HasDigit(text)
}

// periodRow proposes the indemnity period that a row of a statement of values states for all locations.
func (r *Reader) periodRow(row []content.Cell, at source.Place) {
	label, period := "", ""
	for _, c := range row[:min(len(row), layout.MaxFormCells)] {
		switch text := strings.TrimSpace(c.Text); {
		case text == "" || c.Merged:
		case label == "":
			label = strings.TrimRight(text, ": ")
			if m, ok := assign.ClearLabel(label); !ok || m.Field != "business_interruption_period" {
				return
			}
		case period == "":
			period = text
		case text != period:
			return
		}
	}
	r.Propose("business_interruption_period", period, source.Synonym, 1, at)
}

// dateOf returns the text of a cell that holds a date and little else, or "".
func dateOf(c content.Cell) string {
	switch {
	case c.Date != "":
		return c.Date
	case len(c.Text) > maxDateCell || !parse.HasDigit(c.Text) || len(parse.Dates(c.Text, parse.UnknownOrder)) != 1:
		return ""
	}
	return c.Text
}

// maxPeriodCells is the maximum number of cells of a row that states a sum insured with its period: "Business interruption |
// £700,000 | 12 months".
const maxPeriodCells = 4

const maxDateCell = 30 // bytes of a cell with a date

// inColumn reads a label in a column of a table. The details in a column belong to the party that is
// named above them in the same column, even if labels in another column name another party.
func (r *Reader) inColumn(column int, read func()) {
	if whose, ok := r.parties[column]; ok && !r.Headed && whose != r.Whose {
		r.SetParty(whose, false)
	}
	before := r.Whose
	read()
	if r.Whose == before || r.Headed {
		r.columns[column] = true
		return
	}
	r.parties[column] = r.Whose
	for other := range r.columns { // the labels there still belong to the party that was named before
		if _, ok := r.parties[other]; !ok && other != column && before != party.Nobody {
			r.parties[other] = before
		}
	}
}

// withoutNumber returns the cells without the number in front of a question.
func withoutNumber(cells []content.Cell) []content.Cell {
	if len(cells) > 2 && itemNumber.MatchString(strings.TrimSpace(cells[0].Text)) && strings.ContainsFunc(cells[1].Text, unicode.IsLetter) {
		return cells[1:]
	}
	return cells
}

// itemNumber matches the number of an item or a question in a cell of its own.
var itemNumber = lazyregexp.New(`^(?i:q|no\.?|nr\.?)?\s*(?:\d{1,3}[a-z]?|[a-z]|[ivx]{1,4})[.)]?$`)

// markedAnswer returns the answer in a row "question | x | ": the header of the column
// with the mark, otherwise the text beside the question.
func markedAnswer(row []content.Cell, beside string) string {
	if len(row) >= 3 {
		yes, no := strings.TrimSpace(row[len(row)-2].Text), strings.TrimSpace(row[len(row)-1].Text)
		if parse.LoneTick.MatchString(yes) && no == "" {
			return "Yes"
		}
		if parse.LoneTick.MatchString(no) && yes == "" {
			return "No"
		}
	}
	return beside
}
