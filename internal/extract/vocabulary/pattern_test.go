package vocabulary

import (
	"slices"
	"testing"
)

// TestPattern checks that the terms of a pattern match whole words in any language.
func TestPattern(t *testing.T) {
	tests := []struct {
		pattern, text, want string
	}{
		{`(?i)\b{{dates.month}}\b`, "am 3. MÄRZ 2027", "MÄRZ"},
		{`(?i)\b{{dates.month}}\b`, "Marchetti", ""},
		{`(?i)\b{{letters.greeting}}\b`, "chère Madame", "chère"},
		{`(?i)\b{{dates.unit/months}}\b`, "12 Monate", "Monate"},
		{`(?i)\b{{dates.unit/months}}\b`, "12 Jahre", ""},
		{`(?i)\b{{answers.yes|answers.no}}\b`, "Nein", "Nein"},
		{`(?i)\b{{names.related}}\b`, "its subsidiaries", "subsidiaries"},
		{`(?i)\b{{firms.insurer}}\b`, "Lloyd’s", "Lloyd’s"},
	}
	for _, test := range tests {
		if got := Pattern(test.pattern).FindString(test.text); got != test.want {
			t.Errorf("%s in %q: got %q, want %q", test.pattern, test.text, got, test.want)
		}
	}
}

// TestWordFiles checks the languages of the terms, and that no term occurs twice with the same meaning.
func TestWordFiles(t *testing.T) {
	files, err := wordFiles.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	languages := []string{"-", "da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "sv"}
	for _, file := range files {
		name := file.Name()[:len(file.Name())-len(".tsv")]
		seen := map[Entry]bool{}
		for _, e := range Entries(name) {
			if !slices.Contains(languages, e.Language) || e.Term == "" {
				t.Errorf("%s: unknown language or empty term: %+v", name, e)
			}
			if seen[e] {
				t.Errorf("%s: duplicate term: %+v", name, e)
			}
			seen[e] = true
		}
	}
}
