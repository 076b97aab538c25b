// Package decode turns the bytes of files into text: character sets, line ends,
// hexadecimal escapes and symbol fonts. It knows no format.
package decode

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Text returns the bytes as UTF-8 without NUL characters. The character set is
// the one that the byte order mark states, else the declared one, else the one
// that the bytes look like.
func Text(data []byte, declared string) string {
	return strings.ReplaceAll(decode(data, declared), "\x00", "")
}

func decode(data []byte, declared string) string {
	if e := UTF16(data); e != nil {
		return With(e, data)
	}
	if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		return strings.ToValidUTF8(string(rest), "\uFFFD")
	}
	declared = strings.ToLower(strings.TrimSpace(declared))
	if declared != "" && declared != "us-ascii" && declared != "ascii" {
		if e, name := charset.Lookup(declared); e != nil {
			if name != "utf-8" {
				return With(e, data)
			}
		}
	}
	if utf8.Valid(data) {
		return string(data)
	}
	// The data may be cut within its last character and still be UTF-8.
	if head := data[:max(0, len(data)-3)]; utf8.Valid(trimPartial(head)) {
		return strings.ToValidUTF8(string(data), "")
	}
	return With(charmap.Windows1252, data)
}

// trimPartial removes an incomplete character from the end.
func trimPartial(b []byte) []byte {
	for i := 0; i < 3 && len(b) > 0; i++ {
		if r, _ := utf8.DecodeLastRune(b); r != utf8.RuneError {
			break
		}
		b = b[:len(b)-1]
	}
	return b
}

// With decodes bytes of a known encoding. When that fails, it decodes them as
// UTF-8.
func With(e encoding.Encoding, data []byte) string {
	out, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return string(out)
}

// UTF16 returns the encoding of data in UTF-16, nil for any other data. It
// recognises UTF-16 by the byte order mark or by zeros in every second byte.
func UTF16(data []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	n := min(len(data), 64) &^ 1
	if n < 8 {
		return nil
	}
	zero := [2]int{}
	for i := range n {
		if data[i] == 0 {
			zero[i%2]++
		}
	}
	switch {
	case zero[1] > n*2/5 && zero[0] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zero[0] > n*2/5 && zero[1] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}
