package decode

import (
	"slices"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \n\r\n\t\n", nil},
		{"a \r\nb\rc\u2028d", []string{"a", "b", "c", "d"}},
		{"\n a\n\nb\u00a0\n \n", []string{"", " a", "", "b"}},
	} {
		if got := Lines(test.text); !slices.Equal(got, test.want) {
			t.Errorf("Lines(%q): got %q, want %q", test.text, got, test.want)
		}
	}
	if got := Lines("a" + strings.Repeat("\n", 1_000_000)); cap(got) > 10 {
		t.Errorf("empty lines at the end took memory for %d lines", cap(got))
	}
}
