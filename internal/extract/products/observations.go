package products

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Observations returns what the layout of the lines shows. Older mails are left out.
func (d *Reader) Observations() []observe.Observation {
	lines, from := make([]observe.Line, 0, len(d.Lines)), make([]int, 0, len(d.Lines))
	add := func(i int, l observe.Line) { lines, from = append(lines, l), append(from, i) }
	for i := 0; i < len(d.Lines); i++ {
		l := d.Lines[i]
		at, text := i, l.Text
		if l.Table == nil && l.Label == "" && !l.Head && !l.At.Quoted {
			text, i = d.flowing(i)
		}
		if l.Table == nil && l.Label == "" && strings.Contains(text, ": ") && !observe.AnyBox(text) {
			if cells := pairs.ColumnsOf(text); len(cells) > 1 && !slices.ContainsFunc(cells, func(c string) bool { return !strings.Contains(c, ": ") }) {
				for _, c := range cells {
					add(at, observe.Line{Text: strings.TrimSpace(c), Part: l.At.Part, Other: l.Head || l.At.Quoted})
				}
				continue
			}
		}
		label, value := l.Label, l.Value
		if cells := pairs.ColumnsOf(text); l.Table == nil && label == "" && len(cells) == 2 && len(cells[0]) <= maxColumnLabel && !strings.Contains(text, ":") && !observe.Crossed(text) && !observe.BeginsBoxed(strings.TrimSpace(text)) {
			label, value, text = cells[0], cells[1], ""
		} else if l.Table == nil && label == "" && len(cells) > 2 && len(cells[0]) <= maxColumnLabel && !strings.ContainsAny(cells[0], ":?") && !observe.Crossed(text) && !observe.AnyBox(text) {
			label, value, text = cells[0], strings.Join(cells[1:], "  "), ""
		} else if left, right, ok := pairs.CutAt(pairs.Dashed, text); ok && l.Table == nil && label == "" && !strings.Contains(text, "\t") && strings.ToUpper(text) != text && covers.IsSection(left) {
			label, value, text = left, right, "" // "Cover - Buildings, Contents"
		} else if ok && l.Table == nil && label == "" && sumFirst.MatchString(right) && len(vocabulary.Covers().Whole(left, 0)) > 0 {
			text = left // "Flood - £5,000,000, with an excess of £1,000"
		}
		add(at, observe.Line{
			Text: strings.TrimSpace(text), Label: label, Value: value, Part: l.At.Part,
			Other: l.Table != nil || l.Head || l.At.Quoted,
		})
		if l.Table == nil || l.At.Quoted || d.tables.Taken[l.Table] != nil {
			continue
		}
		listed, columns := listedColumn{}, d.columnsAbove(i)
		for _, row := range l.Table.Rows[:min(len(l.Table.Rows), layout.MaxPairRows)] {
			if label, value := listed.next(row); label != "" {
				add(at, observe.Line{Label: label, Value: value, Part: l.At.Part})
				continue
			}
			boxed := false
			for _, text := range boxesBefore(row) {
				add(at, observe.Line{Text: text, Part: l.At.Part})
				boxed = true
			}
			for _, c := range row[:min(len(row), layout.MaxFormCells)] {
				if !c.Merged && observe.Boxed(c.Text) {
					add(at, observe.Line{Text: strings.TrimSpace(c.Text), Part: l.At.Part})
					boxed = true
				}
			}
			if text := crossedRow(row); text != "" {
				add(at, observe.Line{Text: text, Part: l.At.Part})
				boxed = true
			}
			if text := layout.OnlyCell(row); !boxed && text != "" && words.Count(text) <= maxTitleWords && !strings.ContainsAny(text, "\n:") && !strings.HasSuffix(text, ".") && len(vocabulary.Covers().Whole(text, 0)) == 0 {
				add(at, observe.Line{Part: l.At.Part})
				add(at, observe.Line{Text: text, Part: l.At.Part})
				add(at, observe.Line{Part: l.At.Part})
			}
			columns.read(row)
			if label, value := rowPair(row); label != "" && !boxed {
				value = columns.value(row, value)
				add(at, observe.Line{Label: label, Value: value, Part: l.At.Part})
			}
		}
	}
	found := observe.Read(lines)
	for i := range found {
		found[i].Line = from[found[i].Line]
	}
	return found
}

// sumFirst matches an amount with its currency at the beginning of a text.
var sumFirst = vocabulary.Pattern(`^\s*(?:{{money.sign}}|{{money.code}})\s*\d`)

// unfinished matches the end of a line that cannot be the end of a sentence.
var unfinished = vocabulary.Pattern(`(?i)(?:[,;&(]|\s(?:or|{{connectives.and}}))$`)

const fullLine = 75 // bytes of a line that was probably wrapped for lack of room

// flowing joins line i with the lines that continue its text, and returns the index of the last
// one. A line with columns or a label of its own does not continue the text.
func (d *Reader) flowing(i int) (string, int) {
	if strings.Contains(d.Lines[i].Text, "\t") || len(pairs.ColumnsOf(d.Lines[i].Text)) > 1 {
		return d.Lines[i].Text, i
	}
	_, starts := d.Paragraph(i)
	var text strings.Builder
	text.WriteString(d.Lines[i].Text)
	last := i
	for n := i + 1; n < i+len(starts); n++ {
		next := d.Lines[n]
		above := strings.TrimSpace(d.Lines[n-1].Text)
		if words.Capital(next.Text) && len(above) < fullLine && !unfinished.MatchString(above) {
			break
		}
		if next.Table != nil || next.Label != "" || next.Head || len(pairs.Split(next.Text)) > 0 || strings.Contains(next.Text, "\t") || len(pairs.ColumnsOf(next.Text)) > 1 || observe.Boxed(next.Text) {
			break
		}
		text.WriteString(" " + strings.TrimSpace(next.Text))
		last = n
	}
	return text.String(), last
}

