package layout

import (
	"testing"

	"understudy.example/internal/document/content"
)

// TestSecondColumnContinues checks that a text below the second of two columns continues the line above,
// even if that line has no text in the second column.
func TestSecondColumnContinues(t *testing.T) {
	t.Parallel()
	for above, want := range map[string]string{
		"Mailing address\t":                 "Mailing address\tDayton, OH 45402",
		"Mailing address\t12 Mill Street":   "Mailing address\t12 Mill Street, Dayton, OH 45402",
		"Mailing address\t12 Mill Street, ": "Mailing address\t12 Mill Street, Dayton, OH 45402",
	} {
		d := Read([]content.Part{{Name: "a.docx", Format: content.DOCX, Blocks: []content.Block{{Text: above + "\n" + EmptyColumn + "\tDayton, OH 45402"}}}})
		if got := d.Lines[0].Text; got != want {
			t.Errorf("%q: got %q, want %q", above, got, want)
		}
	}
}
