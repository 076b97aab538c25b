package text

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGaps checks that the texts between gaps are those that a pattern finds.
func TestGaps(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(` {2,}|\t+`)
	for _, line := range []string{"", "a", "a b", "a  b", "  a\tb  ", "a \tb", "a\t b", "a  \t  b", "a\t\tb   c d", "é  ü", " ", "\u00a0 a   b", "a   b  \u00a0"} {
		want := pattern.Split(strings.TrimSpace(line), -1)
		if got := splitAtGaps(line); !slices.Equal(got, want) || columnsAtGaps(line) != len(want) {
			t.Errorf("%q: got %q and %d columns, want %q", line, got, columnsAtGaps(line), want)
		}
	}
}

// TestRulers checks that a line is a ruler if a pattern matches it.
func TestRulers(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^[\s|+:=_-]*[-=]{3}[\s|+:=_-]*$`)
	for _, line := range []string{"", "--", "---", "-=-", "|---|:--:|", "- - -", "-- --", "+--+", "+===+", "--- a", "a---", "---\t===", "___", "_---_", "---é", "--|-"} {
		if got := isRuler(line); got != pattern.MatchString(line) {
			t.Errorf("%q is a ruler: %t", line, got)
		}
	}
}

// TestColumnsAtBars checks that the columns of a line with bars are counted as they are split.
func TestColumnsAtBars(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"a|b": 0, "a|b|c": 3, "|a|b|": 2, " |a|b| ": 2, "||": 1, "|||": 2, "a||b": 3} {
		if got := columnsAtBars(line); got != want || got > 0 && got != len(splitAtBars(line)) {
			t.Errorf("%q has %d columns, want %d", line, got, want)
		}
	}
}
