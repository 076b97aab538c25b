package document

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// word is a document of Word 97-2003 (MS-DOC): its text lies in pieces, and
// the properties of its paragraphs, on pages of 512 bytes, tell which belong
// to tables.
type word struct {
	main       []byte // the stream that holds text and properties
	table      []byte // the stream that says where they are
	forms      []byte // the stream that holds the state of form fields
	paragraphs []wordParagraph
}

// wordParagraph is a range of the main stream.
type wordParagraph struct {
	from, to int
	inTable  bool
	rowEnd   bool // the mark that ends a row of a table
}

// wordPiece is a run of characters that lie together.
type wordPiece struct {
	from, to int // in characters of the document
	at       int // in bytes of the main stream
	narrow   bool
}

func readDOC(r *reading, part *Part, src source) error {
	c, err := openCompound(src.data, src.size)
	if err != nil {
		return err
	}
	d := &word{main: c.stream(0, "WordDocument")}
	switch {
	case len(d.main) < 0x60 || u16(d.main, 0)&0xff00 != 0xa500:
		return unreadable(Damaged, "damaged Word document")
	case u16(d.main, 10)&0x100 != 0:
		return unreadable(Password, "password protected")
	case u16(d.main, 2) < 0xc1:
		return unreadable(Unsupported, "Word document of version 95 or older: not supported")
	case len(d.main) < 0x1aa:
		return unreadable(Damaged, "damaged Word document")
	}
	name := "0Table"
	if u16(d.main, 10)&0x200 != 0 {
		name = "1Table"
	}
	d.table, d.forms = c.stream(0, name), c.stream(0, "Data")
	pieces := d.pieces(slice(d.table, u32(d.main, 0x1a2), u32(d.main, 0x1a6)))
	if len(pieces) == 0 {
		return unreadable(Damaged, "damaged Word document")
	}
	d.readParagraphs()
	if err := d.stories(r, part, pieces); err != nil {
		return err
	}
	quoteBlocks(part.Blocks, false)
	if len(part.Blocks) == 0 && part.Note == "" {
		part.note(NoText, "no text")
	}
	return nil
}

// slice gives a range of bytes, cut to what there is.
func slice(b []byte, at, size uint32) []byte {
	from := min(int64(at), int64(len(b)))
	return b[from:min(from+int64(size), int64(len(b)))]
}

// pieces reads the piece table; properties that come before it are passed over.
func (d *word) pieces(b []byte) []wordPiece {
	for len(b) >= 3 && b[0] == 1 {
		b = b[min(3+u16(b, 1), len(b)):]
	}
	if len(b) < 5 || b[0] != 2 {
		return nil
	}
	b = slice(b, 5, u32(b, 1))
	n := (len(b) - 4) / 12
	var list []wordPiece
	last := 0
	for i := range max(n, 0) {
		at := u32(b, 4*(n+1)+8*i+2)
		p := wordPiece{from: int(u32(b, 4*i)), to: int(u32(b, 4*i+4)), at: int(at & 0x3fffffff), narrow: at&0x40000000 != 0}
		if p.narrow {
			p.at /= 2
		}
		// Pieces follow each other, so that no part of the file is read twice
		// as often as the document has characters.
		if p.from < last || p.to <= p.from || p.at >= len(d.main) {
			continue
		}
		last = p.to
		list = append(list, p)
	}
	return list
}

// readParagraphs lists the ranges of the main stream that are in tables.
func (d *word) readParagraphs() {
	b := slice(d.table, u32(d.main, 0x102), u32(d.main, 0x106))
	n := (len(b) - 4) / 8
	for i := range max(n, 0) {
		page := slice(d.main, u32(b, 4*(n+1)+4*i)&0x3fffff*512, 512)
		if len(page) < 512 || len(d.paragraphs) > 1_000_000 {
			continue
		}
		count := min(int(page[511]), (511-4)/17)
		for j := range count {
			p := wordParagraph{from: int(u32(page, 4*j)), to: int(u32(page, 4*j+4))}
			at := 2 * int(page[4*(count+1)+13*j])
			if at == 0 || at+2 > 511 {
				continue
			}
			size := 2*int(page[at]) - 1
			if at++; size < 0 {
				size = 2 * int(page[at])
				at++
			}
			p.read(page[min(at+2, 511):min(at+size, 511)])
			if p.inTable || p.rowEnd {
				d.paragraphs = append(d.paragraphs, p)
			}
		}
	}
	sort.Slice(d.paragraphs, func(i, j int) bool { return d.paragraphs[i].from < d.paragraphs[j].from })
}

// read looks for the two properties that matter here.
func (p *wordParagraph) read(b []byte) {
	properties(b, func(number int, value []byte) {
		switch number {
		case 0x2416:
			p.inTable = value[0] != 0
		case 0x2417:
			p.rowEnd = value[0] != 0
		}
	})
}

