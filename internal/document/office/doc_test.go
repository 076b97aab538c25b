package office_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/office"
)

func TestDOC(t *testing.T) {
	file := docOf("Insured: \x13 HYPERLINK \"x\" \x14Acme\x15 Ltd\rNo\x07City\x07~1\x07\x07~", "2\x07Łódź\x07~After\x0bthe table\r|Page one\r")
	want := "Insured: Acme Ltd\n[]\n  No|City|\n  1||\n  2|Łódź|\nAfter\nthe table\n^ Page one\n"
	part := documenttest.MustRead(t, "a.doc", file)[0]
	if got := documenttest.Show(part); got != want || part.Format != content.DOC || part.Note != "" {
		t.Errorf("%s %q: got\n%s\nwant\n%s", part.Format, part.Note, got, want)
	}
	if ref := part.Blocks[1].Table.Rows[2][1].Ref.String(); ref != "row 3, column 2" {
		t.Errorf("got cell %q", ref)
	}
}

func TestUnreadableDOC(t *testing.T) {
	head := func(version, flags int) string {
		return documenttest.Compound("WordDocument", documenttest.Bytes(uint16(0xa5ec), uint16(version), strings.Repeat("\x00", 6), uint16(flags), strings.Repeat("\x00", 1000)))
	}
	tests := []struct {
		name, data, note string
		cause            content.Cause
	}{
		{"password", head(0xc1, 0x100), "password protected", content.Password},
		{"Word 95", head(0x68, 0), "Word document of version 95 or older: not supported", content.Unsupported},
		{"no pieces", head(0xc1, 0), "damaged Word document", content.Damaged},
		{"no head", documenttest.Compound("WordDocument", "x"), "damaged Word document", content.Damaged},
		{"no text", docOf("\r", "\r"), "no text", content.NoText},
	}
	for _, tt := range tests {
		if note, cause := documenttest.Outcome(t, "a.doc", tt.data); note != tt.note || cause != tt.cause {
			t.Errorf("%s: got %q %q, want %q %q", tt.name, note, cause, tt.note, tt.cause)
		}
	}
}

