package object

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// pack writes data through a writer that packs it.
func pack(t *testing.T, data string, packer func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var out bytes.Buffer
	w := packer(&out)
	if _, err := io.WriteString(w, data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func flated(t *testing.T, data string) string {
	t.Helper()
	return pack(t, data, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func lzwLate(t *testing.T, data string) string {
	t.Helper()
	return pack(t, data, func(w io.Writer) io.WriteCloser { return lzw.NewWriter(w, lzw.MSB, 8) })
}

// lzwEarly packs data with codes that get longer one code early. It clears the table
// before that is full.
func lzwEarly(data string) string {
	var out []byte
	buffer, bits, width := 0, 0, 9
	put := func(code int) {
		buffer = buffer<<width | code
		for bits += width; bits >= 8; bits -= 8 {
			out = append(out, byte(buffer>>(bits-8)))
			buffer &= 1<<(bits-8) - 1
		}
	}
	table := map[string]int{}
	reset := func() {
		put(lzwClear)
		clear(table)
		for i := range 256 {
			table[string([]byte{byte(i)})] = i
		}
		width = 9
	}
	reset()
	sequence := ""
	for _, c := range []byte(data) {
		longer := sequence + string([]byte{c})
		if _, ok := table[longer]; ok {
			sequence = longer
			continue
		}
		put(table[sequence])
		table[longer] = len(table) + 2
		if len(table)+2 >= 4000 {
			reset()
		} else if len(table)+2 > 1<<width-1 {
			width++
		}
		sequence = string([]byte{c})
	}
	put(table[sequence])
	put(lzwEnd)
	return string(append(out, byte(buffer<<(8-bits))))
}

// sample is text with repetitions that needs codes of all lengths.
func sample() string {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "%d %x;", i*i, i)
	}
	return b.String()
}

func TestFilters(t *testing.T) {
	text := sample()
	quoted := func(s string) string {
		out := make([]byte, ascii85.MaxEncodedLen(len(s)))
		return string(out[:ascii85.Encode(out, []byte(s))])
	}
	tests := []struct{ name, dict, data, want string }{
		{"none", "", text, text},
		{"flate", "/Filter/FlateDecode", flated(t, text), text},
		{"flate without a checksum", "/Filter[/Fl]", flated(t, text)[:len(flated(t, text))-4], text},
		{"flate without a head", "/Filter/FlateDecode", flated(t, text)[2:], text},
		{"flate after a newline", "/Filter/FlateDecode", "\r\n" + flated(t, text), text},
		{"empty flate", "/Filter/FlateDecode", "", ""},
		{"flate of flate", "/Filter[/FlateDecode/FlateDecode]", flated(t, flated(t, text)), text},
		{"early LZW", "/Filter/LZWDecode", lzwEarly(text), text},
		{"late LZW", "/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>", lzwLate(t, text), text},
		{"LZW of ISO 32000", "/Filter/LZW", "\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", "-----A---B"},
		{"ASCII85", "/Filter/ASCII85Decode", "<~" + quoted(text) + "~>", text},
		{"ASCII85 with zeros and spaces", "/Filter/A85", "z 87cUR\nD] ~>", "\x00\x00\x00\x00Hello"},
		{"hexadecimal", "/Filter/ASCIIHexDecode", hex.EncodeToString([]byte("text")) + " 7\n>99", "textp"},
		{"run length", "/Filter/RunLengthDecode", "\x02abc\xfdz\x80more", "abczzzz"},
		{"two filters", "/Filter[/ASCIIHexDecode/RunLengthDecode]/DecodeParms[null null]", "0261626380>", "abc"},
		{"PNG", "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 3>>", flated(t, "\x00abc\x01a\x01\x01\x02\x01\x01\x01\x03\x00\x00\x00\x04\x01\x01\x01"), "abcabcbcd1JW2KX"},
		{"PNG with colors", "/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 2/Colors 2>>", flated(t, "\x01ab\x01\x01\x04\x01\x01\x01\x01"), "abbcbccd"},
		{"PNG with an incomplete row", "/Filter/FlateDecode/DecodeParms<</Predictor 10/Columns 4>>", flated(t, "\x00abcd\x02\x01"), "abcdb"},
		{"TIFF", "/Filter/FlateDecode/DecodeParms<</Predictor 2/Columns 3>>", flated(t, "a\x01\x01b\x01\x01"), "abcbcd"},
	}
	for _, tt := range tests {
		f := open(t, build("", catalog, pages, stream(tt.dict, tt.data)))
		if got := decoded(t, f, 3); got != tt.want {
			t.Errorf("%s: got %.40q, want %.40q", tt.name, got, tt.want)
		}
	}
}

func TestDamagedFilters(t *testing.T) {
	text := sample()
	packed := flated(t, text)
	tests := []struct {
		name, dict, data string
		atLeast          int
		want             error
	}{
		{"cut flate", "/Filter/FlateDecode", packed[:len(packed)/2], len(text) / 3, ErrDamagedStream},
		{"corrupt flate", "/Filter/FlateDecode", "\x78\x9c\x00\x05\x00\xfa\xffhello\x07", 5, ErrDamagedStream},
		{"corrupt LZW", "/Filter/LZWDecode", lzwEarly(text)[:1000] + strings.Repeat("\xff", 100), 500, ErrDamagedStream},
		{"corrupt ASCII85", "/Filter/A85", "87cUR\xff", 4, ErrDamagedStream},
		{"image", "/Filter/DCTDecode", "\xff\xd8", 0, ErrFilter},
		{"many filters", "/Filter[" + strings.Repeat("/ASCIIHexDecode", 1000) + "]", "41>", 0, ErrFilter},
	}
	for _, tt := range tests {
		f := open(t, build("", catalog, pages, stream(tt.dict, tt.data)))
		data, _, err := f.Decode(f.Resolve(Ref{Number: 3}).(*Stream), 1<<20)
		if !errors.Is(err, tt.want) || len(data) < tt.atLeast {
			t.Errorf("%s: got %d bytes and %v", tt.name, len(data), err)
		}
		if !strings.HasPrefix(text, string(data[:min(len(data), 400)])) && tt.atLeast > 100 {
			t.Errorf("%s: got %.40q", tt.name, data)
		}
	}
}

// TestFilterLimits checks that each filter stops at the limit.
func TestFilterLimits(t *testing.T) {
	zeros := strings.Repeat("\x00", 2<<20)
	for name, data := range map[string]string{
		"/Filter/FlateDecode":     flated(t, zeros),
		"/Filter/LZWDecode":       lzwEarly(zeros),
		"/Filter/ASCII85Decode":   strings.Repeat("z", 1<<19),
		"/Filter/ASCIIHexDecode":  strings.Repeat("00", 2<<20),
		"/Filter/RunLengthDecode": strings.Repeat("\x81q", 1<<16),
		"":                        zeros,
	} {
		f := open(t, build("", catalog, pages, stream(name, data)))
		if data, _, err := f.Decode(f.Resolve(Ref{Number: 3}).(*Stream), 1<<20); !errors.Is(err, ErrTooLarge) || len(data) > 0 {
			t.Errorf("%s: got %d bytes and %v", name, len(data), err)
		}
	}
}

// TestLengths reads streams whose lengths are missing or wrong.
func TestLengths(t *testing.T) {
	for _, object := range []string{
		"<</Length 9>>\nstream\nsome data\nendstream", "<</Length 9>>stream\r\nsome data\r\nendstream", "<<>> stream \nsome data\r\nendstream",
		"<</Length 4>>\nstream\nsome data\nendstream", "<</Length 900>>\nstream\nsome data\nendstream", "<</Length -1>>\nstream\nsome data\nendstream",
		"<</Length 4 0 R>>\nstream\nsome data\nendstream", "<</Length(9)>>\nstream\nsome data\nendstream", "<<>>\nstream\nsome data",
	} {
		if got := decoded(t, open(t, build("", catalog, pages, object, "9")), 3); got != "some data" {
			t.Errorf("%q: got %q", object, got)
		}
	}
}
