package decode

import "bytes"

// Hex decodes escapes that consist of a mark and two hexadecimal digits. Anything
// else stays as it is.
func Hex(in []byte, mark byte) []byte {
	if bytes.IndexByte(in, mark) < 0 {
		return in
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] == mark && i+2 < len(in) {
			high, low := HexDigit(in[i+1]), HexDigit(in[i+2])
			if high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low))
				i += 2
				continue
			}
		}
		out = append(out, in[i])
	}
	return out
}

// HexDigit returns the value of a hexadecimal digit, -1 for anything else.
func HexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
