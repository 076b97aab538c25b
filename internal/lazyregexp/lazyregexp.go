// Package lazyregexp searches texts for regular expressions, which it compiles when they are first
// used. The server has hundreds of expressions, and compares the same text with many of them in
// succession. Most of them do not match.
//
// A search has three steps. A text that lacks the literals of every match is skipped (condition,
// signature), so many expressions are never compiled. An automaton then finds the place of the
// match. If the caller wants the groups, the text of the match is searched for them (way). Package
// regexp finds the matches only in the rare cases in which an automaton would take too long or too
// much memory.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. Its methods behave like
// those of regexp.Regexp.
type Regexp struct {
	expression func() string

	filter     sync.Once
	conditions []condition // met by all texts that match

	search    sync.Once
	automaton *automaton

	compiled func() *regexp.Regexp
}

// inTest reports whether this program is a test. In a test, New compiles each expression
// at once, so that invalid expressions are found.
var inTest = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns the regular expression. An invalid one panics when it is first used.
func New(expression string) *Regexp {
	return Build(func() string { return expression })
}

// Build is New for an expression that a function returns. The function is called when the expression
// is first used.
func Build(expression func() string) *Regexp {
	expression = sync.OnceValue(expression)
	r := &Regexp{expression: expression, compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression()) })}
	if inTest {
		r.compiled()
	}
	return r
}

// canMatch returns false if the text lacks the literals of every match.
func (r *Regexp) canMatch(text string) bool { return meets(text, r.filters()) }

func (r *Regexp) filters() []condition {
	r.filter.Do(func() { r.conditions = conditions(r.expression()) })
	return r.conditions
}

// matcher returns the automaton. The first call creates it.
func (r *Regexp) matcher() *automaton {
	r.search.Do(func() { r.automaton = newAutomaton(r.expression()) })
	return r.automaton
}

func (r *Regexp) String() string { return r.expression() }

func (r *Regexp) MatchString(s string) bool {
	_, ok := r.first(s)
	return ok
}

func (r *Regexp) FindString(s string) string {
	m, _ := r.first(s)
	return s[m.start:m.end]
}

func (r *Regexp) FindStringIndex(s string) []int {
	if m, ok := r.first(s); ok {
		return []int{m.start, m.end}
	}
	return nil
}

func (r *Regexp) FindStringSubmatch(s string) []string {
	if places := r.FindStringSubmatchIndex(s); places != nil {
		return texts(s, places)
	}
	return nil
}

// texts returns the texts at the places of a match and of its groups.
func texts(s string, places []int) []string {
	list := make([]string, len(places)/2)
	for i := range list {
		if places[2*i] >= 0 {
			list[i] = s[places[2*i]:places[2*i+1]]
		}
	}
	return list
}

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if m, ok := r.first(s); ok {
		return r.groups(s, m)
	}
	return nil
}

func (r *Regexp) FindAllString(s string, n int) (list []string) {
	var space [usual]span
	for _, m := range r.spans(space[:0], s, n) {
		list = append(list, s[m.start:m.end])
	}
	return list
}

const usual = 16 // matches that a search finds without allocating memory for their places

func (r *Regexp) FindAllStringIndex(s string, n int) (list [][]int) {
	var space [usual]span
	for _, m := range r.spans(space[:0], s, n) {
		list = append(list, []int{m.start, m.end})
	}
	return list
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) (list [][]string) {
	for _, places := range r.FindAllStringSubmatchIndex(s, n) {
		list = append(list, texts(s, places))
	}
	return list
}

func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) (list [][]int) {
	var space [usual]span
	for _, m := range r.spans(space[:0], s, n) {
		list = append(list, r.groups(s, m))
	}
	return list
}

func (r *Regexp) ReplaceAllString(s, replacement string) string {
	var space [usual]span
	matches := r.spans(space[:0], s, -1)
	if len(matches) == 0 {
		return s
	}
	replaced := make([]byte, 0, len(s)+len(replacement))
	from := 0
	for _, m := range matches {
		replaced = append(replaced, s[from:m.start]...)
		if strings.Contains(replacement, "$") {
			replaced = r.compiled().ExpandString(replaced, replacement, s, r.groups(s, m))
		} else {
			replaced = append(replaced, replacement...)
		}
		from = m.end
	}
	return string(append(replaced, s[from:]...))
}

func (r *Regexp) Split(s string, n int) []string {
	switch {
	case n == 0:
		return nil
	case s == "" && r.expression() != "":
		return []string{""}
	}
	var space [usual]span
	matches := r.spans(space[:0], s, n)
	parts := make([]string, 0, len(matches)+1)
	from, end := 0, 0
	for _, m := range matches {
		if n > 0 && len(parts) == n-1 {
			break
		}
		if end = m.start; m.end != 0 {
			parts = append(parts, s[from:end])
		}
		from = m.end
	}
	if end != len(s) {
		parts = append(parts, s[from:])
	}
	return parts
}
