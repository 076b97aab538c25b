package pdf

import (
	"testing"

	"understudy.example/internal/document/pdf/object"
)

// TestFontsAreReadOnce checks that a font that is a direct object in the resources of a
// page, without an object number, is read once, and not at each operator that sets it.
func TestFontsAreReadOnce(t *testing.T) {
	helvetica := func() object.Dict {
		return object.Dict{"Subtype": object.Name("Type1"), "BaseFont": object.Name("Helvetica")}
	}
	resources := object.Dict{"Font": object.Dict{"F1": helvetica(), "F2": helvetica()}}
	d := drawing{painter: &painter{fontCache: fontCache{fonts: map[uintptr]cachedFont{}}}}
	for range 100 {
		for _, name := range []string{"F1", "F2", "F3"} {
			d.setFont([]token{{text: []byte(name)}, {number: 10}}, resources)
		}
	}
	if d.read != 2 {
		t.Errorf("%d fonts were read, want 2", d.read)
	}
}

func TestToUnicode(t *testing.T) {
	cmap := "1 beginbfchar <0001> <0041> endbfchar 2 beginbfrange <0002> <0003> <0062> <0004> <0005> [<00660069> <0021>] endbfrange"
	got := readCMap([]byte(cmap))
	for code, want := range map[int]string{1: "A", 2: "b", 3: "c", 4: "fi", 5: "!"} {
		if got[code] != want {
			t.Errorf("code %d: got %q, want %q", code, got[code], want)
		}
	}
}
