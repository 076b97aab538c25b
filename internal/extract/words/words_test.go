package words_test

import (
	"testing"

	"understudy.example/internal/extract/words"
)

func TestMissing(t *testing.T) {
	for _, text := range []string{"", "TBA", "n/a", "N.A.", "See attached schedule", "[Underwriter Name]", "____", "-", "as per attached", "<insert name>"} {
		if !words.Missing(text) {
			t.Errorf("%q counts as a value", text)
		}
	}
	for _, text := range []string{"Acme Ltd", "N", "0", "Nilsson AB", "[x] Yes"} {
		if words.Missing(text) {
			t.Errorf("%q counts as missing", text)
		}
	}
}
