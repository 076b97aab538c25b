package text

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGaps checks that splitAtGaps splits a line as a regular expression does.
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

// TestRulers checks that isRuler accepts the lines that a regular expression matches, and no others.
func TestRulers(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^[\s|+:=_-]*[-=]{3}[\s|+:=_-]*$`)
	for _, line := range []string{"", "--", "---", "-=-", "|---|:--:|", "- - -", "-- --", "+--+", "+===+", "--- a", "a---", "---\t===", "___", "_---_", "---é", "--|-"} {
		if got := isRuler(line); got != pattern.MatchString(line) {
			t.Errorf("%q is a ruler: %t", line, got)
		}
	}
}

// TestColumnsAtBars checks that columnsAtBars counts the columns that splitAtBars returns.
func TestColumnsAtBars(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"a|b": 0, "a|b|c": 3, "|a|b|": 2, " |a|b| ": 2, "||": 1, "|||": 2, "a||b": 3} {
		if got := columnsAtBars(line); got != want || got > 0 && got != len(splitAtBars(line)) {
			t.Errorf("%q has %d columns, want %d", line, got, want)
		}
	}
}