// TestDOCFields reads nested fields, and marks of fields that are not open.
func TestDOCFields(t *testing.T) {
	file := docOf("a\x13b\x13c\x14d\x15e\x14f\x15g\x15\x14h\r\x13i\x15j\r", "\r")
	if got, want := documenttest.Show(documenttest.MustRead(t, "a.doc", file)[0]), "afgh\nj\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDOCRepeatedPieces checks that no more bytes are read than the document has, even if its
// pieces are all the same bytes and yield no text.
func TestDOCRepeatedPieces(t *testing.T) {
	const n, size = 2000, 10_000
	for _, text := range []string{" \r", "\x07", "\x02"} {
		main := []byte(docOf("", ""))[512:]
		start := len(main)
		main = append(main, strings.Repeat(text, size/len(text))...)
		var ends, pieces strings.Builder
		for i := range n {
			ends.WriteString(documenttest.Bytes(uint32(i * size)))
			pieces.WriteString(documenttest.Bytes(uint16(0), uint32(2*start|1<<30), uint16(0)))
		}
		ends.WriteString(documenttest.Bytes(uint32(n * size)))
		table := documenttest.Bytes(uint8(2), uint32(ends.Len()+pieces.Len())) + ends.String() + pieces.String()
		copy(main[0x4c:], documenttest.Bytes(uint32(n*size)))
		copy(main[0x102:], documenttest.Bytes(uint32(0), uint32(0)))
		copy(main[0x1a2:], documenttest.Bytes(uint32(0), uint32(len(table))))
		note, cause := documenttest.Outcome(t, "a.doc", documenttest.Compound("WordDocument", string(main), "1Table", table))
		if want := "damaged Word document: only partly read"; note != want || cause != content.Damaged {
			t.Errorf("%q: got %q %q, want %q %q", text, note, cause, want, content.Damaged)
		}
	}
}

// TestDOCSymbols reads a checked checkbox, one that is unchecked by default, a
// character of a symbol font and an ordinary bracket.
func TestDOCSymbols(t *testing.T) {
	box := func(bits int, standard ...any) string {
		return documenttest.Bytes(uint32(0), uint16(68), strings.Repeat("\x00", 62), uint32(0xffffffff), uint16(bits), uint16(0), uint16(20), uint16(1), documenttest.UTF16("N"), uint16(0)) + documenttest.Bytes(standard...)
	}
	checked, byDefault := box(1|1<<2), box(1|25<<2, uint16(0))
	runs := []string{documenttest.Bytes(uint16(0x6a03), uint32(0)), documenttest.Bytes(uint16(0x6a03), uint32(len(checked))), documenttest.Bytes(uint16(0x6a09), uint16(4), uint16(0xf0fc)), documenttest.Bytes(uint16(0x835), uint8(1))}
	page := make([]byte, 512)
	at := 500
	for i, run := range runs {
		copy(page[4*(i+1):], documenttest.Bytes(uint32(i+1)))
		at = (at - len(run) - 1) &^ 1
		copy(page[at:], documenttest.Bytes(uint8(len(run)), run))
		page[4*(len(runs)+1)+i] = byte(at / 2)
	}
	page[511] = byte(len(runs))
	main := make([]byte, 512)
	copy(main[0xfa:], documenttest.Bytes(uint32(0), uint32(12)))
	main = append(main, page...)
	table, forms := []byte(documenttest.Bytes(uint32(0), uint32(len(runs)), uint32(1))), []byte(checked+byDefault)
	var got strings.Builder
	symbol := office.Symbols(main, table, forms)
	for at := range len(runs) + 1 {
		got.WriteString(symbol(at) + ",")
	}
	if want := "☒,☐,✓,,,"; got.String() != want {
		t.Errorf("got %s, want %s", got.String(), want)
	}
}

// TestDOCRepeatedPages checks that a page of paragraph properties is read once, however often the
// document refers to it.
func TestDOCRepeatedPages(t *testing.T) {
	const n = 10_000
	file := docOf("1\x07City\x07~\r", "\r")
	page := strings.Index(file, "\x16\x24\x01") / 512 * 512
	main := file[512 : page+512]
	table := documenttest.Bytes(make([]uint32, n+1)) + strings.Repeat(documenttest.Bytes(uint32(page/512-1)), n)
	main = main[:0x102] + documenttest.Bytes(uint32(0), uint32(len(table))) + main[0x10a:]
	if got := office.CountTableParagraphs([]byte(main), []byte(table)); got != 3 {
		t.Errorf("got %d paragraphs of tables, want the 3 of the page", got)
	}
}

// TestSymbolsOfRun checks that the properties of a run are read once for all placeholders in it.
func TestSymbolsOfRun(t *testing.T) {
	page := make([]byte, 512)
	copy(page, documenttest.Bytes(uint32(0), uint32(400), uint8(200)))
	copy(page[400:], documenttest.Bytes(uint8(6), uint16(0x6a09), uint16(4), uint16(0xf0fc)))
	page[511] = 1
	main := make([]byte, 512)
	copy(main[0xfa:], documenttest.Bytes(uint32(0), uint32(12)))
	symbol := office.Symbols(append(main, page...), []byte(documenttest.Bytes(uint32(0), uint32(400), uint32(1))), nil)
	if got := symbol(0); got != "✓" {
		t.Fatalf("got the symbol %q, want ✓", got)
	}
	at := 0
	if allocated := testing.AllocsPerRun(100, func() { at++; symbol(at) }); allocated > 0 {
		t.Errorf("a further placeholder takes %v allocations, want none", allocated)
	}
	if got := symbol(400); got != "" {
		t.Errorf("got the symbol %q after the run, want none", got)
	}
}

// FuzzDOC puts the bytes of the fuzzer where the piece table and the properties
// of paragraphs are.
func FuzzDOC(f *testing.F) {
	f.Add("1\x07City\x07~\r", 0, uint32(1), 0x400, uint32(0x41414141))
	f.Add("text \x13 x \x14y\x15\x07\x07", 3, uint32(0xffffffff), 0x4c, uint32(9))
	f.Fuzz(func(t *testing.T, text string, at int, value uint32, at2 int, value2 uint32) {
		runes := []rune(text)
		if len(runes) > 20 {
			return
		}
		doc := []byte(docOf("a\x07b\x07~", string(runes)+"\r"))
		for i, v := range map[int]uint32{at: value, at2: value2} {
			if i >= 0 && i+4 <= len(doc)-512 {
				copy(doc[512+i:], documenttest.Bytes(v))
			}
		}
		documenttest.Check(t, "a.doc", string(doc))
	})
}

// docOf makes a Word 97-2003 document of a text in narrow characters and one in
// wide ones, with the marks that Word uses. A paragraph that ends in the mark of a
// cell (\x07) is in a table. A tilde stands for the mark that ends a row. The text
// after the bar is the page header.
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
		entry := "\x00" + documenttest.Bytes(uint8((2+len(kinds[i])+1)/2), uint16(0), kinds[i])
		at = (at - len(entry)) &^ 1
		copy(page[at:], entry)
		page[4*(len(ends)+1)+13*i] = byte(at / 2)
	}
	page[511] = byte(len(ends))
	main = append(main, page...)
	pieces := documenttest.Bytes(uint32(0), uint32(split), uint32(len(kept)), uint16(0), uint32(2*pieceAt[0])|1<<30, uint16(0), uint16(0), uint32(pieceAt[1]), uint16(0))
	clx := documenttest.Bytes(uint8(1), uint16(2), "xx", uint8(2), uint32(len(pieces)), pieces)
	ranges := documenttest.Bytes(uint32(start), uint32(len(main)), uint32(pageNumber))
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
	return documenttest.Compound("WordDocument", string(main), "1Table", clx+ranges)
}