const maxColumnLabel = 45 // bytes of a label in a column of its own

// crossedRow joins the cells of a row that marks items with an X in the cell before them. It
// returns "" for other rows.
func crossedRow(row []content.Cell) string {
	var texts []string
	crossed, open := false, 0
	for _, c := range row[:min(len(row), layout.MaxFormCells)] {
		text := strings.TrimSpace(c.Text)
		switch {
		case c.Merged || text == "":
		case strings.EqualFold(text, "x"):
			crossed = true
			texts = append(texts, text)
		default:
			open++
			texts = append(texts, text)
		}
	}
	if !crossed || open < 2 {
		return ""
	}
	return strings.Join(texts, "\t")
}

// rowPair returns the label and the value in a row of a form: its first two texts, apart
// from a number or a letter in front.
func rowPair(row []content.Cell) (label, value string) {
	var filled []string
	for _, c := range row[:min(len(row), layout.MaxFormCells)] {
		if text := strings.TrimSpace(c.Text); text != "" && !c.Merged {
			filled = append(filled, text)
		}
	}
	if len(filled) > 2 && (strings.ContainsAny(filled[0], "0123456789") && len(filled[0]) <= 4 || len(strings.Trim(filled[0], "().")) == 1) {
		filled = filled[1:] // "A | Fire | £2,000,000"
	}
	if len(filled) != 2 && len(filled) != 3 {
		return "", ""
	}
	return strings.TrimRight(filled[0], ": "), filled[1]
}

// listedColumn finds the cells of a table that continue a list of covers below its first entry: "Cover | Fire", " | Theft".
type listedColumn struct {
	label  string // of the list; empty if the row above is not part of one
	column int    // of its entries
}

// next returns the label and the value of a row that continues the list, or "".
func (c *listedColumn) next(row []content.Cell) (label, value string) {
	var filled []int
	for j, cell := range row[:min(len(row), layout.MaxFormCells)] {
		if strings.TrimSpace(cell.Text) != "" && !cell.Merged {
			filled = append(filled, j)
		}
	}
	switch {
	case len(filled) == 0:
		c.label = ""
	case c.label != "" && filled[0] == c.column:
		return c.label, strings.TrimSpace(row[filled[0]].Text)
	case len(filled) > 1 && covers.IsSection(row[filled[0]].Text):
		c.label, c.column = strings.TrimRight(strings.TrimSpace(row[filled[0]].Text), ": "), filled[1]
	default:
		c.label = ""
	}
	return "", ""
}

// boxesBefore joins the check boxes that have cells of their own with the texts in the cells to their right. It
// returns nothing if the row does not begin with such a box.
func boxesBefore(row []content.Cell) (texts []string) {
	var entry []string // a box, and the texts to its right
	end := func() {
		if len(entry) > 1 {
			texts = append(texts, strings.Join(entry, " "))
		}
		entry = nil
	}
	first := true
	for _, c := range row[:min(len(row), layout.MaxFormCells)] {
		text := strings.TrimSpace(c.Text)
		if c.Merged || text == "" {
			continue
		}
		switch alone := observe.AnyBox(text) && len(strings.Trim(text, "[]()_ xX✓☒☑☐□")) == 0; {
		case alone:
			end()
			entry = []string{text}
		case first:
			return nil
		case len(entry) > 0 && len(text) <= maxColumnLabel && !strings.ContainsAny(text, "0123456789"):
			entry = append(entry, text)
		default:
			end()
		}
		first = false
	}
	end()
	return texts
}

// stateColumns are the columns of a table that say whether a cover is requested: that of the requested policy beside
// that of the expiring one, and those for yes and no. A column is -1 if there is none.
type stateColumns struct{ wanted, yes, no int }

// columnsAbove returns the columns of a table whose headers stand in the line above it.
func (d *Reader) columnsAbove(line int) stateColumns {
	for n := line - 1; n >= max(line-2, 0); n-- {
		l := d.Lines[n]
		heads := []string{l.Label, l.Value}
		if l.Label == "" {
			heads = pairs.ColumnsOf(l.Text)
		}
		if len(heads) == 2 && covers.Compares(heads[0], heads[1]) {
			return stateColumns{wanted: covers.WantedBeside(append([]string{""}, heads...)), yes: -1, no: -1}
		}
	}
	return stateColumns{wanted: -1, yes: -1, no: -1}
}

// read reads a row that can be the header of a table.
func (c *stateColumns) read(row []content.Cell) {
	texts := layout.Texts([][]content.Cell{row[:min(len(row), layout.MaxFormCells)]})[0]
	if wanted := covers.WantedBeside(texts); wanted >= 0 {
		c.wanted = wanted
	}
	if yes, no := covers.YesNoColumns(texts); yes >= 0 {
		c.yes, c.no = yes, no
	}
}

// value returns the text of the column that states what is requested, if the table has one, otherwise the given value.
func (c *stateColumns) value(row []content.Cell, value string) string {
	text := func(j int) string {
		if j < 0 || j >= len(row) {
			return ""
		}
		return strings.TrimSpace(row[j].Text)
	}
	switch {
	case c.wanted >= 0 && c.wanted < len(row) && words.Missing(text(c.wanted)):
		return "No" // a cover of the expiring policy only
	case c.wanted >= 0 && text(c.wanted) != "":
		return text(c.wanted)
	case c.yes >= 0 && text(c.yes) == "" && strings.EqualFold(text(c.no), "x"):
		return "No"
	}
	return value
}
