package office

import (
	"golang.org/x/text/encoding"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// xlsWorkbook is a workbook in one of the binary forms of Excel 3 to 2003.
type xlsWorkbook struct {
	workbook
	version  int               // of the format BIFF: 3, 4, 5 or 8
	encoding encoding.Encoding // of text before version 8
	shared   []string          // the texts that cells refer to by number
	formats  map[int]string
	sheets   []xlsSheet
	left     int // bytes of sheets that may still be read: sheets may share records

	decrypted bool // it was encrypted with the default password
}

// xlsSheet says where the records of a sheet are.
type xlsSheet struct {
	name   string
	at     int // position in the stream
	hidden bool
}

// readGlobals reads the records before the sheets. A file of Excel 3 or 4 is a
// single sheet without such records.
func (b *xlsWorkbook) readGlobals(stream []byte) error {
	s := &xlsRecords{data: stream}
	kind, body, ok := s.next()
	if !ok || kind&0xff != 0x09 || len(body) < 4 {
		return content.Errorf(content.Damaged, "damaged Excel workbook")
	}
	b.version = map[int]int{0x209: 3, 0x409: 4, xlsBOF: 5}[kind]
	if b.version == 5 && compound.Uint16(body, 0) >= 0x600 {
		b.version = 8
	}
	if b.version == 0 {
		return content.Errorf(content.Unsupported, "Excel 2 workbook: not supported")
	}
	b.encoding = decode.CodePage(1252)
	if b.version < 5 || compound.Uint16(body, 2) == 0x10 {
		b.sheets = append(b.sheets, xlsSheet{name: "Sheet1"})
	}
	for depth := 1; depth > 0; {
		kind, body, ok := s.next()
		if !ok {
			b.file.AddNote(content.Damaged, "damaged Excel workbook: only partly read")
			break
		}
		switch kind {
		case xlsBOF:
			depth++
		case xlsEOF:
			depth--
		case xlsFilePass:
			if b.version != 8 || b.decrypted || !decryptXLS(stream, body) {
				return content.Errorf(content.Password, "password protected")
			}
			b.decrypted = true
		default:
			if depth == 1 {
				b.readGlobal(s, kind, body)
			}
		}
		if b.file.Err() != nil {
			return b.file.Err()
		}
	}
	known := formatCodes{codes: b.formats}
	for i, style := range b.styles {
		b.styles[i] = known.format(int(style.id))
	}
	return nil
}

// readGlobal reads one record before the sheets.
func (b *xlsWorkbook) readGlobal(s *xlsRecords, kind int, body []byte) {
	switch {
	case kind == xlsSST:
		b.readShared(append([][]byte{body}, s.continued()...))
	case len(body) < 2:
	case kind == xlsCodePage:
		b.encoding = decode.CodePage(compound.Uint16(body, 0))
	case kind == xlsDateMode:
		b.date1904 = compound.Uint16(body, 0) == 1
	case kind == xlsBoundSheet && len(body) >= 8 && len(b.sheets) < 10_000:
		if body[5] != 0 {
			return // a chart or a sheet of macros
		}
		name := &xlsText{pieces: [][]byte{body[6:]}}
		b.sheets = append(b.sheets, xlsSheet{b.shortText(name), int(compound.Uint32(body, 0)), body[4]&3 != 0})
	case kind == xlsFormat && len(b.formats) < 10_000:
		b.readFormat(body)
	case kind == xlsXF && len(body) >= 4 && len(b.styles) < 100_000:
		b.styles = append(b.styles, numberFormat{id: uint16(compound.Uint16(body, 2))})
	case (kind == xlsXF3 || kind == xlsXF4) && len(b.styles) < 100_000:
		b.styles = append(b.styles, numberFormat{id: uint16(body[1])})
	}
}

// readFormat reads a number format: its number, then its code.
func (b *xlsWorkbook) readFormat(body []byte) {
	t := &xlsText{pieces: [][]byte{body[2:]}}
	switch b.version {
	case 8:
		b.formats[compound.Uint16(body, 0)] = cutFormatCode(t.unicode(t.uint16()))
	case 5:
		b.formats[compound.Uint16(body, 0)] = b.shortText(t)
	default: // formats are numbered in order; Excel 4 has two bytes before the code
		if b.version != 4 {
			t = &xlsText{pieces: [][]byte{body}}
		}
		b.formats[len(b.formats)] = b.shortText(t)
	}
}

// shortText reads a text whose length takes one byte.
func (b *xlsWorkbook) shortText(t *xlsText) string {
	n := int(t.byte())
	if b.version == 8 {
		return t.unicode(n)
	}
	return decode.With(b.encoding, t.take(n))
}

// readShared reads the texts that cells refer to by number.
func (b *xlsWorkbook) readShared(pieces [][]byte) {
	t := &xlsText{pieces: pieces}
	t.take(4)
	count := int(t.uint16()) | int(t.uint16())<<16
	size := 0
	for len(b.shared) < count && !t.ended() {
		text := t.rich()
		b.shared = append(b.shared, cleanXLSText(text))
		if size += len(text); !b.addShared(len(text), len(b.shared), size) {
			b.file.AddNote(content.Limit, "too much unpacked content: the rest was skipped")
			return
		}
	}
}
