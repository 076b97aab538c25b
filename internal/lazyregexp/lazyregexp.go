// Package lazyregexp compiles regular expressions when they are first used. All expressions
// of package extract together need 10 MB of memory; the server does not use them, because
// its worker processes extract the documents. A text that
// lacks the literals of every match is not compared with the expression, so many expressions
// are never compiled.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. Its methods are
// those of regexp.Regexp.
type Regexp struct {
	expression func() string
	compiled   func() *regexp.Regexp
	conditions func() []*condition
}

// inTest reports whether this program is a test. In a test, New compiles each expression
// at once, so that invalid expressions are found.
var inTest = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns the regular expression. An invalid one panics when it is first used.
func New(expression string) *Regexp {
	return Build(func() string { return expression })
}

// Build is New for an expression that is made when it is first used.
func Build(expression func() string) *Regexp {
	r := &Regexp{
		expression: expression,
		compiled:   sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression()) }),
		conditions: sync.OnceValue(func() []*condition { return conditions(expression()) }),
	}
	if inTest {
		r.compiled()
	}
	return r
}

// canMatch returns false if the text lacks the literals of every match. It returns true for an
// invalid expression, which then panics when it is compiled.
func (r *Regexp) canMatch(s string) bool {
	for _, c := range r.conditions() {
		if !c.met(s) {
			return false
		}
	}
	return true
}

func (r *Regexp) String() string { return r.expression() }

func (r *Regexp) MatchString(s string) bool { return r.canMatch(s) && r.compiled().MatchString(s) }

func (r *Regexp) FindString(s string) string {
	if !r.canMatch(s) {
		return ""
	}
	return r.compiled().FindString(s)
}

func (r *Regexp) FindStringIndex(s string) []int {
	if !r.canMatch(s) {
		return nil
	}
	return r.compiled().FindStringIndex(s)
}

func (r *Regexp) FindStringSubmatch(s string) []string {
	if !r.canMatch(s) {
		return nil
	}
	return r.compiled().FindStringSubmatch(s)
}

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if !r.canMatch(s) {
		return nil
	}
	return r.compiled().FindStringSubmatchIndex(s)
}

func (r *Regexp) FindAllString(s string, n int) []string {
	if !r.canMatch(s) {
		return nil
	}
	return r.compiled().FindAllString(s, n)
}

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	if !r.canMatch(s) {
		return nil
	}
	return r.compiled().FindAllStringIndex(s, n)
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !r.canMatch(s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !r.canMatch(s) {
		return nil
	}
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

func (r *Regexp) ReplaceAllString(s, replacement string) string {
	if !r.canMatch(s) {
		return s
	}
	return r.compiled().ReplaceAllString(s, replacement)
}

func (r *Regexp) Split(s string, n int) []string {
	if n != 0 && !r.canMatch(s) {
		return []string{s}
	}
	return r.compiled().Split(s, n)
}
