// Package captions finds forms whose labels (captions) stand below their values, and exchanges the
// two, so that later stages find each label above its value:
//
//	Quill Ltd             01924 555 0100
//	Name of applicant     Telephone
package captions

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

const (
	minTurned      = 2     // rows of captions with fitting values above them, in a form with captions
	minBesideColon = 3     // captions in a row in which one contains a colon
	maxColumns     = 12    // columns of a row of captions
	maxRows        = 4_000 // rows of a document that are examined
)

// row is a line of text or a row of a table.
type row struct {
	line   int // index of the line, or of the table's line
	inside int // index of the row in the table; -1 for a line of text
	cells  []content.Cell
	labels []recognise.Match // of a row of captions, one for each cell; nil for another row
	mixed  bool              // another row that contains labels

	numbered bool // a row of captions in a form whose captions are numbered
}

// Turn exchanges the rows of captions with the rows of values above them, in each part of the
// document that is a form with captions.
func Turn(d *candidate.Set) {
	r := assign.New(d)
	rows := rowsOf(d.Lines)
	var turned []int // indexes of rows of captions whose values stand above them
	for start := 0; start < len(rows); {
		part := d.Lines[rows[start].line].At.Part
		end := start
		for end < len(rows) && d.Lines[rows[end].line].At.Part == part {
			end++
		}
		if all := numbered(r, rows, start, end); len(all) > 0 {
			turned = append(turned, withUndecided(r, rows, start, end, all)...)
		} else {
			turned = append(turned, below(r, rows, start, end)...)
		}
		start = end
	}
	exchange(d.Document, rows, turned)
}

// rowsOf lists the lines with text and the rows of tables. The empty rows between them are left
// out, because a caption can stand at some distance.
func rowsOf(lines []layout.Line) (rows []row) {
	for i, l := range lines {
		switch {
		case len(rows) > maxRows:
			return rows
		case l.Table != nil:
			for j, cells := range l.Table.Rows[:min(len(l.Table.Rows), layout.MaxPairRows)] {
				if layout.FilledCells(cells) > 0 && len(cells) <= layout.MaxFormCells {
					rows = append(rows, newRow(i, j, cells))
				}
			}
		case strings.TrimSpace(l.Text) != "" && l.Label == "":
			var cells []content.Cell
			for _, c := range pairs.ColumnsOf(l.Text) {
				cells = append(cells, content.Cell{Text: c})
			}
			rows = append(rows, newRow(i, -1, cells))
		}
	}
	return rows
}

func newRow(line, inside int, cells []content.Cell) row {
	labels, mixed := labelsOf(cells)
	return row{line: line, inside: inside, cells: cells, labels: labels, mixed: mixed}
}

// labelsOf returns the fields of the cells if they are a row of captions, otherwise nil. In a row of
// captions, at least half of the texts are known labels, and the others have no digits. mixed reports
// whether another row contains labels.
func labelsOf(cells []content.Cell) (fields []recognise.Match, mixed bool) {
	filled, digits, last := 0, 0, ""
	for _, c := range cells {
		if c.Merged || c.Text == "" {
			continue
		}
		last = c.Text
		if filled++; parse.HasDigit(c.Text) {
			digits++
		}
	}
	if filled == 1 && (len(last) > assign.MaxLabel || section.MatchString(last)) || digits == filled {
		return nil, false // this check is faster than the search for labels
	}
	labels := make([]recognise.Match, len(cells))
	known, values, colons, beside := 0, 0, 0, 0
	figures := vocabulary.Set("other_labels.figure")
	filled = 0
	for n, c := range cells {
		text := strings.TrimSpace(c.Text)
		if text == "" || c.Merged {
			continue
		}
		if filled++; filled > maxColumns || strings.HasSuffix(text, ":") {
			return nil, false
		}
		if strings.Contains(text, ":") {
			colons++
		}
		m, ok := assign.ClearLabel(text)
		if !ok {
			text = words.Bracketed.ReplaceAllString(text, "") // "Limits (000s)"
			m, ok = assign.ClearLabel(text)
		}
		if ok {
			labels[n] = m
			known++
		} else if figures[words.Key(text)] {
			beside++
		} else if parse.HasDigit(text) {
			values++
		}
	}
	if colons > 0 && (colons > 1 || filled < minBesideColon) {
		return nil, false // "Employees: full-time / part-time" can only be a caption beside others
	}
	if known == 0 || known*2 < filled-beside || values > 0 {
		return nil, known > 0
	}
	return labels, false
}

// section matches the heading of a section, such as "A. The company".
var section = lazyregexp.New(`^\s*(?:[A-Z]|\d{1,2})[.)]\s`)

