//go:build linux || darwin

package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestLogShowsCause checks that an error shows the line about missing disk space even if
// many follow, and no lines about our own attempts to connect.
func TestLogShowsCause(t *testing.T) {
	const full = `FATAL:  could not write lock file "postmaster.pid": No space left on device`
	attempts := strings.Repeat("FATAL:  the database system is not yet accepting connections\nDETAIL:  Consistent recovery state has not been yet reached.\n", 20)
	for log, want := range map[string][]string{
		"":                                   nil,
		"LOG:  a\n" + attempts + "LOG:  b\n": {"LOG:  a", "LOG:  b"},
		full + "\n" + attempts + "LOG:  shut down": {full, "LOG:  shut down"},
		full + strings.Repeat("\nLOG:  x", 50):     append([]string{full}, slices.Repeat([]string{"LOG:  x"}, maxTail-1)...),
	} {
		if diff := cmp.Diff(want, causes(log), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	}
}
