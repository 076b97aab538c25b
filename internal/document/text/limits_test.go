package text

import (
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// TestLinesUpToLimit: lines beyond the limit of text cost no time, not even
// empty ones.
func TestLinesUpToLimit(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Named Insured: Foxglove Bakery LLC\n", "a\n\n"} {
		f := &content.File{Part: &content.Part{}}
		lines := upToLimit(f, decode.Lines(strings.Repeat(line, content.MaxText/len(line)+100)))
		if size := len(strings.Join(lines, "\n")); size > content.MaxText || size < content.MaxText-100 || f.Cause != content.Limit {
			t.Errorf("got %d bytes of %q and cause %q", size, line, f.Cause)
		}
	}
}