// below returns the indexes, from start to before end, of rows of captions whose values stand above
// them. It returns none unless more rows of captions have fitting values above than below them.
func below(r *assign.Assigner, rows []row, start, end int) []int {
	var found []int
	lower := 0
	for k := start; k < end; k++ {
		if rows[k].labels == nil {
			continue
		}
		above, under := 0, 0
		if k > start && !(k-1 > start && fitting(r, rows[k], rows[k-2]) > 0) { // otherwise, it repeats the header of a list
			above = fitting(r, rows[k], rows[k-1])
		}
		if k+1 < end {
			under = fitting(r, rows[k], rows[k+1])
		}
		switch {
		case above > under:
			found = append(found, k)
		case under > above:
			lower++
		case above > 0 && (len(found) > 0 && found[len(found)-1] == k-2 || k+2 < end && rows[k+2].labels != nil):
			found = append(found, k) // captions and values alternate
		}
	}
	sure := 0
	for _, k := range found {
		if k+1 == end || fitting(r, rows[k], rows[k-1]) > fitting(r, rows[k], rows[k+1]) {
			sure++
		}
	}
	if sure < minTurned || sure <= lower {
		return nil
	}
	return withUndecided(r, rows, start, end, found)
}

// withUndecided adds the rows of captions that alternate with values like those found, although the
// form of some values, such as a firm's name without its legal form, does not show that they fit.
func withUndecided(r *assign.Assigner, rows []row, start, end int, found []int) []int {
	below := map[int]bool{}
	for _, k := range found {
		below[k] = true
	}
	var all []int
	for k := start; k < end; k++ {
		if k > start && (siteBelow(rows[k-1], rows[k]) || (below[k-2] || rows[k-1].inside < 0) && headersBelow(rows[k-1], rows[k])) {
			below[k] = true
		}
		if !below[k] && rows[k].labels != nil && k > start && rows[k-1].labels == nil && !rows[k-1].mixed && (below[k+2] || below[k-2]) &&
			!below[k+1] && (k+1 == end || fitting(r, rows[k], rows[k+1]) == 0) {
			below[k] = true
		}
		if below[k] {
			all = append(all, k)
		}
	}
	return all
}

// siteBelow reports whether a row is the caption of an insured place whose address is the row above.
func siteBelow(values, captions row) bool {
	if len(values.cells) != 1 || len(captions.cells) != 1 || !siteCaption.MatchString(captions.cells[0].Text) {
		return false
	}
	a, ok := parse.Arranged(values.cells[0].Text)
	return ok && parse.HasDigit(a.Street)
}

var siteCaption = vocabulary.Pattern(`(?i)^\W*{{sites.label}}(?: {{sites.label end}})*(?: \(?\d{1,2}\)?)?\W*$`)

// headersBelow reports whether a row consists of captions for the details of a location, each with a value in the row
// above, of which at least one is a number or an address.
func headersBelow(values, captions row) bool {
	filled := layout.FilledCells(captions.cells)
	if values.labels != nil || values.mixed || filled < minTurned || filled > maxColumns || filled != layout.FilledCells(values.cells) {
		return false
	}
	numbers := false
	for n, c := range inColumns(values.cells, captions) {
		caption := strings.TrimRight(words.Bracketed.ReplaceAllString(captions.cells[n].Text, ""), "? ")
		if strings.TrimSpace(caption) == "" {
			continue
		}
		numbers = numbers || parse.HasDigit(c.Text)
		_, known := recognise.AnyHeader(caption)
		if _, header := recognise.AnyHeader(c.Text); !known || header && !parse.IsAnswer(c.Text) || strings.TrimSpace(c.Text) == "" {
			return false
		}
	}
	return numbers
}

// fitting counts the captions whose values in another row have the form of their fields. If the other row
// also contains a label, such as the value "Corporation", all its values must fit.
func fitting(r *assign.Assigner, captions, values row) int {
	if values.labels != nil {
		return 0
	}
	fits := 0
	for n, c := range inColumns(values.cells, captions) {
		if m := captions.labels[n]; m.Field != "" && c.Text != "" && r.Fits(m.Field, c.Text) {
			fits++
		}
	}
	if values.mixed && fits < max(layout.FilledCells(values.cells), minTurned) {
		return 0
	}
	return fits
}

// inColumns returns the values in the columns of their captions. The rows of a table have the same
// columns; otherwise, the values are in order.
func inColumns(values []content.Cell, captions row) []content.Cell {
	if len(values) == len(captions.cells) {
		return values
	}
	columns := make([]content.Cell, len(captions.cells))
	next := 0
	for _, v := range values {
		if strings.TrimSpace(v.Text) == "" || v.Merged {
			continue
		}
		for next < len(columns) && strings.TrimSpace(captions.cells[next].Text) == "" {
			next++
		}
		if next == len(columns) {
			break
		}
		columns[next] = v
		next++
	}
	return columns
}
