package document

import (
	"encoding/binary"
	"strings"
	"testing"
)

// docOf makes a Word 97-2003 document of a text in narrow and one in wide
// characters; the marks in it are Word's own. Paragraphs that end in a mark of
// a cell are in a table; the one in a cell's mark alone, with ~ before it, ends
// the row. What follows the bar is the page header.
func docOf(narrow, rest string) string {
	text, header, _ := strings.Cut(narrow+rest, "|")
	split := len(narrow)
	full := []rune(text + header)
	const start = 0x400
	main := make([]byte, start)
	var ends []uint32 // of paragraphs, in bytes
	var kinds []string
	var kept []rune
	pieceAt := []int{start, 0}
	rowEnd := false
	for i, c := range full {
		if i == split {
			pieceAt[1] = len(main)
		}
		if c == '~' {
			rowEnd, c = true, '\x07'
		}
		kept = append(kept, c)
		if i < split {
			main = append(main, byte(c))
		} else {
			main = binary.LittleEndian.AppendUint16(main, uint16(c))
		}
		if c == '\r' || c == '\x07' {
			ends = append(ends, uint32(len(main)))
			kinds = append(kinds, map[bool]string{true: "\x16\x24\x01\x17\x24\x01", false: map[bool]string{true: "\x16\x24\x01", false: ""}[c == '\x07']}[rowEnd])
			rowEnd = false
		}
	}
	for len(main)%512 != 0 {
		main = append(main, 0)
	}
	pageNumber := len(main) / 512
	page := make([]byte, 512)
	binary.LittleEndian.PutUint32(page, start)
	at := 500
	for i, end := range ends {
		binary.LittleEndian.PutUint32(page[4*(i+1):], end)
		// The size, the style, the properties.
		entry := "\x00" + little(uint8((2+len(kinds[i])+1)/2), uint16(0), kinds[i])
		at = (at - len(entry)) &^ 1
		copy(page[at:], entry)
		page[4*(len(ends)+1)+13*i] = byte(at / 2)
	}
	page[511] = byte(len(ends))
	main = append(main, page...)
	pieces := little(uint32(0), uint32(split), uint32(len(kept)), uint16(0), uint32(2*pieceAt[0])|1<<30, uint16(0), uint16(0), uint32(pieceAt[1]), uint16(0))
	clx := little(uint8(1), uint16(2), "xx", uint8(2), uint32(len(pieces)), pieces)
	ranges := little(uint32(start), uint32(len(main)), uint32(pageNumber))
	put16 := func(at, v int) { binary.LittleEndian.PutUint16(main[at:], uint16(v)) }
	put32 := func(at, v int) { binary.LittleEndian.PutUint32(main[at:], uint32(v)) }
	put16(0, 0xa5ec)
	put16(2, 0xc1)
	put16(10, 0x200)
	put32(0x4c, len([]rune(text)))
	put32(0x54, len([]rune(header)))
	put32(0x102, len(clx))
	put32(0x106, len(ranges))
	put32(0x1a2, 0)
	put32(0x1a6, len(clx))
	return compoundOf("WordDocument", string(main), "1Table", clx+ranges)
}

func TestDOC(t *testing.T) {
	file := docOf("Insured: \x13 HYPERLINK \"x\" \x14Acme\x15 Ltd\rNo\x07City\x07~1\x07\x07~", "2\x07Łódź\x07~After\x0bthe table\r|Page one\r")
	want := "Insured: Acme Ltd\n[]\n  No|City|\n  1||\n  2|Łódź|\nAfter\nthe table\n^ Page one\n"
	part := mustRead(t, "a.doc", file)[0]
	if got := show(part); got != want || part.Format != DOC || part.Note != "" {
		t.Errorf("%s %q: got\n%s\nwant\n%s", part.Format, part.Note, got, want)
	}
	if ref := part.Blocks[1].Table.Rows[2][1].Ref; ref != "row 3, column 2" {
		t.Errorf("cell %q", ref)
	}
}

func TestDOCStates(t *testing.T) {
	head := func(version, flags int) string {
		return compoundOf("WordDocument", little(uint16(0xa5ec), uint16(version), strings.Repeat("\x00", 6), uint16(flags), strings.Repeat("\x00", 1000)))
	}
	tests := []struct {
		name, content, note string
		cause               Cause
	}{
		{"password", head(0xc1, 0x100), "password protected", Password},
		{"Word 95", head(0x68, 0), "Word document of version 95 or older: not supported", Unsupported},
		{"no pieces", head(0xc1, 0), "damaged Word document", Damaged},
		{"no head", compoundOf("WordDocument", "x"), "damaged Word document", Damaged},
		{"no text", docOf("\r", "\r"), "no text", NoText},
	}
	for _, tt := range tests {
		parts, err := document(t, "a.doc", tt.content)
		note, cause := reasonOf(parts, err)
		if note != tt.note || cause != tt.cause {
			t.Errorf("%s: %q %q, want %q %q", tt.name, note, cause, tt.note, tt.cause)
		}
	}
}

// TestDOCSigns reads a ticked box, one that is open by default, a sign of a
// symbol font and an honest bracket.
func TestDOCSigns(t *testing.T) {
	box := func(bits int, standard ...any) string {
		return little(uint32(0), uint16(68), strings.Repeat("\x00", 62), uint32(0xffffffff), uint16(bits), uint16(0), uint16(20), uint16(1), wide("N"), uint16(0)) + little(standard...)
	}
	ticked, byDefault := box(1|1<<2), box(1|25<<2, uint16(0))
	runs := []string{little(uint16(0x6a03), uint32(0)), little(uint16(0x6a03), uint32(len(ticked))), little(uint16(0x6a09), uint16(4), uint16(0xf0fc)), little(uint16(0x835), uint8(1))}
	page := make([]byte, 512)
	at := 500
	for i, run := range runs {
		copy(page[4*(i+1):], little(uint32(i+1)))
		at = (at - len(run) - 1) &^ 1
		copy(page[at:], little(uint8(len(run)), run))
		page[4*(len(runs)+1)+i] = byte(at / 2)
	}
	page[511] = byte(len(runs))
	main := make([]byte, 512)
	copy(main[0xfa:], little(uint32(0), uint32(12)))
	d := &word{main: append(main, page...), table: []byte(little(uint32(0), uint32(len(runs)), uint32(1))), forms: []byte(ticked + byDefault)}
	var got strings.Builder
	for at := range len(runs) + 1 {
		got.WriteString(d.sign(at) + ",")
	}
	if want := "☒,☐,✓,,,"; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}
