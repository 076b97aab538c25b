package forms

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
)

// maxGrids is the number of rows of a table that are tried as the header of a table of covers.
const maxGrids = 60

// coverGrids proposes the covers in those parts of a table that list covers. Other labels can stand above and beside them.
func (r *Reader) coverGrids(t *content.Table, at source.Place) {
	if compared := withHead(t, r.headsAbove(at.Line)); compared != t {
		t = compared
	} else if r.Whose == party.Other && r.Headed || at.Line < len(r.Lines) && covers.IsOther(r.Above(at.Line)) {
		return
	}
	isLabel := func(text string) bool { _, ok := assign.ClearLabel(text); return ok }
	for i := 0; i < len(t.Rows)-1 && i < maxGrids; i++ {
		if layout.FilledCells(t.Rows[i]) < 2 {
			continue
		}
		from := besideLabel(t.Rows[i])
		part := columnsFrom(t.Rows[i:min(len(t.Rows), i+maxCoverRows)], from)
		texts := layout.Texts(part)
		if slices.ContainsFunc(part[0], isInsurers) && !covers.WantedColumn(texts[0]) {
			continue
		}
		if r.crossedCovers(part, texts, at) > 0 {
			return
		}
		found := covers.Grid(texts, isLabel)
		for n, c := range found {
			at := layout.CellPlace(at, part[c.Row][c.Column])
			at.Line = at.Line*100 + n
			r.Propose("coverage", c.Text, source.Synonym, c.Fit, at)
		}
		if len(found) > 0 {
			i += slices.MaxFunc(found, func(a, b covers.GridCover) int { return a.Row - b.Row }).Row
		}
	}
}

// headsAbove returns the texts in the columns of the line above a table.
func (r *Reader) headsAbove(line int) []string {
	for n := min(line, len(r.Lines)) - 1; n >= max(line-maxHeadGap, 0); n-- {
		switch l := r.Lines[n]; {
		case l.Label != "":
			return []string{l.Label, l.Value}
		case strings.TrimSpace(l.Text) != "":
			return pairs.Cells(l.Text)
		}
	}
	return nil
}

const maxHeadGap = 2 // lines between a table and the line with its headers

// withHead returns the table with the headers of the current and of the requested policy that stand above it as its first row.
func withHead(t *content.Table, heads []string) *content.Table {
	if len(heads) != 2 || len(t.Rows) == 0 || len(t.Rows[0]) < 3 || !covers.Compares(heads[0], heads[1]) {
		return t
	}
	head := []content.Cell{{}, {Text: heads[0]}, {Text: heads[1]}}
	return &content.Table{Title: t.Title, Rows: append([][]content.Cell{head}, t.Rows...)}
}

// crossedCovers proposes the covers that are marked with an X in a table whose columns state what is insured, and returns their
// number.
func (r *Reader) crossedCovers(rows [][]content.Cell, texts [][]string, at source.Place) int {
	if !covers.HasLimits(texts[0]) {
		return 0
	}
	crossed := covers.Crossed(texts)
	for n, c := range crossed {
		at := layout.CellPlace(at, rows[c.Line][0])
		at.Line, at.Boxed = at.Line*100+n, true
		r.Propose("coverage", c.Text, source.Synonym, c.Fit, at)
	}
	return len(crossed)
}

// isInsurers reports whether a header is that of a column for insurers, as a list of the expiring policies has.
func isInsurers(head content.Cell) bool { return labelsInsurer(head.Text) }

// besideLabel returns the first column of a row to the right of a label and its value: "Proposer | Larch Ltd | Cover |
// Limit".
func besideLabel(row []content.Cell) int {
	var filled []int
	for j, c := range row {
		if strings.TrimSpace(c.Text) != "" {
			filled = append(filled, j)
		}
	}
	if len(filled) < 4 {
		return 0
	}
	if _, ok := assign.ClearLabel(row[filled[0]].Text); !ok || covers.IsSection(row[filled[0]].Text) || !covers.IsHeader(layout.Texts([][]content.Cell{row[filled[2]:]})[0]) {
		return 0
	}
	return filled[2]
}

// columnsFrom returns the rows without the columns before the given one.
func columnsFrom(rows [][]content.Cell, from int) [][]content.Cell {
	part := make([][]content.Cell, len(rows))
	for i, row := range rows {
		part[i] = row[min(from, len(row)):]
	}
	return part
}
