package forms

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
)

const (
	minStacked     = 5 // labels with fitting values below them
	minStackedRows = 3 // rows with such labels
	maxStackedRows = 60
	maxAddressRows = 3 // lines of an address below its label
)

// stackedLabel is a label in a column of labels and values.
type stackedLabel struct {
	row, column int
	field       string
}

// stacked reads a table whose columns are lists of labels, each above its value, as portals print them. The columns can
// have values of different heights, so that a label stands beside a value:
//
//	Insured name       Agency              Effective date
//	Quill LLC          Farr Agency         5/1/2027
//	Mailing address    Phone               Expiration date
//	5 Mill Street      (406) 555-0149      5/1/2028
//	Bend, OR 97701     Producer code       Indicated premium
//	Year started       QF-22               $63,215
//	2009
func (r *Reader) stacked(t *content.Table, at source.Place) bool {
	if len(t.Rows) < minStackedRows*2 || len(t.Rows) > maxStackedRows {
		return false
	}
	var labels []stackedLabel
	rows, columns := map[int]bool{}, map[int]bool{}
	below, beside, mixed := 0, 0, false
	for i, row := range t.Rows {
		known, filled := 0, layout.FilledCells(row)
		for j, c := range row {
			m, ok := stackedAt(t, i, j)
			if !ok {
				continue
			}
			known++
			labels = append(labels, stackedLabel{i, j, m.Field})
			if value := cellAt(t, i+1, j); value.Text != "" && r.Fits(m.Field, value.Text) {
				below++
				rows[i], columns[j] = true, true
			}
			if next := besideCell(row, j); next != "" && r.Fits(m.Field, next) && !strings.HasSuffix(c.Text, ":") {
				beside++
			}
		}
		mixed = mixed || known > 0 && known < filled
	}
	if below < minStacked || below <= beside*2 || len(rows) < minStackedRows || len(columns) < 2 || !mixed {
		return false
	}
	for _, l := range labels {
		value := cellAt(t, l.row+1, l.column)
		text := value.Text
		for n := 2; addressLabel(l.field) && n <= maxAddressRows; n++ {
			next := cellAt(t, l.row+n, l.column)
			if _, label := stackedAt(t, l.row+n, l.column); next.Text == "" || label {
				break
			}
			text += "\n" + next.Text
		}
		if value.Date != "" {
			text = value.Date
		}
		if _, label := stackedAt(t, l.row+1, l.column); text != "" && !label {
			r.Pair(t.Rows[l.row][l.column].Text, text, source.Label, layout.CellPlace(at, value))
		}
	}
	return true
}

func addressLabel(field string) bool {
	return field == "address" || field == "~address" || field == "broker_address"
}

// stackedAt returns the field of the label in a cell.
func stackedAt(t *content.Table, i, j int) (recognise.Match, bool) {
	c := cellAt(t, i, j)
	if c.Text == "" {
		return recognise.Match{}, false
	}
	return assign.ClearLabel(c.Text)
}

// cellAt returns a cell, or an empty one if there is none.
func cellAt(t *content.Table, i, j int) content.Cell {
	if i >= len(t.Rows) || j >= len(t.Rows[i]) || t.Rows[i][j].Merged {
		return content.Cell{}
	}
	return t.Rows[i][j]
}

// besideCell returns the text of the next filled cell of a row.
func besideCell(row []content.Cell, j int) string {
	for _, c := range row[j+1:] {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			return text
		}
	}
	return ""
}
