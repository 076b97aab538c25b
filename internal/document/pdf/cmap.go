package pdf

import (
	"strings"
	"unicode/utf16"
)

// readCMap reads a ToUnicode map, from codes to text.
func readCMap(data []byte) map[int]string {
	out := map[int]string{}
	s := newScanner(data)
	var operands []token
	left := maxCodes // codes that may still be mapped, the same code again or not
	for {
		t := s.next(0)
		if t.kind == tokenEnd || left <= 0 {
			return out
		}
		if t.kind != tokenOperator {
			if operands = append(operands, t); len(operands) > maxCodes {
				return out
			}
			continue
		}
		switch string(t.text) {
		case "endbfchar":
			left -= len(operands) / 2
			for i := 0; i+1 < len(operands); i += 2 {
				out[codeNumber(operands[i].text)] = utf16Text(operands[i+1].text, 0)
			}
		case "endbfrange":
			for i := 0; i+2 < len(operands); i += 3 {
				left -= mapRange(out, left, operands[i], operands[i+1], operands[i+2])
			}
		}
		operands = operands[:0]
	}
}

// mapRange maps a range of at most the given number of codes to consecutive texts,
// given by the first one or by a list. It returns the number of codes.
func mapRange(out map[int]string, most int, from, to, target token) int {
	first, last := codeNumber(from.text), codeNumber(to.text)
	last = min(last, first+1<<16-1, first+most-1)
	for c := first; c <= last; c++ {
		if target.kind != tokenArray {
			out[c] = utf16Text(target.text, c-first)
		} else if c-first < len(target.list) {
			out[c] = utf16Text(target.list[c-first].text, 0)
		}
	}
	return max(last-first+1, 1)
}

func codeNumber(b []byte) int {
	n := 0
	for _, c := range b[:min(len(b), 4)] {
		n = n<<8 | int(c)
	}
	return n
}

// utf16Text decodes the target of a mapping, with a number added to its last
// unit.
func utf16Text(b []byte, add int) string {
	if len(b) == 1 {
		return string(rune(int(b[0]) + add))
	}
	var units []uint16
	for i := 0; i+1 < len(b) && i < 64; i += 2 {
		units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
	}
	if len(units) == 0 {
		return ""
	}
	units[len(units)-1] += uint16(add)
	return strings.ReplaceAll(string(utf16.Decode(units)), "\x00", "")
}
