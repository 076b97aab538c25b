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
	{`(?i)\b(?:brokers?|brokerage|courtiers?)\b`, []string{"A Broker", "broker's", "COURTIER"}, []string{"", "brok er", "courtage"}},
	{`(?i)\bask`, []string{"Aſk", "as\u212a", "asks"}, []string{"as"}},
	{`(?i)prämie`, []string{"PRÄMIE", "Prämie"}, []string{"pr", "prmie", "prame"}},
	{`[£€]\s?\d+`, []string{"x € 5", "£12"}, []string{"£x", "", "5 USD"}},
	{`\d{5}(?:-\d{4})?`, []string{"90210", "90210-1234"}, []string{"90"}},
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
		if !meets(text, conditions(expression)) {
			t.Errorf("%q matches %q, which lacks the literals", expression, text)
		}
	})
}
