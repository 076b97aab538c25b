package forms

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/words"
)

// boxes reads the boxes of a form: cells with a label above or before the value in the same
// cell, and labels with their values in the cells below. It returns the table without the
// cells that it has read.
func (r *Reader) boxes(t *content.Table, taken map[int]bool, at source.Place) *content.Table {
	var rest *content.Table
	clearCell := func(i, j int) {
		if rest == nil {
			rest = &content.Table{Title: t.Title, Rows: make([][]content.Cell, len(t.Rows))}
			for n, row := range t.Rows {
				rest.Rows[n] = append([]content.Cell(nil), row...)
			}
		}
		rest.Rows[i][j].Text = ""
	}
	for i := 0; i < len(t.Rows) && i < layout.MaxPairRows; i++ {
		if taken[i] {
			continue
		}
		if columnHeader(t, i) != nil {
			break
		}
		list, numbered := isList(t.Rows, i), isNumbered(t.Rows[i])
		for j, c := range t.Rows[i] {
			if c.Merged || c.Text == "" || rest != nil && rest.Rows[i][j].Text == "" {
				continue
			}
			if r.boxCells++; r.boxCells > sov.MaxHeaderCells {
				return t
			}
			m, value, ok := r.boxLabel(c.Text)
			if !ok && numbered && j > 0 {
				m, value, ok = r.answered(c.Text)
			}
			if ok {
				place := layout.CellPlace(at, c)
				place.Boxed = strings.Contains(c.Text, "\n")
				r.Assign(m, value, 0.95, place)
				clearCell(i, j)
				continue
			}
			m, ok = assign.ClearLabel(c.Text)
			exact := ok && m.From == source.Label
			if !ok || list && !assign.SeveralLines[m.Field] || !r.endsRow(t.Rows[i], j) || m.Field == "estimated_premium" && i+1 < len(t.Rows) && namesCover(t.Rows[i+1]) {
				continue
			}
			if value, height := cellsBelow(t.Rows, i, j, taken, m.Field); value != "" && (exact || r.Fits(m.Field, value) || m.Field == "company_name" && onlyLabels(t.Rows[i]) && !labelRow(t.Rows[i+1]) && r.Accepts(m.Field, value)) {
				r.Assign(m, value, 0.95, layout.CellPlace(at, t.Rows[i+1][j]))
				for n := range height + 1 {
					clearCell(i+n, j)
				}
			}
		}
	}
	if rest == nil {
		return t
	}
	return rest
}

// datesOfPolicy are the fields of labels that can precede a date in the same cell without a colon.
var datesOfPolicy = words.Set("~period", "policy_inception_date", "end_date")

// isNumbered reports whether a row begins with the number of a question.
func isNumbered(row []content.Cell) bool {
	return len(row) > 1 && itemNumber.MatchString(strings.TrimSpace(row[0].Text))
}

// answered splits a cell into a question, whose words can be in doubt, and the answer below it.
func (r *Reader) answered(text string) (recognise.Match, string, bool) {
	question, answer, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimSpace(answer) == "" || len(question) > maxQuestion {
		return recognise.Match{}, "", false
	}
	m, ok := recognise.Label(strings.TrimRight(question, ":? "))
	return m, strings.TrimSpace(answer), ok && (strings.HasPrefix(m.Field, "~") || r.Fits(m.Field, answer))
}

const maxQuestion = 120 // bytes

const MaxBoxLines = 4 // of a value in cells below its label

// exactLabel finds the field of a cell that consists of a known label.
func exactLabel(text string) (recognise.Match, bool) {
	if len(text) > assign.MaxLabel || strings.Contains(text, "\n") {
		return recognise.Match{}, false
	}
	m, ok := recognise.LabelForms()[words.Key(words.Unnumbered(strings.TrimRight(text, ": ")))]
	return m, ok && m.From == source.Label
}

