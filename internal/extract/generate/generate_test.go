package generate_test

import (
	"html"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/extract/generate"
	"understudy.example/internal/extract/vocabulary"
)

// bare returns the letters and digits of a text in lower case.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// TestDocumentsStateTheirTruth checks that each document shows every value of its truth: in
// text formats in the file itself, in others in the text that the readers find.
func TestDocumentsStateTheirTruth(t *testing.T) {
	t.Parallel()
	for i := range 40 * len(generate.Families()) {
		d := generate.New(1, i)
		var text strings.Builder
		if strings.HasSuffix(d.Name, ".txt") || strings.HasSuffix(d.Name, ".csv") || strings.HasSuffix(d.Name, ".html") {
			text.WriteString(html.UnescapeString(d.Content))
		} else {
			for _, part := range documenttest.MustRead(t, d.Name, d.Content) {
				text.WriteString(documenttest.Show(part))
				if part.Mail != nil {
					text.WriteString(part.Mail.Subject + part.Mail.From)
				}
			}
		}
		all := bare(text.String())
		for _, shown := range d.Shown {
			if !strings.Contains(all, bare(shown)) {
				t.Errorf("%s does not show %q", d.Name, shown)
			}
		}
		if len(d.Truth.Facts)+len(d.Truth.Options)+len(d.Truth.Locations.Rows) == 0 {
			t.Errorf("%s states nothing", d.Name)
		}
	}
}

func TestSameSeedSameDocument(t *testing.T) {
	t.Parallel()
	for i := range len(generate.Families()) {
		first, second, other := generate.New(7, i), generate.New(7, i), generate.New(8, i)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s differs: %s", first.Name, diff)
		}
		if first.Content == other.Content {
			t.Errorf("%s is the same for another seed", first.Name)
		}
	}
}

// TestHeldOutTermsAreNotInTheVocabulary keeps the two tables apart. If a term of the
// vocabulary was found independently, remove it from heldout.tsv.
func TestHeldOutTermsAreNotInTheVocabulary(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, e := range slices.Concat(vocabulary.Labels(), vocabulary.Headers()) {
		known[strings.Join(vocabulary.Words(e.Term), " ")] = true
	}
	for _, term := range generate.HeldOutTerms() {
		if known[strings.Join(vocabulary.Words(term), " ")] {
			t.Errorf("%q is in the vocabulary too: remove it from data/heldout.tsv", term)
		}
	}
}
