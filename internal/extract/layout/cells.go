package layout

import (
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// CellPlace returns the evidence for a cell.
func CellPlace(at source.Place, c content.Cell) source.Place {
	if c.Ref != (content.Ref{}) {
		at.Evidence.Cell, at.Evidence.Line = c.Ref, 0
	}
	return at
}

// FilledCells returns the number of cells that have a text of their own.
func FilledCells(row []content.Cell) (filled int) {
	for _, c := range row {
		if !c.Merged && strings.TrimSpace(c.Text) != "" {
			filled++
		}
	}
	return filled
}

// RowText returns the texts of the cells of a row, separated by spaces, up to 300 bytes.
func RowText(row []content.Cell) string {
	var out strings.Builder
	for _, c := range row {
		if !c.Merged && c.Text != "" {
			out.WriteString(c.Text + " ")
		}
	}
	return words.Cut(out.String(), 300)
}

// MaxCellText is the maximum size in bytes of a cell's text that is examined. Values are
// cut to less.
const MaxCellText = 400

// SingleSpaced returns the text with single spaces between its words. It does not copy a
// text that has them, since the cells of a table can share one.
func SingleSpaced(text string) string {
	space := true
	for _, r := range text {
		if r != ' ' && unicode.IsSpace(r) || r == ' ' && space {
			return strings.Join(strings.Fields(text), " ")
		}
		space = r == ' '
	}
	return strings.TrimSuffix(text, " ")
}

// Narrowed returns the table without empty columns and without the cells beyond
// MaxFormCells of each row, because every cell of a form is compared with all labels. It can share rows
// with the table.
func Narrowed(t *content.Table) *content.Table {
	var filled [MaxFormCells]bool
	for _, row := range t.Rows {
		for j, c := range row[:min(len(row), MaxFormCells)] {
			filled[j] = filled[j] || c.Text != "" || c.Merged
		}
	}
	widest := 0
	for _, row := range t.Rows {
		widest = max(widest, min(len(row), MaxFormCells))
	}
	allFilled := !slices.Contains(filled[:widest], false)
	narrow := *t
	narrow.Rows = make([][]content.Cell, len(t.Rows))
	for i, row := range t.Rows {
		if allFilled {
			n := min(len(row), MaxFormCells)
			narrow.Rows[i] = row[:n:n]
			continue
		}
		kept := make([]content.Cell, 0, min(len(row), MaxFormCells))
		for j, c := range row[:min(len(row), MaxFormCells)] {
			if filled[j] {
				kept = append(kept, c)
			}
		}
		narrow.Rows[i] = kept
	}
	return &narrow
}

// clearColons empties the cells that hold only the colon between a label and its value.
func clearColons(t *content.Table) {
	for _, row := range t.Rows {
		for j := range row {
			if row[j].Text == ":" {
				row[j].Text = ""
			}
		}
	}
}

// joinCurrencies moves the code of a currency that has a column of its own to the amount beside it, if the column has no
// header: "Stock | EUR | 240,000".
func joinCurrencies(t *content.Table) {
	if len(t.Rows) == 0 {
		return
	}
	for j := range t.Rows[0] {
		codes := 0
		for _, row := range t.Rows {
			if j+1 >= len(row) || row[j].Text == "" {
				continue
			}
			if !currencyCode.MatchString(row[j].Text) || !startsWithDigit.MatchString(row[j+1].Text) {
				codes = 0
				break
			}
			codes++
		}
		for i := range t.Rows {
			if row := t.Rows[i]; codes > 0 && j+1 < len(row) && row[j].Text != "" {
				row[j+1].Text, row[j].Text = row[j].Text+" "+row[j+1].Text, ""
			}
		}
	}
}

var (
	currencyCode    = vocabulary.Pattern(`^{{money.code}}$`)
	startsWithDigit = lazyregexp.New(`^\d`)
)

// Labelled reports whether a later cell of a row is a label before a value, as in a row of two
// labels with their values.
func Labelled(row []content.Cell) bool {
	return len(row) > 1 && slices.ContainsFunc(row[1:len(row)-1], func(c content.Cell) bool { return strings.HasSuffix(strings.TrimSpace(c.Text), ":") })
}

// Texts returns the texts of the cells.
func Texts(rows [][]content.Cell) [][]string {
	all := make([][]string, len(rows))
	for i, row := range rows {
		for _, c := range row {
			all[i] = append(all[i], c.Text)
		}
	}
	return all
}

// MaxFormCells is the number of cells in a row of a form, or of a list of values by label, that
// are read.
const MaxFormCells = 100

// MaxPairRows is the number of rows of a table that are searched for labels.
const MaxPairRows = 400

// OnlyCell returns the text of the only cell of a row that has one, or "".
func OnlyCell(row []content.Cell) string {
	text := ""
	for _, c := range row {
		if c.Text != "" && !c.Merged {
			if text != "" {
				return ""
			}
			text = c.Text
		}
	}
	return text
}

// HeadAbove returns the columns of a line above a table as a row of the table with the given number of columns, in which the
// first may be empty. It returns nil if the line has other columns.
func HeadAbove(line string, columns int) []string {
	texts := pairs.Cells(strings.TrimPrefix(line, EmptyColumn))
	if empty := columns - len(texts); len(texts) > 1 && empty >= 0 && empty <= 1 {
		return append(make([]string, empty, columns), texts...)
	}
	return nil
}
