package lazyregexp

import (
	"regexp"
	"strings"
	"testing"
)

var filtered = []struct {
	expression     string
	matches, skips []string
}{
	{`(?i)\b(?:brokers?|brokerage|courtiers?)\b`, []string{"A Broker", "broker's", "COURTIER"}, []string{"", "stockbroker", "brok er", "courtierx"}},
	{`(?i)\bask`, []string{"Aſk", "as\u212a", "asks"}, []string{"task", "as"}},
	{`(?i)prämie`, []string{"PRÄMIE", "Prämie"}, []string{"pr", "prmie", "prame"}},
	{`[£€]\s?\d+`, []string{"x € 5", "£12"}, []string{"£x", "5 €", ""}},
	{`\d{5}(?:-\d{4})?`, []string{"90210", "90210-1234"}, []string{"9021", "9021 0"}},
	{`\s+[-–—]\s+`, []string{"a - b", "a\n—\tb"}, []string{"a-b", "a -b"}},
	{`^\W*(?:page|seite)?\s*\d`, []string{"page 3", "- 4"}, []string{"page three"}},
	{`x{2,3}y`, []string{"xxy", "xxxy"}, []string{"xy", "xx"}},
	{`(?:\[x\])|tick`, []string{"[x]", "tick"}, []string{"[ ]", "x"}},
	{`.*`, []string{"", "a"}, nil},
	{`a?b*`, []string{"", "c"}, nil},
	{`(?s)one.{0,300}two`, []string{"one and two"}, []string{"on two"}},
}

// TestConditions checks that texts without a match are skipped, and no text with one.
func TestConditions(t *testing.T) {
	for _, test := range filtered {
		r, plain := New(test.expression), regexp.MustCompile(test.expression)
		for _, text := range test.matches {
			if !plain.MatchString(text) || !r.canMatch(text) {
				t.Errorf("%s and %q: matches %v, can match %v", test.expression, text, plain.MatchString(text), r.canMatch(text))
			}
		}
		for _, text := range test.skips {
			if r.canMatch(text) {
				t.Errorf("%s and %q: the text is not skipped", test.expression, text)
			}
		}
	}
}

// TestWithoutMatch checks that all methods return the same as those of regexp for a text that
// is skipped.
func TestWithoutMatch(t *testing.T) {
	r, plain := New(`,+`), regexp.MustCompile(`,+`)
	for _, text := range []string{"", "a", "a,b"} {
		for _, n := range []int{-1, 0, 1, 2} {
			if got, want := r.Split(text, n), plain.Split(text, n); len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
				t.Errorf("Split(%q, %d): got %q, want %q", text, n, got, want)
			}
		}
		if got, want := r.ReplaceAllString(text, "x"), plain.ReplaceAllString(text, "x"); got != want {
			t.Errorf("ReplaceAllString(%q): got %q, want %q", text, got, want)
		}
		if got, want := r.FindString(text), plain.FindString(text); got != want {
			t.Errorf("FindString(%q): got %q, want %q", text, got, want)
		}
	}
}

// FuzzConditions checks that no text that an expression matches is skipped.
func FuzzConditions(f *testing.F) {
	for _, test := range filtered {
		for _, text := range test.matches {
			f.Add(test.expression, text)
		}
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		plain, err := regexp.Compile(expression)
		if err != nil || strings.Count(expression, "{") > 1 || len(text) > 1000 || !plain.MatchString(text) {
			return
		}
		for _, c := range conditions(expression) {
			if !c.met(text) {
				t.Errorf("%q matches %q, which contains none of %.10q", expression, text, c.literals)
			}
		}
	})
}
