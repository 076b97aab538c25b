package vocabulary_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/extract/vocabulary"
)

func meanings(matches []vocabulary.Match) []string {
	var names []string
	for _, m := range matches {
		names = append(names, m.Meaning)
	}
	return names
}

// TestFind checks that the longest terms are found, whatever their case, plural and
// punctuation.
func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Products Liability and directors' & officers'": {"Product Liability", "Directors & Officers"},
		"BUSINESS INTERRUPTION":                         {"Business Interruption"},
		"nothing known here":                            nil,
	} {
		if diff := cmp.Diff(want, meanings(vocabulary.Covers().Find(text))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}

// TestWhole checks how many unknown words a text can have.
func TestWhole(t *testing.T) {
	t.Parallel()
	if found := vocabulary.Covers().Whole("Dependent business interruption cover for our clients", 1); found != nil {
		t.Errorf("got %v for two unknown words, want nothing", meanings(found))
	}
	if diff := cmp.Diff([]string{"Dependent Business Interruption"}, meanings(vocabulary.Covers().Whole("Dependent business interruption cover", 0))); diff != "" {
		t.Error(diff)
	}
}

// TestApostrophes checks that typographic apostrophes match the straight ones of the terms.
func TestApostrophes(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"Business Interruption"}, meanings(vocabulary.Covers().Find("pertes d’exploitation"))); diff != "" {
		t.Error(diff)
	}
}

// TestSplit checks that words have their places in the text.
func TestSplit(t *testing.T) {
	t.Parallel()
	text := "E&O – für Ärzte’s"
	var got []string
	for _, w := range vocabulary.Split(text) {
		got = append(got, w.Key+"="+text[w.Start:w.End])
	}
	if diff := cmp.Diff([]string{"e=E", "and=&", "o=O", "für=für", "ärzte=Ärzte’s"}, got); diff != "" {
		t.Error(diff)
	}
}
