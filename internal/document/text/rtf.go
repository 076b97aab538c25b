package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

const maxRTFGroups = 2_000 // open inside each other

// ReadRTF reads the text and the tables of an RTF document.
func ReadRTF(f *content.File) error {
	data, err := f.Bytes()
	if err != nil {
		return err
	}
	if err := addRTF(f, data); err != nil {
		return err
	}
	MarkQuoted(f.Blocks, false)
	if len(f.Blocks) == 0 && f.Note == "" {
		f.AddNote(content.NoText, "no text")
	}
	return nil
}

// AddRTFMail adds the text and the tables of the body of a mail as blocks.
func AddRTFMail(f *content.File, data []byte) error {
	before := len(f.Blocks)
	if err := addRTF(f, data); err != nil {
		return err
	}
	MarkQuoted(f.Blocks[before:], true)
	return nil
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

// rtfParser turns the control words and the text of an RTF file into paragraphs
// and tables.
type rtfParser struct {
	content.Flow
	data        []byte
	at          int
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

func addRTF(f *content.File, data []byte) error {
	p := &rtfParser{Flow: content.Flow{File: f}, data: data, encoding: decode.CodePage(1252), encodings: map[int]encoding.Encoding{}}
	p.group.fallback = 1
	for n := 0; p.at < len(data) && !p.Full; n++ {
		if n%10_000 == 0 && f.Err() != nil {
			return f.Err()
		}
		if !p.step() {
			break
		}
	}
	p.endParagraph(false)
	p.EndTable()
	return nil
}

// step reads a brace, a control word or a character. It returns false at the end
// of the document.
func (p *rtfParser) step() bool {
	c := p.data[p.at]
	p.at++
	switch c {
	case '{':
		p.flush()
		p.skip = 0
		if len(p.outer) >= maxRTFGroups {
			p.File.AddNote(content.Limit, "nested too deeply: the rest left out")
			return false
		}
		p.outer = append(p.outer, p.group)
		p.group.unnamed = true
	case '}':
		p.flush()
		p.skip = 0
		if len(p.outer) == 0 {
			return false
		}
		if last := p.outer[len(p.outer)-1]; p.group.headerFooter && !last.headerFooter {
			p.endParagraph(false)
			p.EndTable()
			p.HeaderFooter = false
		}
		p.group, p.outer = p.outer[len(p.outer)-1], p.outer[:len(p.outer)-1]
	case '\\':
		p.control()
	case '\r', '\n':
	default:
		p.character(c)
	}
	return true
}

// character takes a character in the encoding of its font.
func (p *rtfParser) character(c byte) {
	p.group.unnamed = false
	switch {
	case p.skip > 0:
		p.skip--
	case p.group.silent():
	case len(p.undecoded)+p.paragraph.Len() < content.MaxText:
		p.undecoded = append(p.undecoded, c)
	}
}

// flush decodes the characters taken so far. They are decoded together because
// one character of the text may take several of them.
func (p *rtfParser) flush() {
	if len(p.undecoded) == 0 {
		return
	}
	e := p.encodings[p.group.font]
	if e == nil {
		e = p.encoding
	}
	p.paragraph.WriteString(strings.ReplaceAll(decode.With(e, p.undecoded), "\x00", ""))
	p.undecoded = p.undecoded[:0]
}

// control reads what follows a backslash: a symbol, or a word with its number.
func (p *rtfParser) control() {
	if p.at >= len(p.data) {
		return
	}
	start := p.at
	for p.at < len(p.data) && p.at-start < 40 && (p.data[p.at]|0x20) >= 'a' && (p.data[p.at]|0x20) <= 'z' {
		p.at++
	}
	if p.at == start {
		p.at++
		p.symbol(p.data[start])
		return
	}
	name := string(p.data[start:p.at])
	start = p.at
	for p.at < len(p.data) && p.at-start < 12 && (p.data[p.at] >= '0' && p.data[p.at] <= '9' || p.at == start && p.data[p.at] == '-') {
		p.at++
	}
	number, err := strconv.Atoi(string(p.data[start:p.at]))
	if p.at < len(p.data) && p.data[p.at] == ' ' {
		p.at++
	}
	if p.skip > 0 && name != "u" && name != "bin" {
		p.skip-- // a control word counts as one character
		return
	}
	p.word(name, number, err == nil)
}

func (p *rtfParser) symbol(c byte) {
	switch c {
	case '\'':
		if p.at+2 <= len(p.data) {
			if high, low := decode.HexDigit(p.data[p.at]), decode.HexDigit(p.data[p.at+1]); high >= 0 && low >= 0 {
				p.at += 2
				p.character(byte(high<<4 | low))
			}
		}
	case '*':
		p.group.optional = true
	case '\\', '{', '}':
		p.character(c)
	case '~':
		p.write(" ")
	case '_':
		p.write("-")
	case '\r', '\n':
		p.word("par", 0, false)
	}
}

// write adds text that needs no decoding.
func (p *rtfParser) write(text string) {
	if p.skip > 0 {
		p.skip--
		return
	}
	p.flush()
	if !p.group.silent() && p.paragraph.Len() < content.MaxText {
		p.paragraph.WriteString(text)
	}
}

// unicode adds a character given by its number in UTF-16. A surrogate pair
// comes as two numbers.
func (p *rtfParser) unicode(number int) {
	c := rune(uint16(number))
	switch {
	case utf16.IsSurrogate(c) && p.high == 0:
		p.high = c
	case utf16.IsSurrogate(c):
		p.write(string(utf16.DecodeRune(p.high, c)))
		p.high = 0
	case c >= 0xf020 && c <= 0xf0ff:
		p.write(decode.Symbol(fmt.Sprintf("%04X", c)))
	case c >= ' ':
		p.high = 0
		p.write(string(c))
	}
	p.skip = p.group.fallback
}

// silent reports whether the text of the group is not shown.
func (g *rtfGroup) silent() bool { return g.skip || g.hidden || g.fonts }
