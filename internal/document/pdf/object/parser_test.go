package object

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestObjects(t *testing.T) {
	tests := []struct{ text, want string }{
		{"12", "12"},
		{"-.5", "-0.5"},
		{"+7", "7"},
		{"--3", "-3"},
		{"4.", "4"},
		{"00012", "12"},
		{"true", "true"},
		{"null", "<nil>"},
		{"5 0 R", "{5 0}"},
		{"5 0 obj", "5"},
		{"/A#20B#", "A B#"},
		{"/", ""},
		{"/A%comment\n", "A"},
		{`(a\)(b)\n\101\7\\)`, "a)(b)\nA\x07\\"},
		{"(a\\\r\nb(c)\rd", "ab(c)\rd"},
		{`(\b\f\x)`, "\b\fx"},
		{"<48 6z9 7>", "Hip"},
		{"[1 2 R/A(b)[]<<>>null]", "[{1 2} A [98] [] map[] <nil>]"},
		{"[1 0 R 2 0 R 3]", "[{1 0} {2 0} 3]"},
		{"[1 ) } 2", "[1 2]"},
		{"<</A 1/B 2 0 R/C/D/E[1]>>", "map[A:1 B:{2 0} C:D E:[1]]"},
		{"<</A>>", "map[]"},
		{"<</A 1 2/B 3>>", "map[A:1 B:3]"},
		{"<</A[1 2>>", "map[A:[1 2]]"},
		{"<</A<</B 1 endobj", "map[A:map[B:1]]"},
		{"<</A null/B what>>", "map[]"},
	}
	for _, tt := range tests {
		p := parser{Scanner: Scanner{Data: []byte(tt.text)}, file: &File{parsed: 1 << 20}}
		o, _ := p.value()
		got := fmt.Sprint(o)
		if s, ok := o.(String); ok {
			got = string(s)
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestParserLimits checks that deep nesting, and objects that contain each other's bytes,
// take neither much memory nor time.
func TestParserLimits(t *testing.T) {
	var overlapping strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&overlapping, "%d 0 obj(\\(", i+3)
	}
	for name, text := range map[string]string{
		"deep arrays":        strings.Repeat("[", 1_000_000),
		"deep dictionaries":  strings.Repeat("<</A", 1_000_000),
		"overlapping text":   overlapping.String(),
		"many dictionaries":  "[" + strings.Repeat("<</A 1>>", 500_000) + "]",
		"references to text": "[" + strings.Repeat("3 0 R ", 500_000) + "]",
	} {
		document := []byte(build("", catalog, pages, text))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		readAll(document)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 3*maxParsed {
			t.Errorf("%s: %d MiB were allocated for %d MiB", name, used>>20, len(document)>>20)
		}
	}
	f := open(t, build("", catalog, pages, strings.Repeat("[", 200)+"1"))
	if f.Resolve(Ref{Number: 3}); !f.Limited() {
		t.Error("nesting without limits")
	}
}
