package sites

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/passages"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// table reads the labels of a table inside a block, or of a table that is a block.
func (b *blocks) table(t *content.Table, at source.Place) {
	if id, rest, ok := passages.Heading(t.Title); ok {
		b.open(id, rest, at)
	}
	if len(t.Rows) == 0 || column.IsLosses(t.Rows[0]) || b.categoryTable(t.Rows, at) {
		return
	}
	rows := t.Rows
	if stacked := sov.StackedSites(rows); stacked != nil {
		rows = stacked
	}
	for n, row := range rows[:min(len(rows), layout.MaxPairRows)] {
		cells := row[:0:0]
		for _, c := range row[:min(len(row), layout.MaxFormCells)] {
			if text := strings.TrimSpace(c.Text); !c.Merged && text != "" && text != ":" {
				cells = append(cells, c)
			}
		}
		switch {
		case b.categoryTable(rows[n:min(len(rows), n+layout.MaxPairRows)], at):
			return
		case b.question(rowLine(cells), at), b.boxed(cells, at), n+1 < len(rows) && b.stacked(row, rows[n+1], at):
		case len(cells) == 1:
			if id, rest, ok := passages.Heading(cells[0].Text); ok {
				b.open(id, rest, layout.CellPlace(at, cells[0]))
			}
		default:
			b.labels(cells, at)
		}
	}
}

// labels reads the labels of a row, each with the cell behind it.
func (b *blocks) labels(cells []content.Cell, at source.Place) {
	for i := 0; i < len(cells); i++ {
		if found := pairs.Split(cells[i].Text); len(found) > 0 && found[len(found)-1].Value != "" {
			for _, p := range found {
				b.pair(p.Label, p.Value, layout.CellPlace(at, cells[i]))
			}
			continue
		}
		if i+1 == len(cells) {
			break
		}
		label := strings.TrimRight(cells[i].Text, ": ?")
		if isHeader(cells[i+1].Text) {
			continue
		}
		_, ok := recognise.AnyHeader(label)
		if !ok && b.current != nil && i == 0 && len(cells) == 2 {
			_, ok = b.header(label)
		}
		if ok || passages.IsHeading(label) || siteLabel.MatchString(label) {
			b.pair(label, cells[i+1].Text, layout.CellPlace(at, cells[i+1]))
			i++
		}
	}
}

// isHeader reports whether a text is a known header and not an answer.
func isHeader(text string) bool {
	_, known := recognise.HeaderForms()[words.Key(text)]
	return known && !isAnswer(text)
}

func isAnswer(text string) bool {
	answer, _ := parse.YesNo(text)
	return answer != ""
}

var limitHeader = vocabulary.Pattern(`(?i)^\W*{{property.limit header}}\b`)

// categoryTable reads the sums of the open location by category.
func (b *blocks) categoryTable(rows [][]content.Cell, at source.Place) bool {
	if b.current == nil || len(rows) < 2 || len(rows[0]) < 2 {
		return false
	}
	key := words.Key(rows[0][0].Text)
	if !strings.Contains(recognise.Loose(key), "category") && recognise.HeaderForms()[key].Field != "~category" {
		return b.sumTable(rows, at)
	}
	if m, ok := recognise.Header(rows[0][1].Text); !limitHeader.MatchString(rows[0][1].Text) && (!ok || !recognise.MoneyColumns[m.Field]) {
		return false
	}
	for _, row := range rows[1:] {
		if len(row) < 2 || column.IsTotal(row[0].Text) {
			continue
		}
		target := location.CategoryOf(row[0].Text)
		cell, ok := location.ReadCell(location.Column{Field: "100_pct_limit", From: source.Synonym, Scale: 1}, row[1], at)
		if target == "" || !ok {
			continue
		}
		if held, taken := b.current.Cells[target]; taken {
			cell.Value += held.Value
		}
		b.current.Cells[target] = cell
	}
	return true
}

// sumTable reads a table of two columns, with or without a header, whose rows state a kind of
// property and its sum.
func (b *blocks) sumTable(rows [][]content.Cell, at source.Place) bool {
	found := map[string]location.Cell{}
	sums := 0
	for i, row := range rows {
		if len(row) != 2 {
			return false
		}
		m, ok := recognise.AnyHeader(row[0].Text)
		cell, filled := location.ReadCell(location.Column{Field: "100_pct_limit", From: source.Synonym, Scale: 1}, row[1], layout.CellPlace(at, row[1]))
		if !ok || !filled || !location.ValueColumns[m.Field] {
			if i > 0 && !column.IsTotal(row[0].Text) || ok && ofLocation(m.Field) && !location.ValueColumns[m.Field] {
				return false
			}
			continue
		}
		sums++
		if _, taken := found[m.Field]; !taken {
			found[m.Field] = cell
		}
	}
	if sums < 2 {
		return false
	}
	b.current.Complete(location.Row{Cells: found})
	return true
}

// boxed reads a row whose cells each hold a label in capitals and its value.
func (b *blocks) boxed(cells []content.Cell, at source.Place) bool {
	var found []pairs.Pair
	for _, c := range cells {
		label, value := capitalLabel(c.Text)
		if label == "" {
			return false
		}
		found = append(found, pairs.Pair{Label: label, Value: value})
	}
	for i, p := range found {
		if p.Value != "" {
			b.pair(p.Label, p.Value, layout.CellPlace(at, cells[i]))
		}
	}
	return len(found) > 1
}

const maxLabelWords = 5 // of a label in a box

// capitalLabel cuts a known label, which is in capitals, off the beginning of a text.
func capitalLabel(text string) (label, value string) {
	fields := strings.Fields(text)
	for n := min(len(fields), maxLabelWords); n > 0; n-- {
		label = strings.Join(fields[:n], " ")
		if strings.ToUpper(label) != label {
			continue
		}
		if _, ok := recognise.HeaderForms()[words.Key(label)]; ok {
			return label, strings.Join(fields[n:], " ")
		}
	}
	return "", ""
}

// stacked reads a row of labels with the row of their values below.
func (b *blocks) stacked(labels, values []content.Cell, at source.Place) bool {
	if len(labels) != len(values) {
		return false
	}
	known := 0
	for i, c := range labels {
		if strings.TrimSpace(c.Text) == "" || c.Merged {
			continue
		}
		label := strings.TrimRight(c.Text, ": ?")
		_, ok := recognise.AnyHeader(label)
		if !ok || strings.Contains(label, ":") || isAnswer(c.Text) || location.SiteHead.MatchString(values[i].Text) || isHeader(values[i].Text) {
			return false
		}
		known++
	}
	if known < 2 {
		return false
	}
	for i, c := range labels {
		if text := strings.TrimSpace(values[i].Text); text != "" && !values[i].Merged {
			b.pair(strings.TrimRight(c.Text, ": ?"), text, layout.CellPlace(at, values[i]))
		}
	}
	return true
}
