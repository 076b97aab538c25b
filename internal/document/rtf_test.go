package document

import (
	"strings"
	"testing"
)

func TestRTF(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"signs and escapes", `{\rtf1\ansi\ansicpg1252 Caf\'e9 \'80100 \u321\'4codz \{x\} a\~b\par second\line line\par}`, "Café €100 Łodz {x} a b\nsecond\nline\n"},
		{"groups that are no text", `{\rtf1{\fonttbl{\f0 Arial;}}{\colortbl;\red0;}{\info{\author Me}}{\*\generator X}{\pict 0123}{\field{\*\fldinst HYPERLINK "x"}{\fldrslt shown}} {\v hidden}text\par}`, "shown text\n"},
		{"code page of a font", `{\rtf1\ansi{\fonttbl{\f0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}\f0 a{\f1 \'c4\'ee\'ec}{\f2 \'93\'8c}\par}`, "aДом東\n"},
		{"more than one byte instead", `{\rtf1\uc2 \u26481\'93\'8c!\uc0\u-10179\u-8704 .\par}`, "東!😀.\n"},
		{"table", `{\rtf1 before\par\trowd\cellx1\cellx2\pard\intbl No\cell City\cell\row\trowd\pard\intbl 1\cell{Leeds\par North}\cell\row\pard after\par}`, "before\n[]\n  No|City|\n  1|Leeds/North|\nafter\n"},
		{"page header", `{\rtf1{\header Acme\par}text\par}`, "^ Acme\ntext\n"},
		{"binary data", "{\\rtf1 a{\\pict\\bin5 }}}}}b}c\\par}", "ac\n"},
		{"cut short", `{\rtf1 text{\b bold`, "textbold\n"},
	}
	for _, tt := range tests {
		part := mustRead(t, "a.rtf", tt.content)[0]
		if got := show(part); got != tt.want || part.Format != RTF {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	deep := mustRead(t, "a.rtf", `{\rtf1 text`+strings.Repeat("{", 1_000_000))[0]
	if deep.Cause != Limit || show(deep) != "text\n" {
		t.Errorf("deep nesting: %q, %q", deep.Note, show(deep))
	}
}

// packRTF packs text into compressed RTF without finding repetitions but for
// the one given: of its bytes that the dictionary starts with.
func packRTF(text string, fromDictionary int) string {
	var out strings.Builder
	out.WriteString("\x01" + string([]byte{0, byte((fromDictionary - 2) & 15)}))
	rest := text[fromDictionary:]
	for i := 0; i < len(rest); i += 8 {
		chunk := rest[i:min(i+8, len(rest))]
		if i == 0 {
			chunk = rest[:min(7, len(rest))]
			out.WriteString(chunk)
			i -= 1
			continue
		}
		out.WriteString("\x00" + chunk)
	}
	body := out.String()
	return little(uint32(len(body)+12), uint32(len(text)), uint32(0x75465a4c), uint32(0), body)
}

func TestUnpackRTF(t *testing.T) {
	text := "{\\rtf1\\ansi Dear Sirs, please quote.\\par}"
	if got := string(unpackRTF([]byte(packRTF(text, 11)))); got != text {
		t.Errorf("packed: got %q", got)
	}
	stored := little(uint32(0), uint32(len(text)), uint32(0x414c454d), uint32(0), text)
	if got := string(unpackRTF([]byte(stored))); got != text {
		t.Errorf("stored: got %q", got)
	}
	if got := unpackRTF([]byte("short")); got != nil {
		t.Errorf("short: got %q", got)
	}
}
