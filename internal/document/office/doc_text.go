package office

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// docLengths are the positions in the main stream of the lengths of the stories:
// body, footnotes, page headers and footers, comments, endnotes, text boxes, text
// boxes of headers. The text of the document is all stories in this order.
var docLengths = []int{0x4c, 0x50, docHeaderLength, 0x5c, 0x60, 0x64, 0x68}

const docHeaderLength = 0x54

// readDOCText adds the text of all stories.
func readDOCText(f *content.File, d *docFile, pieces []docPiece) error {
	t := &docText{doc: d, paragraphs: d.tableParagraphs(), left: len(d.main), Flow: content.Flow{File: f}}
	end := 0
	for _, at := range docLengths {
		from := end
		end += int(min(compound.Uint32(d.main, at), 1<<30))
		t.HeaderFooter = at == docHeaderLength
		for _, p := range pieces {
			if p.from >= end || p.to <= from {
				continue
			}
			if f.Err() != nil {
				return f.Err()
			}
			if t.readPiece(p, from, end); t.Full {
				return nil
			}
		}
		t.endStory()
	}
	return nil
}

// docText turns characters and the marks among them into paragraphs and tables.
type docText struct {
	content.Flow
	doc        *docFile
	paragraphs []docParagraph // those of tables
	paragraph  strings.Builder
	left       int    // bytes that may still be read: pieces may share bytes
	fields     []bool // for each open field, whether its result has begun
	pending    int    // open fields whose result has not begun
	high       rune   // the first half of a surrogate pair
	afterCell  bool   // the last mark ended a cell
}

// readPiece reads the characters of a piece that belong to a story.
func (t *docText) readPiece(p docPiece, from, end int) {
	width := 2
	if p.narrow {
		width = 1
	}
	first := max(p.from, from)
	at := p.at + (first-p.from)*width
	for n := min(p.to, end) - first; n > 0 && at+width <= len(t.doc.main) && !t.Full; n-- {
		if t.left -= width; t.left < 0 {
			t.File.AddNote(content.Damaged, "damaged Word document: only partly read")
			return
		}
		if p.narrow {
			t.character(charmap.Windows1252.DecodeByte(t.doc.main[at]), at)
		} else {
			t.character(rune(compound.Uint16(t.doc.main, at)), at)
		}
		at += width
	}
}

// character adds a character of the text or acts on a mark, at a byte of the main
// stream.
func (t *docText) character(c rune, at int) {
	switch c {
	case 0x13:
		if len(t.fields) < 1000 {
			t.fields = append(t.fields, false)
			t.pending++
		}
		return
	case 0x14, 0x15:
		n := len(t.fields)
		if n == 0 {
			return
		}
		if !t.fields[n-1] {
			t.pending--
		}
		if t.fields[n-1] = true; c == 0x15 {
			t.fields = t.fields[:n-1]
		}
		return
	}
	if c == 0x01 || c == '(' {
		if symbol := t.doc.symbol(at); symbol != "" {
			t.write(symbol)
			return
		}
	}
	if t.pending > 0 {
		return // the instruction of a field is not shown
	}
	switch {
	case c == '\r' || c == '\f' || c == 0x0e:
		t.endParagraph(at)
	case c == 0x07:
		t.endCellOrRow(at)
	case c == 0x0b:
		t.write("\n")
	case c == 0x1e:
		t.write("-")
	case utf16.IsSurrogate(c):
		if t.high != 0 {
			t.write(string(utf16.DecodeRune(t.high, c)))
			c = 0
		}
		t.high = c
	case c >= 0xf020 && c <= 0xf0ff:
		t.write(decode.Symbol(fmt.Sprintf("%04X", c)))
	case c == '\t' || c >= ' ':
		if t.paragraph.Len() < content.MaxText {
			t.paragraph.WriteRune(c)
		}
	}
}

// write adds a text to the paragraph.
func (t *docText) write(text string) {
	if t.paragraph.Len() < content.MaxText {
		t.paragraph.WriteString(text)
	}
}

func (t *docText) endParagraph(at int) {
	text := t.paragraph.String()
	t.paragraph.Reset()
	if paragraphAt(t.paragraphs, at).inTable {
		t.CellParagraph(text)
	} else {
		t.Paragraph(text)
	}
	t.afterCell = false
}

// endCellOrRow ends a cell or a row. The same mark stands for both: the
// properties of the paragraph say which. Without properties, a mark that follows
// another one directly ends a row.
func (t *docText) endCellOrRow(at int) {
	text := t.paragraph.String()
	t.paragraph.Reset()
	rowEnd := paragraphAt(t.paragraphs, at).rowEnd
	if len(t.paragraphs) == 0 {
		rowEnd = t.afterCell && text == ""
	}
	if rowEnd {
		t.EndRow()
	} else {
		t.CellParagraph(text)
		t.EndCell()
	}
	t.afterCell = !rowEnd
}

// endStory ends a story.
func (t *docText) endStory() {
	t.Paragraph(t.paragraph.String())
	t.paragraph.Reset()
	t.fields, t.pending = nil, 0
}
