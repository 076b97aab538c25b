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
