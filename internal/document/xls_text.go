package document

import (
	"encoding/binary"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// xlsText reads texts from a record and those that go on with it. Within the
// characters of a text, each further record starts with a flag of its own that
// says how wide they are.
type xlsText struct {
	pieces [][]byte
	at     int // in the first piece
}

func (t *xlsText) ended() bool {
	for len(t.pieces) > 0 && t.at >= len(t.pieces[0]) {
		t.pieces, t.at = t.pieces[1:], 0
	}
	return len(t.pieces) == 0
}

// take gives the next bytes, fewer at the end.
func (t *xlsText) take(n int) []byte {
	if n <= 0 || t.ended() {
		return nil
	}
	if p := t.pieces[0]; t.at+n <= len(p) {
		t.at += n
		return p[t.at-n : t.at]
	}
	var out []byte
	for n > 0 && !t.ended() {
		p := t.pieces[0][t.at:]
		p = p[:min(n, len(p))]
		out = append(out, p...)
		t.at += len(p)
		n -= len(p)
	}
	return out
}

func (t *xlsText) u8() byte {
	if b := t.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (t *xlsText) u16() int {
	if b := t.take(2); len(b) == 2 {
		return u16(b, 0)
	}
	return 0
}

// unicode reads the flags and the characters of a text without decoration.
func (t *xlsText) unicode(length int) string { return t.characters(length, t.u8()&1 != 0) }

// rich reads a text with its formats and phonetic hints, which are dropped.
func (t *xlsText) rich() string {
	length, flags := t.u16(), t.u8()
	runs, hints := 0, 0
	if flags&8 != 0 {
		runs = t.u16()
	}
	if flags&4 != 0 {
		if b := t.take(4); len(b) == 4 {
			hints = int(u32(b, 0))
		}
	}
	text := t.characters(length, flags&1 != 0)
	t.take(4 * runs)
	t.skip(hints)
	return text
}

// skip passes over bytes without joining them.
func (t *xlsText) skip(n int) {
	for n > 0 && !t.ended() {
		step := min(n, len(t.pieces[0])-t.at)
		t.at += step
		n -= step
	}
}

func (t *xlsText) characters(length int, wide bool) string {
	units := make([]uint16, 0, min(length, 256))
	for len(units) < length && !t.ended() {
		p := t.pieces[0][t.at:]
		n := min(length-len(units), len(p)>>boolInt(wide))
		for i := range n {
			if wide {
				units = append(units, binary.LittleEndian.Uint16(p[2*i:]))
			} else {
				units = append(units, uint16(p[i]))
			}
		}
		if t.at += n << boolInt(wide); len(units) == length {
			break
		}
		t.at = len(t.pieces[0]) // an odd byte at the end belongs to nothing
		if t.ended() {
			break
		}
		wide = t.u8()&1 != 0
	}
	return string(utf16.Decode(units))
}

// codePage gives the encoding of a Windows code page; Western European for
// one that is unknown.
func codePage(number int) encoding.Encoding {
	if e := codePages[number]; e != nil {
		return e
	}
	return charmap.Windows1252
}

var codePages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 866: charmap.CodePage866,
	874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1200: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), 1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252,
	1253: charmap.Windows1253, 1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258,
	10000: charmap.Macintosh, 0x8000: charmap.Macintosh, 28591: charmap.ISO8859_1, 28592: charmap.ISO8859_2, 28605: charmap.ISO8859_15,
	20866: charmap.KOI8R, 50220: japanese.ISO2022JP, 51932: japanese.EUCJP, 54936: simplifiedchinese.GB18030, 65001: unicode.UTF8,
}
