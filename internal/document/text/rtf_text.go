package text

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

const maxRTFGroups = 2_000 // open inside each other

// rtfText turns the characters of an RTF file into paragraphs and tables.
type rtfText struct {
	content.Flow
	group       rtfGroup
	outer       []rtfGroup
	encoding    encoding.Encoding         // of the document
	encodings   map[int]encoding.Encoding // of fonts, by number
	paragraph   strings.Builder
	undecoded   []byte // characters of the paragraph in the encoding of its font
	high        rune   // the first half of a surrogate pair
	skip        int    // characters still to skip after \u
	definedFont int    // the font being defined
}

// rtfGroup is the state that applies inside a pair of braces.
type rtfGroup struct {
	skip         bool // its text does not belong to the document
	fonts        bool // it is the table of fonts
	hidden       bool
	optional     bool // it starts with \*: skipped unless its name is known
	unnamed      bool // nothing was read yet: the next word names the group
	font         int
	fallback     int  // characters after each \u that repeat it for programs without Unicode
	headerFooter bool // it is a page header or footer
	inTable      bool
}

// silent reports whether the text of the group is not shown.
func (g *rtfGroup) silent() bool { return g.skip || g.hidden || g.fonts }

func newRTFText(f *content.File) *rtfText {
	return &rtfText{
		Flow: content.Flow{File: f}, group: rtfGroup{fallback: 1},
		encoding: decode.CodePage(1252), encodings: map[int]encoding.Encoding{},
	}
}

// openGroup starts a group. It returns false when too many are open.
func (t *rtfText) openGroup() bool {
	t.flush()
	t.skip = 0
	if len(t.outer) >= maxRTFGroups {
		t.File.AddNote(content.Limit, "nested too deeply: the rest was skipped")
		return false
	}
	t.outer = append(t.outer, t.group)
	t.group.unnamed = true
	return true
}

// closeGroup ends a group. It returns false when none is open, which is the end of
// the document.
func (t *rtfText) closeGroup() bool {
	t.flush()
	t.skip = 0
	if len(t.outer) == 0 {
		return false
	}
	around := t.outer[len(t.outer)-1]
	if t.group.headerFooter && !around.headerFooter {
		t.endParagraph(false)
		t.EndTable()
		t.HeaderFooter = false
	}
	t.group, t.outer = around, t.outer[:len(t.outer)-1]
	return true
}

// character adds a character in the encoding of its font.
func (t *rtfText) character(c byte) {
	t.group.unnamed = false
	switch {
	case t.skip > 0:
		t.skip--
	case t.group.silent():
	case len(t.undecoded)+t.paragraph.Len() < content.MaxText:
		t.undecoded = append(t.undecoded, c)
	}
}

// flush decodes the characters added so far. They are decoded together because
// one character of the text may take several of them.
func (t *rtfText) flush() {
	if len(t.undecoded) == 0 {
		return
	}
	e := t.encodings[t.group.font]
	if e == nil {
		e = t.encoding
	}
	t.paragraph.WriteString(strings.ReplaceAll(decode.With(e, t.undecoded), "\x00", ""))
	t.undecoded = t.undecoded[:0]
}

// write adds text that needs no decoding.
func (t *rtfText) write(text string) {
	if t.skip > 0 {
		t.skip--
		return
	}
	t.flush()
	if !t.group.silent() && t.paragraph.Len() < content.MaxText {
		t.paragraph.WriteString(text)
	}
}

// unicode adds a character given by its number in UTF-16. A surrogate pair comes
// as two numbers.
func (t *rtfText) unicode(number int) {
	c := rune(uint16(number))
	switch {
	case utf16.IsSurrogate(c) && t.high == 0:
		t.high = c
	case utf16.IsSurrogate(c):
		t.write(string(utf16.DecodeRune(t.high, c)))
		t.high = 0
	case c >= 0xf020 && c <= 0xf0ff:
		t.write(decode.Symbol(fmt.Sprintf("%04X", c)))
	case c >= ' ':
		t.high = 0
		t.write(string(c))
	}
	t.skip = t.group.fallback
}

// endParagraph adds the paragraph to the open cell or as a block.
func (t *rtfText) endParagraph(inTable bool) {
	t.flush()
	text := t.paragraph.String()
	t.paragraph.Reset()
	t.high = 0
	if inTable {
		t.CellParagraph(text)
	} else if text != "" || t.InTable() {
		t.Paragraph(text)
	}
}
