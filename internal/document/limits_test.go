package document

import (
	"errors"
	"strings"
	"testing"
)

// TestOneHugeParagraph: of a text without an end, the beginning is read.
func TestOneHugeParagraph(t *testing.T) {
	t.Parallel()
	text := "<html><body>Named Insured: Foxglove Bakery LLC " + strings.Repeat("and so on ", maxText/10+1) + "</body></html>"
	parts, err := Read(t.Context(), "a.html", strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if got := parts[0]; got.Cause != Limit || len(got.Blocks) != 1 || !strings.HasPrefix(got.Blocks[0].Text, "Named Insured: Foxglove") {
		t.Errorf("%s %q, %d blocks", got.Cause, got.Note, len(got.Blocks))
	}
}

// TestDamagedWhole: a container of which nothing could be read was not read in part.
func TestDamagedWhole(t *testing.T) {
	t.Parallel()
	for name, reason := range map[string]string{"word/document.xml": "damaged Word document", "xl/workbook.xml": "damaged Excel workbook"} {
		file := zipped(t, name, `<workbook><sheets><sheet name="S" r:id="r"/></sheets><a`)
		_, err := Read(t.Context(), "a", strings.NewReader(file), int64(len(file)))
		var bad *Unreadable
		if !errors.As(err, &bad) || bad.Cause != Damaged || bad.Reason != reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEndlessLines: lines beyond the most text cost nothing, empty ones too.
func TestEndlessLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Named Insured: Foxglove Bakery LLC\n", "a\n\n"} {
		part := &Part{}
		lines := within(part, splitLines(strings.Repeat(line, maxText/len(line)+100)))
		if size := len(strings.Join(lines, "\n")); size > maxText || size < maxText-100 || part.Cause != Limit {
			t.Errorf("%d bytes of %q, %s", size, line, part.Cause)
		}
	}
}