// boxLabel splits a cell into the label and the value in it: the label is on the first line,
// or it precedes the name of a firm without a colon.
func (r *Reader) boxLabel(text string) (recognise.Match, string, bool) {
	if first, rest, ok := strings.Cut(text, "\n"); ok && !strings.Contains(first, "\t") {
		m, known := assign.ClearLabel(first)
		rest = strings.TrimSpace(rest)
		return m, rest, known && rest != "" && len(pairs.Split(rest)) == 0 && (m.From == source.Label || r.Fits(m.Field, rest) || r.Accepts(m.Field, rest))
	}
	fields := strings.Fields(words.Cut(text, layout.MaxLine))
	if len(fields) > MaxBoxWords || strings.Contains(text, ":") {
		return recognise.Match{}, "", false
	}
	if m, value, ok := pairs.Prefixed(text); ok && datesOfPolicy[m.Field] {
		return m, value, true // "Policy term 5/1/2027-28"
	}
	for n := min(assign.MaxLabelWords, len(fields)-1); n >= 1; n-- {
		m, ok := exactLabel(strings.Join(fields[:n], " "))
		if !ok || !recognise.NamesFirm(m.Field) {
			continue
		}
		rest := strings.Join(fields[n:], " ")
		if _, label := recognise.Label(strings.TrimLeft(rest, "/ ")); label {
			return recognise.Match{}, "", false
		}
		return m, rest, parse.LegalAtStart.MatchString(rest) || parse.NamesBroker(rest) && words.Capital(rest) || n >= minSureLabel && words.Capital(rest)
	}
	return recognise.Match{}, "", false
}

// Limits of a label and a value in one line of a cell.
const (
	MaxBoxWords  = 30
	minSureLabel = 3 // words of a label that is certain even if the name of a firm does not follow
)

// endsRow reports whether no value stands beside the cell: the next cell is empty, another
// label, or a label with its value.
func (r *Reader) endsRow(row []content.Cell, j int) bool {
	for _, c := range row[j+1:] {
		if c.Merged || strings.TrimSpace(c.Text) == "" {
			continue
		}
		_, known := assign.ClearLabel(c.Text)
		return known || len(pairs.ColonPairs(c.Text)) > 0
	}
	return true
}

// cellsBelow joins the values in the cells below a label, and counts them.
func cellsBelow(rows [][]content.Cell, i, j int, taken map[int]bool, name string) (string, int) {
	var kept []string
	alone := layout.FilledCells(rows[i]) == 1
	for n := i + 1; n < len(rows) && !taken[n] && j < len(rows[n]); n++ {
		text := strings.TrimSpace(rows[n][j].Text)
		if _, known := recognise.Known(text); known && !strings.Contains(text, "\n") || text == "" || rows[n][j].Merged || len(pairs.Split(text)) > 0 || alone && layout.FilledCells(rows[n]) > 1 {
			break
		}
		if len(kept) > 0 && labelRow(rows[n]) {
			break
		}
		if date := rows[n][j].Date; date != "" {
			text = date
		}
		kept = append(kept, text)
		if !assign.SeveralLines[name] || len(kept) == MaxBoxLines {
			break
		}
	}
	return strings.Join(kept, "\n"), len(kept)
}

// isList reports whether row i is the header of a list: below two of its labels are two or
// more rows of values.
func isList(rows [][]content.Cell, i int) bool {
	if i+2 >= len(rows) || labelRow(rows[i+2]) && !labelRow(rows[i+1]) {
		return false
	}
	columns := 0
	for j := range rows[i] {
		if rows[i][j].Text != "" && j < len(rows[i+1]) && j < len(rows[i+2]) && rows[i+1][j].Text != "" && rows[i+2][j].Text != "" {
			columns++
		}
	}
	return columns > 1
}

// onlyLabels reports whether all texts of a row, and at least three, are labels.
func onlyLabels(row []content.Cell) bool {
	labels := 0
	for _, c := range row {
		if c.Merged || strings.TrimSpace(c.Text) == "" {
			continue
		}
		if _, ok := assign.ClearLabel(c.Text); !ok {
			return false
		}
		labels++
	}
	return labels >= minOnlyLabels
}

const minOnlyLabels = 3

// labelRow reports whether most texts of a row, and at least two, are labels.
func labelRow(row []content.Cell) bool {
	labels, filled := 0, 0
	for _, c := range row {
		if c.Merged || strings.TrimSpace(c.Text) == "" {
			continue
		}
		filled++
		if _, ok := assign.ClearLabel(c.Text); ok {
			labels++
		}
	}
	return labels > 1 && labels*2 > filled
}
