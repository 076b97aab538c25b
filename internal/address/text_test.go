package address

import (
	"strings"
	"testing"
)

// TestFoldASCII checks that a name in ASCII is folded like one with an accent.
func TestFoldASCII(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"New York", "new york", "St. John's", " O`Fallon -- Park ", "12-14 A/B", "...", "", "  ", "A\tB", strings.Repeat("Long Name ", 20)} {
		want := strings.TrimSuffix(strings.TrimSuffix(fold(name+" é"), "e"), " ")
		if got := fold(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
