package view

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy.example/internal/document/content"
)

const (
	maxText  = 16 << 10 // bytes of a text that are shown
	maxSpans = 1_000    // of one line, value or cell
	overhead = 40       // bytes that a block, cell or span takes besides its texts
)

// unit is the smallest piece of a part that a window shows: a line, a label with its
// value, or a row of a table.
type unit struct {
	source *content.Block
	at     Cursor
	text   string         // of a line
	row    []content.Cell // of a table
}

// unitsOf yields the units of a part that the query selects, regardless of their size.
func unitsOf(part *content.Part, q Query) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		blocks := part.Blocks
		if part.Mail != nil {
			blocks = slices.Concat(mailBlocks(part), part.Blocks)
		}
		for i := q.From.Block; i < len(blocks); i++ {
			b, first := &blocks[i], 0
			if i == q.From.Block {
				first = q.From.Row
			}
			for u := range unitsOfBlock(b, i) {
				if u.at.Row >= first && (q.Page == 0 || u.page() == q.Page) && !yield(u) {
					return
				}
			}
		}
	}
}

func unitsOfBlock(b *content.Block, number int) iter.Seq[unit] {
	return func(yield func(unit) bool) {
		switch {
		case b.Table != nil:
			for i, row := range b.Table.Rows {
				if !yield(unit{b, Cursor{number, i}, "", row}) {
					return
				}
			}
		case b.Label != "":
			yield(unit{b, Cursor{number, 0}, "", nil})
		default:
			row := 0
			for line := range strings.SplitSeq(b.Text, "\n") {
				if !yield(unit{b, Cursor{number, row}, strings.TrimRight(line, " \r"), nil}) {
					return
				}
				row++
			}
		}
	}
}

// mailBlocks returns the header fields of a mail. Values from them have the part as
// their evidence.
func mailBlocks(part *content.Part) (blocks []content.Block) {
	m := part.Mail
	for _, field := range []struct{ name, value string }{{"From", m.From}, {"To", m.To}, {"Cc", m.Cc}, {"Subject", m.Subject}, {"Date", m.Date}} {
		if field.value != "" {
			blocks = append(blocks, content.Block{Label: field.name, Value: field.value, Place: content.Place{Part: part.Name}})
		}
	}
	return blocks
}

// page returns the page of the unit; 0 if it has none. Rows of a table can be on later
// pages than its beginning.
func (u unit) page() int {
	for _, cell := range u.row {
		if len(cell.Spans) > 0 {
			return cell.Spans[0].Page
		}
	}
	return u.source.Place.Page
}

// place returns the evidence of a value in the unit, or in a cell of it.
func (u unit) place(cell *content.Cell) string {
	at := u.source.Place
	switch {
	case cell != nil && cell.Ref != (content.Ref{}):
		at.Cell, at.Line = cell.Ref, 0
	case at.Line > 0:
		at.Line += u.at.Row
	}
	return storable(at.String())
}

// isAt reports whether the evidence is the place of the unit or of one of its cells. A
// table itself is at the place of each row.
func (u unit) isAt(place string) bool {
	return u.source.Table == nil && u.place(nil) == place || u.source.Table != nil && storable(u.source.Place.String()) == place ||
		slices.ContainsFunc(u.row, func(c content.Cell) bool { return u.place(&c) == place })
}

// contains reports whether the unit, or its cell at the place, contains the text.
func (u unit) contains(place, text string) bool {
	has := func(in string) bool {
		return strings.Contains(strings.ToLower(in), strings.ToLower(text))
	}
	return has(u.text) || has(u.source.Value) || slices.ContainsFunc(u.row, func(c content.Cell) bool { return has(c.Text) })
}

// block returns the unit as a window of the size shows it.
func (u unit) block(size int) Block {
	b := Block{Place: u.place(nil), Quoted: u.source.Quoted}
	switch {
	case u.row != nil:
		b.Place = storable(u.source.Place.String())
		b.Title, b.Row = cut(u.source.Table.Title, 255), u.at.Row
		row := make([]Cell, len(u.row))
		most := max(min(size/max(len(row), 1), maxText), 100)
		for i := range u.row {
			c := &u.row[i]
			row[i] = Cell{c.Ref.String(), u.place(c), cut(c.Text, most), c.Merged, spansOf(c.Spans)}
		}
		b.Rows = [][]Cell{row}
	case u.source.Label != "":
		b.Label, b.Value, b.Spans = cut(u.source.Label, maxText), cut(u.source.Value, maxText), spansOf(u.source.Spans)
	default:
		b.Text, b.Spans = cut(u.text, maxText), spansOf(u.source.Spans)
	}
	return b
}

func spansOf(spans []content.Span) []Span {
	var out []Span
	for _, s := range spans[:min(len(spans), maxSpans)] {
		out = append(out, Span{cut(s.Text, maxText), s.Page, s.X, s.Y, s.Width, s.Height, s.Turns})
	}
	return out
}

// AllSpans returns the spans of the block and of its cells.
func (b Block) AllSpans() []Span {
	all := slices.Clip(b.Spans)
	for _, row := range b.Rows {
		for _, c := range row {
			all = append(all, c.Spans...)
		}
	}
	return all
}

// size returns the approximate size of the block in bytes.
func (b Block) size() int {
	n := overhead + len(b.Place) + len(b.Text) + len(b.Label) + len(b.Value) + len(b.Title)
	for _, row := range b.Rows {
		for _, c := range row {
			n += overhead + len(c.Ref) + len(c.Place) + len(c.Text)
		}
	}
	for _, s := range b.AllSpans() {
		n += 2*overhead + len(s.Text)
	}
	return n
}

// storable returns the text as valid UTF-8 without NUL characters, which is the form of
// the evidence of values.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// cut returns the beginning of the text, up to a number of bytes, with an ellipsis if it
// is longer.
func cut(text string, most int) string {
	text = storable(text)
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
