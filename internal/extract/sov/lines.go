package sov

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// gapParts matches the gaps between the cells of a line of a table in text.
var gapParts = lazyregexp.New(`\t|\s{2,}`)

// signGap matches the spaces after a currency sign.
var signGap = lazyregexp.New(`([$£€])\s+`)

// lineParts returns the parts of line n if it is a line of text.
func (d *Tables) lineParts(n, part int) []string {
	if n < 0 || n >= len(d.Lines) {
		return nil
	}
	l := d.Lines[n]
	if l.Table != nil || l.Label != "" || l.At.Part != part || strings.TrimSpace(l.Text) == "" {
		return nil
	}
	return gapParts.Split(signGap.ReplaceAllString(strings.TrimSpace(l.Text), "$1"), -1)
}

// rowOf returns the texts as cells of a row.
func rowOf(texts []string) []content.Cell {
	row := make([]content.Cell, len(texts))
	for i, t := range texts {
		row[i].Text = strings.TrimSpace(t)
	}
	return row
}

// isDrawn reports whether a line consists of characters that draw a rule: "---- ----".
func (d *Tables) isDrawn(n int) bool {
	l := d.Lines[n]
	return l.Table == nil && l.Label == "" && strings.Trim(l.Text, "-=+|_ \t") == ""
}

// widened splits headers that the reader took for one because they stand close together, such as
// "Prem Bldg" above two columns. It returns nil if the headers are then not as many as the columns.
func widened(headers []string, width int) []string {
	if len(headers) == width {
		return headers
	}
	var out []string
	for i, h := range headers {
		split := strings.Fields(h)
		known := len(split) > 1 && len(out)+len(split)+len(headers)-i-1 <= width
		for _, w := range split {
			_, ok := recognise.HeaderForms()[words.Key(w)]
			known = known && ok
		}
		if known {
			out = append(out, split...)
		} else {
			out = append(out, h)
		}
	}
	if len(out) != width {
		return nil
	}
	return out
}

// completeTable adds lines around a table in text that the reader of the document did not add: a
// header above it, and rows below it with as many parts as the table has columns.
func (d *Tables) completeTable(t *content.Table, at source.Place) {
	if len(t.Rows) < 2 || len(t.Rows[0]) < 3 || at.Evidence.Sheet != "" {
		return
	}
	width := len(t.Rows[0])
	above := at.Line - 1
	for above >= 0 && above > at.Line-4 && d.isDrawn(above) {
		above--
	}
	texts := d.lineParts(above, at.Part)
	if completeRepeated(t.Rows[0], texts) {
		d.Lines[above].Text = ""
	} else if len(texts) == width-1 && holdHeads(rowOf(texts)) {
		// "Location 1   Location 2" above the columns of a table on its side
		t.Rows = append([][]content.Cell{append(make([]content.Cell, 1), rowOf(texts)...)}, t.Rows...)
		d.Lines[above].Text = ""
	} else if len(texts) > 2 && !column.LooksLikeHeader(t.Rows[0]) {
		if row := rowOf(widened(texts, width)); len(row) > 0 && column.LooksLikeHeader(row) {
			t.Rows = append([][]content.Cell{row}, t.Rows...)
			d.Lines[above].Text = ""
		}
	}
	for n := at.Line + 1; ; n++ {
		texts := d.lineParts(n, at.Part)
		if len(texts) != width || column.LooksLikeHeader(rowOf(texts)) {
			break
		}
		t.Rows = append(t.Rows, rowOf(texts))
		d.Lines[n].Text = ""
	}
}

// completeRepeated completes headers that occur several times in a row, such as "Replacement", with the upper
// lines of these headers: "Building", "Contents". It reports whether there were as many as these headers.
func completeRepeated(header []content.Cell, upper []string) bool {
	if len(upper) < 2 || !column.LooksLikeHeader(header) || !column.LooksLikeHeader(rowOf(upper)) {
		return false
	}
	counts := map[string]int{}
	for _, c := range header {
		counts[words.Key(c.Text)]++
	}
	var repeated []int
	for i, c := range header {
		if key := words.Key(c.Text); key != "" && counts[key] > 1 {
			repeated = append(repeated, i)
		}
	}
	if len(repeated) != len(upper) {
		return false
	}
	for n, i := range repeated {
		header[i].Text = upper[n] + " " + header[i].Text
	}
	return true
}

// readLines reads a statement of values that consists of lines with wide gaps, which the reader of
// the document did not take for a table, because it has few rows. It returns the number of lines.
func (d *Tables) readLines(n int) int {
	at := d.Lines[n].At
	headers := d.lineParts(n, at.Part)
	if len(headers) < 3 || len(headers) > layout.MaxFormCells || !column.LooksLikeHeader(rowOf(headers)) {
		return 0
	}
	t := &content.Table{}
	next := n + 1
	for next < len(d.Lines) && next <= n+2 && d.isDrawn(next) {
		next++
	}
	for ; next < len(d.Lines); next++ {
		texts := d.lineParts(next, at.Part)
		if len(t.Rows) == 0 && len(texts) > 0 {
			if headers = widened(headers, len(texts)); headers == nil {
				return 0
			}
			t.Rows = append(t.Rows, rowOf(headers))
		}
		if len(texts) != len(headers) || len(texts) == 0 || column.LooksLikeHeader(rowOf(texts)) {
			break
		}
		t.Rows = append(t.Rows, rowOf(texts))
	}
	if len(t.Rows) < 2 {
		return 0
	}
	if columns, height := column.HeaderAt(t, 0, d.addresses); height == 0 || isSchedule(t, columns, 0) {
		return 0
	}
	read, known := slices.Clone(d.Lines[n:next]), len(d.Segments)
	for i := n; i < next; i++ {
		d.Lines[i].Text = ""
	}
	d.readSOV(t, at, false)
	for _, s := range d.Segments[known:] {
		if slices.ContainsFunc(s.Rows, func(r location.Row) bool { return r.Values() || r.Place() && r.DescribesBuilding() }) {
			return next - n
		}
	}
	copy(d.Lines[n:], read)
	d.Segments = d.Segments[:known]
	return 0
}
