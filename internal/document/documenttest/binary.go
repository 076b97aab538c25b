package documenttest

import (
	"encoding/binary"
	"unicode/utf16"
)

// Bytes joins values as bytes: numbers of a fixed size and slices of them
// as little-endian, text as its bytes.
func Bytes(values ...any) string {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case string:
			b = append(b, v...)
		default:
			b, _ = binary.Append(b, binary.LittleEndian, v)
		}
	}
	return string(b)
}

// UTF16 returns a text in little-endian UTF-16.
func UTF16(s string) string { return Bytes(utf16.Encode([]rune(s))) }