// properties gives each property of a list to visit. The size of a value
// follows from the upper bits of the property's number.
func properties(b []byte, visit func(number int, value []byte)) {
	for len(b) >= 3 {
		number := u16(b, 0)
		b = b[2:]
		size := [8]int{1, 1, 2, 4, 2, 2, 0, 3}[number>>13]
		if size == 0 {
			size = 1 + int(b[0])
			if number == 0xd608 && len(b) > 1 {
				size = 1 + u16(b, 0)
			}
		}
		size = min(size, len(b))
		visit(number, b[:size])
		b = b[size:]
	}
}

// paragraphAt gives the properties of the paragraph around a byte.
func (d *word) paragraphAt(at int) wordParagraph {
	i := sort.Search(len(d.paragraphs), func(i int) bool { return d.paragraphs[i].from > at })
	if i > 0 && at < d.paragraphs[i-1].to {
		return d.paragraphs[i-1]
	}
	return wordParagraph{}
}

// stories reads the text: that of the pages, then notes, page headers,
// comments and text boxes, which follow it in this order.
func (d *word) stories(r *reading, part *Part, pieces []wordPiece) error {
	t := &wordText{doc: d, flow: flow{r: r, part: part}}
	end := 0
	for i, at := range []int{0x4c, 0x50, 0x54, 0x5c, 0x60, 0x64, 0x68} {
		from := end
		end += int(min(u32(d.main, at), 1<<30))
		t.head = i == 2
		for _, p := range pieces {
			if p.from >= end || p.to <= from {
				continue
			}
			if r.ctx.Err() != nil {
				return r.ctx.Err()
			}
			if t.piece(p, from, end); t.full {
				return nil
			}
		}
		t.end()
	}
	return nil
}

// wordText turns characters with their marks into paragraphs and tables.
type wordText struct {
	flow
	doc    *word
	para   strings.Builder
	fields []bool // of the open fields: whether their result has begun
	high   rune   // first half of a character of two
	cellAt bool   // the last mark ended a cell
}

// piece reads the characters of a piece that lie in a story.
func (t *wordText) piece(p wordPiece, from, end int) {
	width := 2 - boolInt(p.narrow)
	first := max(p.from, from)
	at := p.at + (first-p.from)*width
	for n := min(p.to, end) - first; n > 0 && at+width <= len(t.doc.main) && !t.full; n-- {
		if p.narrow {
			t.character(charmap.Windows1252.DecodeByte(t.doc.main[at]), at)
		} else {
			t.character(rune(u16(t.doc.main, at)), at)
		}
		at += width
	}
}

func (t *wordText) character(c rune, at int) {
	switch c {
	case 0x13:
		if len(t.fields) < 1000 {
			t.fields = append(t.fields, false)
		}
		return
	case 0x14, 0x15:
		if n := len(t.fields); n > 0 && c == 0x14 {
			t.fields[n-1] = true
		} else if n > 0 {
			t.fields = t.fields[:n-1]
		}
		return
	}
	if c == 0x01 || c == '(' {
		if sign := t.doc.sign(at); sign != "" {
			t.para.WriteString(sign)
			return
		}
	}
	for _, result := range t.fields {
		if !result {
			return // the instruction of a field
		}
	}
	switch {
	case c == '\r' || c == '\f' || c == 0x0e:
		t.endParagraph(at)
	case c == 0x07:
		t.endMark(at)
	case c == 0x0b:
		t.para.WriteByte('\n')
	case c == 0x1e:
		t.para.WriteByte('-')
	case utf16.IsSurrogate(c):
		if t.high != 0 {
			t.para.WriteRune(utf16.DecodeRune(t.high, c))
			c = 0
		}
		t.high = c
	case c >= 0xf020 && c <= 0xf0ff:
		t.para.WriteString(symbol(fmt.Sprintf("%04X", c)))
	case c == '\t' || c >= ' ':
		if t.para.Len() < maxText {
			t.para.WriteRune(c)
		}
	}
}

func (t *wordText) endParagraph(at int) {
	text := t.para.String()
	t.para.Reset()
	if t.doc.paragraphAt(at).inTable {
		t.inCell(text)
	} else {
		t.paragraph(text)
	}
	t.cellAt = false
}

// endMark ends a cell or a row. Where the properties are lost, two marks in a
// row end a row.
func (t *wordText) endMark(at int) {
	text := t.para.String()
	t.para.Reset()
	rowEnd := t.doc.paragraphAt(at).rowEnd
	if len(t.doc.paragraphs) == 0 {
		rowEnd = t.cellAt && text == ""
	}
	if rowEnd {
		t.endRow()
	} else {
		t.inCell(text)
		t.endCell()
	}
	t.cellAt = !rowEnd
}

// end closes a story.
func (t *wordText) end() {
	t.paragraph(t.para.String())
	t.para.Reset()
	t.fields = nil
}
