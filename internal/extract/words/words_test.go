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

// TestUnnumbered checks that Unnumbered, which skips the pattern for most texts, returns the same as
// with the pattern alone.
func TestUnnumbered(t *testing.T) {
	for _, text := range []string{"1. Insured", "(2) Insured", " 3.1 Insured", "4 – Insured", "A1. Insured", "b) Insured", "\n(c. Insured", "5.", "H12 Insured", "Insured", "a", "A Firm", "1 Mill Lane", "(x) y", "é) y", ""} {
		want := text
		if at := words.Numbering.FindStringIndex(text); at != nil {
			want = text[at[1]:]
		}
		if got := words.Unnumbered(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	for text, want := range map[string]string{
		"NamedInsured": "named insured", "TIVTotal": "tiv total", "BCPs": "bcps", "S.I. #2": "si   number 2", "insured's": "insureds",
		"R&D 5%": "r and d 5 percent ", "w/ Öl": "with  öl", "a.": "a ", "\xffA": " a", "": "",
	} {
		if got := words.Spread(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
