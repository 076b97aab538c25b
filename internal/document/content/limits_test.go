package content_test

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

// TestOneHugeParagraph reads the beginning of a paragraph that is longer than the
// text of a submission may be.
func TestOneHugeParagraph(t *testing.T) {
	t.Parallel()
	page := "<html><body>Named Insured: Foxglove Bakery LLC " + strings.Repeat("and so on ", content.MaxText/10+1) + "</body></html>"
	part := documenttest.MustRead(t, "a.html", page)[0]
	if part.Cause != content.Limit || len(part.Blocks) != 1 || !strings.HasPrefix(part.Blocks[0].Text, "Named Insured: Foxglove") {
		t.Errorf("got %s %q and %d blocks, want a single block cut short", part.Cause, part.Note, len(part.Blocks))
	}
}
