package lazyregexp

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// expressions are of the kinds that an automaton treats differently.
var expressions = []string{
	`a?b*`, `.*`, `(a|ab)(c|bcd)?`, `(?:a|ab)(?:c|bcd)*?`, `x{2,3}y`, `(a+?)(a*)`, `(|a)*b`, `(a*)+$`, `a*?`,
	`\bfoo\b`, `\B.\B`, `^a`, `(?m)^a$`, `a$`, `\Aab|b\z`, `(?m)^\s*(\S+)`, `foo(bar\b)?`, `a(b$)?`,
	`(?i)straße|k\b`, `\p{Lu}[\pL'’]+(?: \p{Lu})?`, `[^a-z]é`, `(?s).{2}`, `(?i)[a-k]ſ?`,
	`(?i)\b(jan(?:uary)?|may|june?)\b[\s.\-]*(\d{1,2})(?:st|nd)?`, `\s*[;•|]\s*|,\s+`, `(\d{1,3})(?:,(\d{3}))*`,
	`[^.;]{0,40}?\bis (now )?(\w+)`, `\d{5}(?:-\d{4})?\b|\b[A-Z]\d[A-Z]\b`, "\ufffd", "a[\ufffd\ufffc]",
}

var subjects = []string{
	"", "a", "ab", "abcd", "aab b", "xxy xxxy", "foobar foo foobarx", "a\nab\n  a\n", "STRASSE Straße K \u212a aſk",
	"Éa 'Été’ Ärger B", "jan 3rd, May 12 june", "a; b • c, d|e", "1,234,567 and 89", "that site is now open; it is shut.",
	"90210-1234 K1P 6L5 A1B", "\xff\xfea\xc3 b", strings.Repeat("ab ", 500), "bcdbcd abc",
}

// TestLikeRegexp checks that all methods return the same as those of package regexp.
func TestLikeRegexp(t *testing.T) {
	for _, e := range expressions {
		for _, text := range subjects {
			compare(t, New(e), regexp.MustCompile(e), text)
		}
	}
}

func compare(t *testing.T, r *Regexp, plain *regexp.Regexp, text string) {
	t.Helper()
	check := func(method string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s of %q and %q (-regexp +lazyregexp):\n%s", method, plain, text, diff)
		}
	}
	check("MatchString", r.MatchString(text), plain.MatchString(text))
	check("FindString", r.FindString(text), plain.FindString(text))
	check("FindStringIndex", r.FindStringIndex(text), plain.FindStringIndex(text))
	check("FindStringSubmatch", r.FindStringSubmatch(text), plain.FindStringSubmatch(text))
	check("FindStringSubmatchIndex", r.FindStringSubmatchIndex(text), plain.FindStringSubmatchIndex(text))
	check("ReplaceAllString", r.ReplaceAllString(text, "<$1>"), plain.ReplaceAllString(text, "<$1>"))
	check("ReplaceAllString", r.ReplaceAllString(text, "-"), plain.ReplaceAllString(text, "-"))
	for _, n := range []int{-1, 0, 1, 2} {
		check("FindAllString", r.FindAllString(text, n), plain.FindAllString(text, n))
		check("FindAllStringIndex", r.FindAllStringIndex(text, n), plain.FindAllStringIndex(text, n))
		check("FindAllStringSubmatch", r.FindAllStringSubmatch(text, n), plain.FindAllStringSubmatch(text, n))
		check("FindAllStringSubmatchIndex", r.FindAllStringSubmatchIndex(text, n), plain.FindAllStringSubmatchIndex(text, n))
		check("Split", r.Split(text, n), plain.Split(text, n))
	}
}

// TestLongMatch checks the groups of a match for which package regexp is used.
func TestLongMatch(t *testing.T) {
	const expression = `(b)(a+)`
	compare(t, New(expression), regexp.MustCompile(expression), "ba, b"+strings.Repeat("a", maxWay))
}

// TestGivesUp checks the results of searches that take too many steps or states.
func TestGivesUp(t *testing.T) {
	for _, test := range []struct{ expression, text string }{
		{`(x+)+y`, strings.Repeat("x", 3000) + "yxxy"},
		{`[ab]*a[ab]{12}c`, strings.Repeat("abbabaaabbbabababbaabababab", 100) + "c"},
	} {
		r := New(test.expression)
		if _, result := r.matcher().find(test.text[:len(test.text)-4], 0); result != gaveUp {
			t.Errorf("%s: did not give up", test.expression)
		}
		compare(t, r, regexp.MustCompile(test.expression), test.text)
	}
}

// TestNoAllocations checks that a search without groups does not allocate memory once the states
// are known.
func TestNoAllocations(t *testing.T) {
	r := New(`(?i)\b(?:brokers?|courtiers?)\b`)
	if allocated := testing.AllocsPerRun(10, func() {
		if !r.MatchString("Ihr Makler, your Broker") || r.MatchString("your brokerage house") {
			t.Error("wrong match")
		}
	}); allocated > 0 {
		t.Errorf("got %v allocations", allocated)
	}
}

// FuzzLikeRegexp checks that all methods return the same as those of package regexp.
func FuzzLikeRegexp(f *testing.F) {
	for i, e := range expressions {
		f.Add(e, subjects[i%len(subjects)])
	}
	f.Fuzz(func(t *testing.T, expression, text string) {
		plain, err := regexp.Compile(expression)
		if err != nil || strings.Count(expression, "{") > 1 || len(expression) > 200 || len(text) > 1000 {
			return
		}
		compare(t, New(expression), plain, text)
	})
}
