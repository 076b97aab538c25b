package content

import (
	"strings"
	"testing"
)

// TestPlaceHasAShortName checks that the name of a part, which is repeated for each value
// that was found in it, is cut.
func TestPlaceHasAShortName(t *testing.T) {
	t.Parallel()
	if got, want := (Place{Part: strings.Repeat("é", 100), Line: 7}).String(), strings.Repeat("é", 50)+"…, line 7"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPlaceInWords checks the text of a place, and that it takes one allocation: a
// statement of values has hundreds of thousands of places.
func TestPlaceInWords(t *testing.T) {
	place := Place{Part: "a.xlsx", Page: 2, Sheet: "Values", Cell: "B7", Line: 3}
	if got, want := place.String(), "a.xlsx, sheet Values, page 2, cell B7, line 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if allocated := testing.AllocsPerRun(10, func() { _ = place.String() }); allocated > 1 {
		t.Errorf("a place takes %v allocations, want 1", allocated)
	}
}
