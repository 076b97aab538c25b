package lazyregexp

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSet checks that a set returns every expression that matches a text, and omits one whose literal the text lacks.
func TestSet(t *testing.T) {
	var forms []*Regexp
	for _, e := range expressions {
		forms = append(forms, New(e))
	}
	for _, e := range filtered {
		forms = append(forms, New(e.expression))
	}
	set := NewSet(forms)
	texts := slices.Clone(subjects)
	for _, e := range filtered {
		texts = append(texts, e.matches...)
	}
	for _, text := range append(texts, strings.Repeat("x", maxSigned)+"courtier") {
		found := slices.Collect(set.In(text))
		if !slices.IsSorted(found) {
			t.Errorf("%.20q: %v is not in ascending order", text, found)
		}
		for i, f := range forms {
			if regexp.MustCompile(f.String()).MatchString(text) && !slices.Contains(found, i) {
				t.Errorf("%.20q: %s is missing", text, f)
			}
		}
	}
	if found := slices.Collect(NewSet([]*Regexp{New(`(?i)courtier`), New(`(?i)makler`)}).In("der Makler")); !slices.Equal(found, []int{1}) {
		t.Errorf("got %v, want only the second expression", found)
	}
}
