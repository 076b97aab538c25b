package captions

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
)

// exchange exchanges each of the rows of captions with the row above it.
func exchange(d *layout.Document, rows []row, captions []int) {
	taken := map[int]bool{}           // lines of text that are replaced
	before := map[int][]layout.Line{} // the lines that stand before a line
	for _, k := range captions {
		upper, lower := rows[k-1], rows[k]
		at := d.Lines[lower.line].At
		if pairs := pairsOf(upper, lower, d); len(pairs) > 0 {
			before[lower.line] = append(before[lower.line], pairs...)
		} else {
			before[lower.line] = append(before[lower.line],
				layout.Line{Text: joined(captionsOf(lower), lower), At: at},
				layout.Line{Text: valuesOf(upper, lower), At: upper.at(d)}, layout.Line{At: at})
		}
		for _, old := range []row{upper, lower} {
			if old.inside < 0 {
				taken[old.line] = true
			} else {
				clear(d.Lines[old.line].Table.Rows[old.inside])
			}
		}
	}
	if len(before) == 0 {
		return
	}
	lines := make([]layout.Line, 0, len(d.Lines)+2*len(captions))
	for i, l := range d.Lines {
		lines = append(lines, before[i]...)
		if !taken[i] {
			lines = append(lines, l)
		}
	}
	for i := range lines {
		lines[i].At.Line = i
	}
	d.Lines = lines
}

// pairsOf returns a line for each caption of a numbered row with the value above it; nil if the row is not numbered.
func pairsOf(values, captions row, d *layout.Document) []layout.Line {
	if len(captions.cells) == 0 || !captions.numbered {
		return nil
	}
	at := values.at(d)
	if len(captions.cells) == 1 {
		if caption := captionText(captions.cells[0]); caption != "" {
			return []layout.Line{{Text: caption + ": " + valuesOf(values, captions), At: at}}
		}
		return nil
	}
	var lines []layout.Line
	for n, c := range inColumns(values.cells, captions) {
		caption, value := captionText(captions.cells[n]), strings.TrimSpace(c.Text)
		switch {
		case caption == "" && value == "" || caption != "" && value == "":
		case caption == "":
			return nil
		default:
			lines = append(lines, layout.Line{Text: caption + ": " + strings.ReplaceAll(value, "\n", " "), At: at})
		}
	}
	return lines
}

// captionText returns a caption without its number, or "" if it cannot be a label in front of a colon.
func captionText(c content.Cell) string {
	text := strings.TrimRight(words.Unnumbered(strings.TrimSpace(c.Text)), "?: ")
	if strings.Contains(text, ":") {
		return ""
	}
	return text
}

// valuesOf returns the values above a row of captions as a line. Several values above a single caption are parts of one
// value: "Ada Quill | 01924 555 0100" above "Broker contact".
func valuesOf(values, captions row) string {
	if len(captions.cells) > 1 || len(values.cells) < 2 {
		return joined(inColumns(values.cells, captions), captions)
	}
	var texts []string
	for _, c := range values.cells {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			texts = append(texts, strings.ReplaceAll(text, "\n", " "))
		}
	}
	return strings.Join(texts, ", ")
}

// at returns the place of the row.
func (r row) at(d *layout.Document) source.Place {
	at := d.Lines[r.line].At
	if i := slices.IndexFunc(r.cells, func(c content.Cell) bool { return strings.TrimSpace(c.Text) != "" }); r.inside >= 0 && i >= 0 {
		return layout.CellPlace(at, r.cells[i])
	}
	return at
}

// captionsOf returns the captions of a row, without text in brackets if a caption contains a colon, because a colon would
// end the label: "Start (12:01 AM)".
func captionsOf(r row) []content.Cell {
	cells := slices.Clone(r.cells)
	for i, c := range cells {
		if plain := strings.TrimSpace(words.Bracketed.ReplaceAllString(c.Text, "")); strings.Contains(c.Text, ":") && plain != "" {
			cells[i].Text = plain
		}
	}
	return cells
}

// joined returns the texts of a row as a line, with marks between the columns that have captions.
func joined(cells []content.Cell, captions row) string {
	texts := make([]string, 0, len(cells))
	for n, c := range cells {
		if strings.TrimSpace(captions.cells[n].Text) == "" {
			continue
		}
		if c.Text = strings.TrimSpace(c.Text); c.Text == "" {
			c.Text = layout.EmptyColumn
		}
		texts = append(texts, strings.ReplaceAll(c.Text, "\n", " "))
	}
	return strings.Join(texts, "\t")
}
