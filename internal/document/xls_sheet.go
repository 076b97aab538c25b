package document

import (
	"encoding/binary"
	"math"
	"strings"
)

// legacyWalk collects the cells of one sheet from its records.
type legacyWalk struct {
	cells
	from        *legacy
	row, column int // of the formula whose text is in a record of its own
}

// sheet reads the records of one sheet. Charts inside it have records of the
// same kinds and are passed over.
func (b *legacy) sheet(stream []byte, s legacySheet) error {
	w := &legacyWalk{cells: cells{book: &b.book}, from: b}
	in := &records{data: stream, at: s.at}
	kind, _, ok := in.next()
	if !ok || kind&0xff != 0x09 {
		b.part.note(Damaged, "sheet "+s.name+" is missing")
		return nil
	}
	for depth, n := 1, 0; depth > 0; n++ {
		kind, body, ok := in.next()
		if !ok {
			b.part.note(Damaged, "damaged Excel workbook: read in part")
			break
		}
		if n%10_000 == 0 && b.r.ctx.Err() != nil {
			return b.r.ctx.Err()
		}
		switch {
		case kind == xlsBOF:
			depth++
		case kind == xlsEOF:
			depth--
		case depth > 1:
		case kind == xlsMerged:
			w.merged(body)
		case kind == xlsString:
			ok = w.formulaText(append([][]byte{body}, in.continued()...)) == nil
		case len(body) >= 6:
			if kind == xlsLabel || kind == xlsRString {
				ok = w.label(append([][]byte{body[6:]}, in.continued()...), u16(body, 0), u16(body, 2)) == nil
			} else {
				ok = w.record(kind, body) == nil
			}
		}
		if !ok {
			break // the sheet is full
		}
	}
	w.end(s.name, s.hidden)
	return nil
}

// record reads a cell: its row, its column, its style, its value.
func (w *legacyWalk) record(kind int, body []byte) error {
	row, column, style := u16(body, 0), u16(body, 2), u16(body, 4)
	if w.from.version == 3 {
		style &= 0xfff
	}
	value := body[6:]
	switch {
	case kind == xlsLabelSST && len(value) >= 4:
		if i := int(u32(value, 0)); i < len(w.from.shared) {
			return w.text(row, column, w.from.shared[i], false)
		}
	case kind == xlsNumber && len(value) >= 8:
		return w.put(row, column, w.float(value, style))
	case kind == xlsRK && len(value) >= 4:
		return w.put(row, column, w.book.numeric(rkNumber(u32(value, 0)), style))
	case kind == xlsMulRK:
		// Pairs of a style and a number, then the last column.
		for pairs := body[4:]; len(pairs) >= 8; pairs = pairs[6:] {
			if err := w.put(row, column, w.book.numeric(rkNumber(u32(pairs, 2)), u16(pairs, 0))); err != nil {
				return err
			}
			column++
		}
	case kind == xlsBoolErr && len(value) >= 2:
		return w.truth(row, column, value[0], value[1] != 0)
	case (kind == xlsFormula || kind == xlsFormula3 || kind == xlsFormula4) && len(value) >= 8:
		return w.formula(row, column, style, value)
	}
	return nil
}

func (w *legacyWalk) float(b []byte, style int) Cell {
	n := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return Cell{}
	}
	return w.book.numeric(n, style)
}

// formula reads the last result of a formula: a number, or in its place what
// kind of other value it is.
func (w *legacyWalk) formula(row, column, style int, value []byte) error {
	if u16(value, 6) != 0xffff {
		return w.put(row, column, w.float(value[:8], style))
	}
	switch value[0] {
	case 0:
		w.row, w.column = row, column // the text follows
	case 1, 2:
		return w.truth(row, column, value[2], value[0] == 2)
	}
	return nil
}

var xlsErrors = map[byte]string{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0f: "#VALUE!", 0x17: "#REF!", 0x1d: "#NAME?", 0x24: "#NUM!", 0x2a: "#N/A"}

func (w *legacyWalk) truth(row, column int, value byte, isError bool) error {
	switch {
	case isError:
		return w.text(row, column, xlsErrors[value], false)
	case value == 1:
		return w.text(row, column, "TRUE", false)
	}
	return w.text(row, column, "FALSE", false)
}

func (w *legacyWalk) label(pieces [][]byte, row, column int) error {
	return w.text(row, column, w.long(pieces), true)
}

func (w *legacyWalk) formulaText(pieces [][]byte) error {
	return w.text(w.row, w.column, w.long(pieces), true)
}

// long reads a text with a length of two bytes.
func (w *legacyWalk) long(pieces [][]byte) string {
	t := &xlsText{pieces: pieces}
	n := t.u16()
	if w.from.version == 8 {
		return t.unicode(n)
	}
	return decodeAs(t.take(n), w.from.charset)
}

// text sets a cell of text; own says that no other cell shares it.
func (w *legacyWalk) text(row, column int, text string, own bool) error {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
	if text == "" {
		return nil
	}
	if own {
		if err := w.room(len(text)); err != nil {
			return err
		}
	}
	return w.put(row, column, Cell{Text: text})
}

// merged reads a list of merged areas.
func (w *legacyWalk) merged(body []byte) {
	for list := body[min(2, len(body)):]; len(list) >= 8 && len(w.merges) < maxMerges; list = list[8:] {
		w.merges = append(w.merges, area{u16(list, 0), u16(list, 4), u16(list, 2), u16(list, 6)})
	}
}
