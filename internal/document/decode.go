package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decode gives the bytes as UTF-8 without NUL: by their byte order mark, else
// by the declared charset, else by what they look like.
func decode(data []byte, declared string) string {
	return strings.ReplaceAll(decodeAny(data, declared), "\x00", "")
}

func decodeAny(data []byte, declared string) string {
	if e := utf16Of(data); e != nil {
		return decodeAs(data, e)
	}
	if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		return strings.ToValidUTF8(string(rest), "\uFFFD")
	}
	declared = strings.ToLower(strings.TrimSpace(declared))
	if declared != "" && declared != "us-ascii" && declared != "ascii" {
		if e, name := charset.Lookup(declared); e != nil {
			if name != "utf-8" {
				return decodeAs(data, e)
			}
		}
	}
	if utf8.Valid(data) {
		return string(data)
	}
	// A cut within the last character is no reason to doubt UTF-8.
	if head := data[:max(0, len(data)-3)]; utf8.Valid(trimPartial(head)) {
		return strings.ToValidUTF8(string(data), "")
	}
	return decodeAs(data, charmap.Windows1252)
}

func trimPartial(b []byte) []byte {
	for i := 0; i < 3 && len(b) > 0; i++ {
		if r, _ := utf8.DecodeLastRune(b); r != utf8.RuneError {
			break
		}
		b = b[:len(b)-1]
	}
	return b
}

func decodeAs(data []byte, e encoding.Encoding) string {
	out, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	return string(out)
}

// utf16Of tells UTF-16 by its mark, or by every second byte of the first ones
// being zero; nil for anything else.
func utf16Of(data []byte) encoding.Encoding {
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

// splitLines cuts text at any kind of line end.
func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = lineEnds.Replace(text)
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\u00a0")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var lineEnds = strings.NewReplacer("\r", "\n", "\f", "\n", "\v", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")
