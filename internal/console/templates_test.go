package console

import "testing"

// TestTemplatesAreValid parses the templates of all pages. A server parses a template only when
// its page is shown.
func TestTemplatesAreValid(t *testing.T) {
	for name, page := range newTemplates() {
		if page().Lookup("main") == nil {
			t.Errorf("%s has no part main", name)
		}
	}
}
