package pdf

import (
	"testing"
)

func TestToUnicode(t *testing.T) {
	cmap := "1 beginbfchar <0001> <0041> endbfchar 2 beginbfrange <0002> <0003> <0062> <0004> <0005> [<00660069> <0021>] endbfrange"
	got := readCMap([]byte(cmap))
	for code, want := range map[int]string{1: "A", 2: "b", 3: "c", 4: "fi", 5: "!"} {
		if got[code] != want {
			t.Errorf("code %d: got %q, want %q", code, got[code], want)
		}
	}
	for name, want := range map[string]string{"eacute": "é", "uni20AC": "€", "Scaron": "Š", "ffi": "ffi", "A.swash": "A", "u1F600": "😀"} {
		if text, ok := glyphText(name); !ok || text != want {
			t.Errorf("glyph %s: got %q, want %q", name, text, want)
		}
	}
}
