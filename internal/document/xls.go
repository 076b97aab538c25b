package document

import (
	"fmt"
	"math"
	"sort"

	"golang.org/x/text/encoding"
)

// The records of a workbook of Excel 97-2003 (MS-XLS) and of Excel 5 and 95
// that are read; where two numbers stand, the second is of Excel 3 or 4.
const (
	xlsFormula    = 0x06
	xlsEOF        = 0x0a
	xlsDateMode   = 0x22
	xlsFilePass   = 0x2f
	xlsContinue   = 0x3c
	xlsCodePage   = 0x42
	xlsBoundSheet = 0x85
	xlsMulRK      = 0xbd
	xlsRString    = 0xd6
	xlsXF         = 0xe0
	xlsMerged     = 0xe5
	xlsSST        = 0xfc
	xlsLabelSST   = 0xfd
	xlsNumber     = 0x203
	xlsLabel      = 0x204
	xlsBoolErr    = 0x205
	xlsFormula3   = 0x206
	xlsString     = 0x207
	xlsXF3        = 0x243
	xlsRK         = 0x27e
	xlsFormula4   = 0x406
	xlsFormat     = 0x41e
	xlsXF4        = 0x443
	xlsBOF        = 0x809
)

// legacy is a workbook in one of the binary forms of Excel 3 to 2003.
type legacy struct {
	book
	version int // of BIFF: 3, 4, 5 or 8
	charset encoding.Encoding
	shared  []string
	formats map[int]string
	sheets  []legacySheet

	unlocked bool // was encrypted with the password that all know
}

type legacySheet struct {
	name   string
	at     int // of its records in the stream
	hidden bool
}

// records cuts a stream into records.
type records struct {
	data []byte
	at   int
}

func (s *records) next() (kind int, body []byte, ok bool) {
	if s.at < 0 || s.at+4 > len(s.data) {
		return 0, nil, false
	}
	kind, size := u16(s.data, s.at), u16(s.data, s.at+2)
	from := s.at + 4
	s.at = min(from+size, len(s.data))
	return kind, s.data[from:s.at], true
}

// continued takes the records that go on with the last one.
func (s *records) continued() [][]byte {
	var list [][]byte
	for s.at+4 <= len(s.data) && u16(s.data, s.at) == xlsContinue {
		_, body, _ := s.next()
		list = append(list, body)
	}
	return list
}

func readXLS(r *reading, part *Part, src source) error {
	var stream []byte
	b := &legacy{book: book{r: r, part: part}, formats: map[int]string{}}
	head := make([]byte, 8)
	_, _ = src.data.ReadAt(head, 0)
	if string(head) == oleMagic {
		c, err := openCompound(src.data, src.size)
		if err != nil {
			return err
		}
		if stream = c.stream(0, "Workbook"); stream == nil {
			stream = c.stream(0, "Book")
		}
	} else {
		var err error
		if stream, err = src.bytes(); err != nil {
			return err
		}
	}
	if err := b.globals(stream); err != nil {
		return err
	}
	sort.SliceStable(b.sheets, func(i, j int) bool { return !b.sheets[i].hidden && b.sheets[j].hidden })
	if len(b.sheets) > maxSheets {
		part.note(Limit, fmt.Sprintf("more than %d sheets: the rest left out", maxSheets))
		b.sheets = b.sheets[:maxSheets]
	}
	for _, s := range b.sheets {
		if err := b.sheet(stream, s); err != nil {
			return err
		}
	}
	return b.noneKept()
}

