package office

import (
	"encoding/binary"
	"math"
	"strings"

	"understudy.example/internal/document/compound"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// xlsParser collects the cells of one sheet from its records.
type xlsParser struct {
	sheet
	from        *xlsWorkbook
	row, column int // of the formula whose text is in a record of its own
}

// readXLSSheet adds one sheet as a table. It skips the charts inside the sheet,
// which have records of the same kinds.
func readXLSSheet(b *xlsWorkbook, stream []byte, s xlsSheet) error {
	p := &xlsParser{sheet: sheet{workbook: &b.workbook}, from: b}
	in := &xlsRecords{data: stream, at: s.at}
	kind, _, ok := in.next()
	if !ok || kind&0xff != 0x09 {
		b.file.AddNote(content.Damaged, "sheet "+s.name+" is missing")
		return nil
	}
	for depth, n := 1, 0; depth > 0; n++ {
		at := in.at
		kind, body, ok := in.next()
		if !ok || b.left < 0 {
			b.file.AddNote(content.Damaged, "damaged Excel workbook: only partly read")
			break
		}
		if n%10_000 == 0 && b.file.Err() != nil {
			return b.file.Err()
		}
		switch {
		case kind == xlsBOF:
			depth++
		case kind == xlsEOF:
			depth--
		case depth > 1:
		case kind == xlsMerged:
			p.readMerged(body)
		case kind == xlsString:
			text := p.longText(append([][]byte{body}, in.continued()...))
			ok = p.setText(p.row, p.column, text) == nil
		case len(body) >= 6:
			if kind == xlsLabel || kind == xlsRString {
				text := p.longText(append([][]byte{body[6:]}, in.continued()...))
				ok = p.setText(compound.Uint16(body, 0), compound.Uint16(body, 2), text) == nil
			} else {
				ok = p.readCell(kind, body) == nil
			}
		}
		if b.left -= in.at - at; !ok {
			break // the sheet is full
		}
	}
	p.end(s.name, s.hidden)
	return nil
}

// readCell reads the record of a cell: its row, its column, its style, its value.
func (p *xlsParser) readCell(kind int, body []byte) error {
	row, column, style := compound.Uint16(body, 0), compound.Uint16(body, 2), compound.Uint16(body, 4)
	if p.from.version == 3 {
		style &= 0xfff
	}
	value := body[6:]
	switch {
	case kind == xlsLabelSST && len(value) >= 4:
		if i := int(compound.Uint32(value, 0)); i < len(p.from.shared) {
			return p.setKnown(row, column, p.from.shared[i])
		}
	case kind == xlsNumber && len(value) >= 8:
		return p.set(row, column, p.floatCell(value, style))
	case kind == xlsRK && len(value) >= 4:
		return p.set(row, column, p.workbook.numberCell(rkNumber(compound.Uint32(value, 0)), style))
	case kind == xlsMulRK:
		// Pairs of a style and a number, then the last column.
		for pairs := body[4:]; len(pairs) >= 8; pairs = pairs[6:] {
			if err := p.set(row, column, p.workbook.numberCell(rkNumber(compound.Uint32(pairs, 2)), compound.Uint16(pairs, 0))); err != nil {
				return err
			}
			if column++; column > content.MaxColumns {
				break
			}
		}
	case kind == xlsBoolErr && len(value) >= 2:
		return p.setBool(row, column, value[0], value[1] != 0)
	case (kind == xlsFormula || kind == xlsFormula3 || kind == xlsFormula4) && len(value) >= 8:
		return p.readFormula(row, column, style, value)
	}
	return nil
}

func (p *xlsParser) floatCell(b []byte, style int) content.Cell {
	n := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return content.Cell{}
	}
	return p.workbook.numberCell(n, style)
}

// readFormula reads the last result of a formula: a number, or in its place the
// kind of another value.
func (p *xlsParser) readFormula(row, column, style int, value []byte) error {
	if compound.Uint16(value, 6) != 0xffff {
		return p.set(row, column, p.floatCell(value[:8], style))
	}
	switch value[0] {
	case 0:
		p.row, p.column = row, column // the text follows in a record of its own
	case 1, 2:
		return p.setBool(row, column, value[2], value[0] == 2)
	}
	return nil
}

// xlsErrors are the error values as Excel shows them.
var xlsErrors = map[byte]string{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0f: "#VALUE!", 0x17: "#REF!", 0x1d: "#NAME?", 0x24: "#NUM!", 0x2a: "#N/A"}

func (p *xlsParser) setBool(row, column int, value byte, isError bool) error {
	if isError {
		return p.setKnown(row, column, xlsErrors[value])
	}
	return p.setKnown(row, column, boolText(value == 1))
}

// longText reads a text whose length takes two bytes.
func (p *xlsParser) longText(pieces [][]byte) string {
	t := &xlsText{pieces: pieces}
	n := t.uint16()
	if p.from.version == 8 {
		return t.unicode(n)
	}
	return decode.With(p.from.encoding, t.take(n))
}

// setText sets a cell of text.
func (p *xlsParser) setText(row, column int, text string) error {
	text = cleanXLSText(text)
	if err := p.countText(len(text)); err != nil {
		return err
	}
	return p.setKnown(row, column, text)
}

// setKnown sets a cell to a clean text, which it may share with other cells.
func (p *xlsParser) setKnown(row, column int, text string) error {
	if text == "" {
		return nil
	}
	return p.set(row, column, content.Cell{Text: text})
}

func cleanXLSText(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\x00", ""))
}

// readMerged reads a list of merged areas.
func (p *xlsParser) readMerged(body []byte) {
	for list := body[min(2, len(body)):]; len(list) >= 8; list = list[8:] {
		p.addMerged(area{compound.Uint16(list, 0), compound.Uint16(list, 4), compound.Uint16(list, 2), compound.Uint16(list, 6)})
	}
}
