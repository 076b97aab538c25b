package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
)

const maxRTFGroups = 2_000 // open inside each other

// readRTF reads the text and the tables of an RTF document.
func readRTF(r *reading, part *Part, src source) error {
	data, err := src.bytes()
	if err != nil {
		return err
	}
	if err := r.rtf(part, data); err != nil {
		return err
	}
	quoteBlocks(part.Blocks, false)
	if len(part.Blocks) == 0 && part.Note == "" {
		part.note(NoText, "no text")
	}
	return nil
}

// rtfGroup is what holds inside a pair of braces.
type rtfGroup struct {
	skip    bool // not text of the document
	fonts   bool // inside the table of fonts
	hidden  bool
	starred bool // \* was read: skipped unless its name is known
	first   bool // nothing read yet: a word that comes now names the group
	font    int
	instead int // bytes that stand for a \u character
	head    bool
	inTable bool
}

// rtfWalk turns the words of an RTF file into paragraphs and tables.
type rtfWalk struct {
	flow
	data    []byte
	at      int
	group   rtfGroup
	outer   []rtfGroup
	page    encoding.Encoding // of the document
	pages   map[int]encoding.Encoding
	para    strings.Builder
	raw     []byte // characters not yet decoded
	high    rune   // first half of a character of two
	pass    int    // bytes to pass over after \u
	defines int    // the font being defined
}

func (r *reading) rtf(part *Part, data []byte) error {
	w := &rtfWalk{flow: flow{r: r, part: part}, data: data, page: codePage(1252), pages: map[int]encoding.Encoding{}}
	w.group.instead = 1
	for n := 0; w.at < len(data) && !w.full; n++ {
		if n%10_000 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if !w.step() {
			break
		}
	}
	w.endParagraph(false)
	w.endTable()
	return nil
}

// step reads a brace, a word or a character; false at the end of the document.
func (w *rtfWalk) step() bool {
	c := w.data[w.at]
	w.at++
	switch c {
	case '{':
		w.flush()
		w.pass = 0
		if len(w.outer) >= maxRTFGroups {
			w.part.note(Limit, "nested too deeply: the rest left out")
			return false
		}
		w.outer = append(w.outer, w.group)
		w.group.first = true
	case '}':
		w.flush()
		w.pass = 0
		if len(w.outer) == 0 {
			return false
		}
		if last := w.outer[len(w.outer)-1]; w.group.head && !last.head {
			w.endParagraph(false)
			w.endTable()
			w.head = false
		}
		w.group, w.outer = w.outer[len(w.outer)-1], w.outer[:len(w.outer)-1]
	case '\\':
		w.word()
	case '\r', '\n':
	default:
		w.byte(c)
	}
	return true
}

// byte takes a character in the code page of its font.
func (w *rtfWalk) byte(c byte) {
	w.group.first = false
	switch {
	case w.pass > 0:
		w.pass--
	case w.group.skip || w.group.hidden || w.group.fonts:
	case len(w.raw)+w.para.Len() < maxText:
		w.raw = append(w.raw, c)
	}
}

// flush decodes the characters taken so far: those of one font may need each
// other.
func (w *rtfWalk) flush() {
	if len(w.raw) == 0 {
		return
	}
	page := w.pages[w.group.font]
	if page == nil {
		page = w.page
	}
	w.para.WriteString(strings.ReplaceAll(decodeAs(w.raw, page), "\x00", ""))
	w.raw = w.raw[:0]
}

// word reads what follows a backslash: a sign, or a name with its number.
func (w *rtfWalk) word() {
	if w.at >= len(w.data) {
		return
	}
	start := w.at
	for w.at < len(w.data) && w.at-start < 40 && (w.data[w.at]|0x20) >= 'a' && (w.data[w.at]|0x20) <= 'z' {
		w.at++
	}
	if w.at == start {
		w.at++
		w.sign(w.data[start])
		return
	}
	name := string(w.data[start:w.at])
	start = w.at
	for w.at < len(w.data) && w.at-start < 12 && (w.data[w.at] >= '0' && w.data[w.at] <= '9' || w.at == start && w.data[w.at] == '-') {
		w.at++
	}
	number, err := strconv.Atoi(string(w.data[start:w.at]))
	if w.at < len(w.data) && w.data[w.at] == ' ' {
		w.at++
	}
	if w.pass > 0 && name != "u" && name != "bin" {
		w.pass-- // a word, too, may stand for a character
		return
	}
	w.named(name, number, err == nil)
}

func (w *rtfWalk) sign(c byte) {
	switch c {
	case '\'':
		if w.at+2 <= len(w.data) {
			if high, low := hexDigit(w.data[w.at]), hexDigit(w.data[w.at+1]); high >= 0 && low >= 0 {
				w.at += 2
				w.byte(byte(high<<4 | low))
			}
		}
	case '*':
		w.group.starred = true
	case '\\', '{', '}':
		w.byte(c)
	case '~':
		w.put(" ")
	case '_':
		w.put("-")
	case '\r', '\n':
		w.named("par", 0, false)
	}
}

// put adds text that needs no decoding.
func (w *rtfWalk) put(text string) {
	if w.pass > 0 {
		w.pass--
		return
	}
	w.flush()
	if !w.group.skip && !w.group.hidden && !w.group.fonts && w.para.Len() < maxText {
		w.para.WriteString(text)
	}
}

// unit adds a character given by its number, half of which may come first.
func (w *rtfWalk) unit(number int) {
	c := rune(uint16(number))
	switch {
	case utf16.IsSurrogate(c) && w.high == 0:
		w.high = c
	case utf16.IsSurrogate(c):
		w.put(string(utf16.DecodeRune(w.high, c)))
		w.high = 0
	case c >= 0xf020 && c <= 0xf0ff:
		w.put(symbol(fmt.Sprintf("%04X", c)))
	case c >= ' ':
		w.high = 0
		w.put(string(c))
	}
	w.pass = w.group.instead
}
