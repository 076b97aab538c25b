package office

import (
	"encoding/binary"
	"unicode/utf16"

	"understudy.example/internal/document/compound"
)

// xlsText reads texts from a record and the records that continue it. Within the
// characters of a text, each further record starts with a flag of its own that
// says how wide the characters are.
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

// take returns the next bytes, fewer at the end.
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

func (t *xlsText) byte() byte {
	if b := t.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (t *xlsText) uint16() int {
	if b := t.take(2); len(b) == 2 {
		return compound.Uint16(b, 0)
	}
	return 0
}

// unicode reads the flags and the characters of a text without formats.
func (t *xlsText) unicode(length int) string { return t.characters(length, t.byte()&1 != 0) }

// rich reads a text with its formats and phonetic hints, which are dropped.
func (t *xlsText) rich() string {
	length, flags := t.uint16(), t.byte()
	formats, hints := 0, 0
	if flags&8 != 0 {
		formats = t.uint16()
	}
	if flags&4 != 0 {
		if b := t.take(4); len(b) == 4 {
			hints = int(compound.Uint32(b, 0))
		}
	}
	text := t.characters(length, flags&1 != 0)
	t.take(4 * formats)
	t.skip(hints)
	return text
}

// skip moves over bytes without copying them.
func (t *xlsText) skip(n int) {
	for n > 0 && !t.ended() {
		step := min(n, len(t.pieces[0])-t.at)
		t.at += step
		n -= step
	}
}

// characters reads characters of two bytes each when they are wide, else of one
// byte.
func (t *xlsText) characters(length int, wide bool) string {
	units := make([]uint16, 0, min(length, 256))
	for len(units) < length && !t.ended() {
		width := 1
		if wide {
			width = 2
		}
		p := t.pieces[0][t.at:]
		n := min(length-len(units), len(p)/width)
		for i := range n {
			if wide {
				units = append(units, binary.LittleEndian.Uint16(p[2*i:]))
			} else {
				units = append(units, uint16(p[i]))
			}
		}
		if t.at += n * width; len(units) == length {
			break
		}
		t.at = len(t.pieces[0]) // an odd byte at the end belongs to no character
		if t.ended() {
			break
		}
		wide = t.byte()&1 != 0
	}
	return string(utf16.Decode(units))
}
