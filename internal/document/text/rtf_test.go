package text_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

func TestRTF(t *testing.T) {
	tests := []struct{ name, data, want string }{
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
		part := documenttest.MustRead(t, "a.rtf", tt.data)[0]
		if got := documenttest.Show(part); got != tt.want || part.Format != content.RTF {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	deep := documenttest.MustRead(t, "a.rtf", `{\rtf1 text`+strings.Repeat("{", 1_000_000))[0]
	if deep.Cause != content.Limit || documenttest.Show(deep) != "text\n" {
		t.Errorf("deep nesting: got note %q and\n%s", deep.Note, documenttest.Show(deep))
	}
}

func FuzzRTF(f *testing.F) {
	f.Add(`\ansi\ansicpg932{\fonttbl{\f1\fcharset204 A;}}\f1 \'c4\u8364?\par`)
	f.Add(`\trowd\intbl a\cell b\cell\row{\*\x y}{\header h\par}\pard\par`)
	f.Add(`{\pict\bin3 }}}}\uc3\u-10179\u-8704\nestcell\nestrow`)
	f.Fuzz(func(t *testing.T, data string) { documenttest.Check(t, "a.rtf", `{\rtf1 `+data) })
}
