package layout

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// PlacedText is a text of the document with its place: a line, the value of a label, or a cell.
type PlacedText struct {
	Text string
	At   source.Place
}

// TextsInOrder returns the texts of the document in order, without older mails. If rows of a table are
// taken, only the rows above them are included.
func (d *Document) TextsInOrder(taken map[*content.Table]map[int]bool) []PlacedText {
	texts := make([]PlacedText, 0, min(len(d.Lines), maxTexts))
	for _, l := range d.Lines {
		switch {
		case l.At.Quoted || len(texts) >= maxTexts:
		case l.Table != nil:
			rows := l.Table.Rows[:min(len(l.Table.Rows), MaxPairRows)]
			if rowsTaken := taken[l.Table]; rowsTaken != nil {
				rows = TitleRows(l.Table, rowsTaken)
			}
			for _, row := range rows {
				for _, c := range row[:min(len(row), MaxFormCells)] {
					if !c.Merged && c.Text != "" {
						texts = append(texts, PlacedText{words.Cut(c.Text, MaxLine), CellPlace(l.At, c)})
					}
				}
			}
		case l.Label != "":
			texts = append(texts, PlacedText{l.Value, l.At})
		case strings.TrimSpace(l.Text) != "":
			texts = append(texts, PlacedText{l.Text, l.At})
		}
	}
	return texts
}

// BetweenLines reports whether line i is an empty line that is not in the document itself, where the
// lines above and below it are consecutive.
func (d *Document) BetweenLines(i int) bool {
	if i == 0 || i+1 >= len(d.Lines) || d.Lines[i].Table != nil || d.Lines[i].Label != "" || strings.TrimSpace(d.Lines[i].Text) != "" {
		return false
	}
	above, below := d.Lines[i-1].At, d.Lines[i+1].At
	return above.Part == below.Part && above.Evidence.Line > 0 && below.Evidence.Line == above.Evidence.Line+1
}

// TitleRows returns the rows at the top of a table, above the first one that is taken.
func TitleRows(t *content.Table, taken map[int]bool) [][]content.Cell {
	for i := range t.Rows {
		if taken[i] || i == maxTitleRows {
			return t.Rows[:i]
		}
	}
	return t.Rows
}

const (
	maxTexts     = 20_000
	maxTitleRows = 12 // rows above a statement of values
)
