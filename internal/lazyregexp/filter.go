package lazyregexp

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A condition is a set of literals, in the form of the hashes of their first, middle and last bytes. Every
// text that the expression matches contains one of the literals.
type condition struct {
	size  int // how many bytes of each literal are hashed
	grams []gram
}

// gram holds the hashes of the beginning, the middle and the end of a literal.
type gram struct {
	first, middle, last uint16
	alike               uint16 // number of grams from this one on that have the same beginning
}

const (
	maxLiterals   = 300 // of a condition
	maxLiteral    = 100 // bytes
	maxClass      = 12  // characters of a class that are compared as literals
	maxConditions = 4   // of an expression
	maxGram       = 3
)

// conditions returns the conditions of an expression: those with the longest literals, which
// the fewest texts contain. The condition with the fewest literals is first, because it is
// checked fastest.
func conditions(expression string) []condition {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil
	}
	var found []condition
	sets := analyse(parsed.Simplify()).sets()
	slices.SortStableFunc(sets, func(a, b []string) int { return shortest(b) - shortest(a) })
	for _, set := range sets[:min(len(sets), maxConditions)] {
		found = append(found, newCondition(set))
	}
	slices.SortStableFunc(found, func(a, b condition) int { return len(a.grams) - len(b.grams) })
	return found
}

// needs describes the texts that every match of an expression contains.
type needs struct {
	exact    []string   // all texts that it matches; nil if there are too many
	edge     []string   // each match begins with one of them, and ends with one; nil if not known
	required [][]string // sets of texts: each match contains a text of each set
}

// sets returns sets of texts. Each match contains a text of each set.
func (n needs) sets() [][]string {
	if useful(n.exact) {
		return [][]string{n.exact}
	}
	return n.required
}

var empty = needs{exact: []string{""}}

func analyse(re *syntax.Regexp) needs {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return empty
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpPlus:
		n := analyse(re.Sub[0])
		return needs{edge: n.exact, required: n.sets()}
	case syntax.OpQuest:
		if n := analyse(re.Sub[0]); n.exact != nil {
			return needs{exact: unique(append(slices.Clone(n.exact), ""))}
		}
	case syntax.OpConcat:
		return concat(re.Sub)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	}
	return needs{}
}

// literal returns the needs of a literal: its text, in upper and lower case if case is ignored.
func literal(re *syntax.Regexp) needs {
	texts := []string{""}
	for _, r := range re.Rune {
		if r == utf8.RuneError { // it also matches bytes that are not valid UTF-8
			return needs{}
		}
		variants := []string{fold(string(r))}
		if re.Flags&syntax.FoldCase != 0 && r >= utf8.RuneSelf {
			for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
				variants = append(variants, fold(string(v)))
			}
		}
		if texts = product(texts, variants); texts == nil {
			return needs{}
		}
	}
	return needs{exact: texts}
}

// class returns the needs of a class of characters.
func class(ranges []rune) needs {
	var n needs
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] >= 2*maxClass || ranges[i] <= utf8.RuneError && utf8.RuneError <= ranges[i+1] {
			return needs{}
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			n.exact = append(n.exact, fold(string(r)))
		}
	}
	if n.exact = unique(n.exact); len(n.exact) > maxClass || len(n.exact) == 0 {
		return needs{}
	}
	return n
}

// concat returns the needs of a sequence: the texts of adjacent parts are joined.
func concat(parts []*syntax.Regexp) needs {
	n, run, whole := needs{}, []string{""}, true
	for _, part := range parts {
		p := analyse(part)
		next := p.exact
		if next == nil {
			whole = false
			if joined := product(run, p.edge); joined != nil {
				n.add(joined)
			} else {
				n.add(run)
			}
			n.required = append(n.required, p.required...)
			if run = p.edge; run == nil {
				run = []string{""}
			}
			continue
		}
		joined := product(run, next)
		if joined == nil {
			whole = false
			n.add(run)
			joined = next
		}
		run = joined
	}
	if whole {
		return needs{exact: run}
	}
	n.add(run)
	return n
}

// alternate returns the needs of alternatives: all texts that they match or, if not all are known,
// the union of the best set of each.
func alternate(parts []*syntax.Regexp) needs {
	var exact, union []string
	whole, all := true, true
	for _, part := range parts {
		p := analyse(part)
		whole = whole && p.exact != nil
		exact = append(exact, p.exact...)
		sets := p.sets()
		if all = all && len(sets) > 0; all {
			union = append(union, slices.MaxFunc(sets, func(a, b []string) int { return shortest(a) - shortest(b) })...)
		}
	}
	if whole && len(exact) <= maxLiterals {
		return needs{exact: unique(exact)}
	}
	var n needs
	if all {
		n.add(unique(union))
	}
	return n
}

func (n *needs) add(set []string) {
	if useful(set) && len(set) <= maxLiterals {
		n.required = append(n.required, set)
	}
}

// useful reports whether many texts contain none of the literals.
func useful(set []string) bool {
	for _, l := range set {
		if l == "" || len(l) == 1 && (l == " " || l[0] >= 'a' && l[0] <= 'z') {
			return false
		}
	}
	return len(set) > 0
}

// product returns each text of a followed by each of b; nil if they are too many or too long.
func product(a, b []string) []string {
	if b == nil || len(a)*len(b) > maxLiterals {
		return nil
	}
	joined := make([]string, 0, len(a)*len(b))
	for _, first := range a {
		for _, second := range b {
			if len(first)+len(second) > maxLiteral {
				return nil
			}
			joined = append(joined, first+second)
		}
	}
	return unique(joined)
}

func unique(texts []string) []string {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	return slices.Compact(texts)
}

// shortest returns the length of the shortest literal of a set.
func shortest(set []string) int {
	least := len(set[0])
	for _, l := range set {
		least = min(least, len(l))
	}
	return least
}

func newCondition(set []string) condition {
	c := condition{size: min(shortest(set), maxGram)}
	for _, l := range set {
		rest := len(l) - c.size
		c.grams = append(c.grams, gram{first: hash(l[:c.size]), middle: hash(l[rest/2 : rest/2+c.size]), last: hash(l[rest:])})
	}
	slices.SortFunc(c.grams, func(a, b gram) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last), cmp.Compare(a.middle, b.middle))
	})
	c.grams = slices.Compact(c.grams)
	for i := len(c.grams) - 1; i >= 0; i-- {
		g := &c.grams[i]
		g.alike = 1
		if next := i + 1; next < len(c.grams) && c.grams[next].first == g.first {
			g.alike += c.grams[next].alike
		}
	}
	return c
}

// folded holds the form in which each byte is compared: letters in lower case, all digits as
// zeros, and the ends of lines as spaces. So the digits of an amount are one literal.
var folded = func() (table [256]byte) {
	for i := range table {
		b := byte(i)
		switch {
		case b >= 'A' && b <= 'Z':
			b += 'a' - 'A'
		case b >= '0' && b <= '9':
			b = '0'
		case b == '\n' || b == '\r' || b == '\f':
			b = ' '
		}
		table[i] = b
	}
	return table
}()

func fold(text string) string {
	b := []byte(text)
	for i, c := range b {
		b[i] = folded[c]
	}
	return string(b)
}
