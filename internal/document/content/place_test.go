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
	place := Place{Part: "a.xlsx", Page: 2, Sheet: "Values", Cell: NamedRef(7, 2), Line: 3}
	if got, want := place.String(), "a.xlsx, sheet Values, page 2, cell B7, line 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if allocated := testing.AllocsPerRun(10, func() { _ = place.String() }); allocated > 1 {
		t.Errorf("a place takes %v allocations, want 1", allocated)
	}
}

func TestRefString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		ref  Ref
		want string
	}{
		{Ref{}, ""},
		{NamedRef(1, 1), "A1"},
		{NamedRef(7, 26), "Z7"},
		{NamedRef(7, 27), "AA7"},
		{NamedRef(7, 702), "ZZ7"},
		{NamedRef(200_000, 703), "AAA200000"},
		{CellRef(3, 2), "row 3, column 2"},
	} {
		if got := tt.ref.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