// globals reads what comes before the sheets. A file of Excel 3 or 4 is one
// sheet and nothing else.
func (b *legacy) globals(stream []byte) error {
	s := &records{data: stream}
	kind, body, ok := s.next()
	if !ok || kind&0xff != 0x09 || len(body) < 4 {
		return unreadable(Damaged, "damaged Excel workbook")
	}
	b.version = map[int]int{0x209: 3, 0x409: 4, xlsBOF: 5}[kind]
	if b.version == 5 && u16(body, 0) >= 0x600 {
		b.version = 8
	}
	if b.version == 0 {
		return unreadable(Unsupported, "Excel 2 workbook: not supported")
	}
	b.charset = codePage(1252)
	if b.version < 5 || u16(body, 2) == 0x10 {
		b.sheets = append(b.sheets, legacySheet{name: "Sheet1"})
	}
	for depth := 1; depth > 0; {
		kind, body, ok := s.next()
		if !ok {
			b.part.note(Damaged, "damaged Excel workbook: read in part")
			break
		}
		switch kind {
		case xlsBOF:
			depth++
		case xlsEOF:
			depth--
		case xlsFilePass:
			if b.version != 8 || b.unlocked || !unlockXLS(stream, body) {
				return unreadable(Password, "password protected")
			}
			b.unlocked = true
		default:
			if depth == 1 {
				b.global(s, kind, body)
			}
		}
		if b.r.ctx.Err() != nil {
			return b.r.ctx.Err()
		}
	}
	for i, style := range b.styles {
		code, ok := b.formats[int(style.id)]
		if !ok {
			code = builtinFormats[int(style.id)]
		}
		b.styles[i] = numberFormat{code: code, date: isDateFormat(code)}
	}
	return nil
}

func (b *legacy) global(s *records, kind int, body []byte) {
	switch {
	case kind == xlsSST:
		b.readShared(append([][]byte{body}, s.continued()...))
	case len(body) < 2:
	case kind == xlsCodePage:
		b.charset = codePage(u16(body, 0))
	case kind == xlsDateMode:
		b.date1904 = u16(body, 0) == 1
	case kind == xlsBoundSheet && len(body) >= 8 && len(b.sheets) < 10_000:
		if body[5] != 0 {
			return // a chart or macros
		}
		name := &xlsText{pieces: [][]byte{body[6:]}}
		b.sheets = append(b.sheets, legacySheet{b.short(name), int(u32(body, 0)), body[4]&3 != 0})
	case kind == xlsFormat && len(b.formats) < 10_000:
		b.format(body)
	case kind == xlsXF && len(body) >= 4 && len(b.styles) < 100_000:
		b.styles = append(b.styles, numberFormat{id: uint16(u16(body, 2))})
	case (kind == xlsXF3 || kind == xlsXF4) && len(b.styles) < 100_000:
		b.styles = append(b.styles, numberFormat{id: uint16(body[1])})
	}
}

// format reads a number format: its number, then its text.
func (b *legacy) format(body []byte) {
	t := &xlsText{pieces: [][]byte{body[2:]}}
	switch b.version {
	case 8:
		b.formats[u16(body, 0)] = t.unicode(t.u16())
	case 5:
		b.formats[u16(body, 0)] = b.short(t)
	default: // formats are counted; two bytes before the text in Excel 4
		t = &xlsText{pieces: [][]byte{body[2*boolInt(b.version == 4):]}}
		b.formats[len(b.formats)] = b.short(t)
	}
}

// short reads a text with a length of one byte.
func (b *legacy) short(t *xlsText) string {
	n := int(t.u8())
	if b.version == 8 {
		return t.unicode(n)
	}
	return decodeAs(t.take(n), b.charset)
}

// readShared reads the texts that cells refer to by number.
func (b *legacy) readShared(pieces [][]byte) {
	t := &xlsText{pieces: pieces}
	t.take(4)
	count := int(t.u16()) | int(t.u16())<<16
	size := 0
	for len(b.shared) < count && !t.ended() {
		text := t.rich()
		b.shared = append(b.shared, text)
		if size += len(text); size > maxSharedBytes || len(b.shared) > maxSharedTexts {
			b.part.note(Limit, "too much inside: the rest left out")
			return
		}
	}
}

// rkNumber reads a number packed into four bytes.
func rkNumber(rk uint32) float64 {
	var n float64
	if rk&2 != 0 {
		n = float64(int32(rk) >> 2)
	} else {
		n = math.Float64frombits(uint64(rk&^3) << 32)
	}
	if rk&1 != 0 {
		n /= 100
	}
	return n
}
