package lazyregexp

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// An automaton finds the matches of an expression much faster than package regexp, because each
// character of a text takes it only from one state to the next. It creates a state when it first
// needs it.
//
// A state is a list of places in the compiled expression, in the order in which a match prefers
// them. An assertion between two characters, such as \b, is decided when the second character is
// known.
type automaton struct {
	mu       sync.Mutex
	prog     *syntax.Prog
	asserts  syntax.EmptyOp       // assertions in the expression
	anchored bool                 // a match is only possible at the beginning of a text
	class    [utf8.RuneSelf]uint8 // the characters of a class lead to the same states
	reduced  [contexts]context    // equivalent context for the assertions of this expression
	classes  int                  // number of classes; the last one is for the end of the text
	states   []state
	start    [contexts]int32
	idle     [contexts][256]context // the context after an ASCII character with which no match begins; atBegin for other bytes
	quiet    [256]bool              // ASCII characters that are idle after every other character
	edges    []edge                 // by state and class
	beyond   map[beyondASCII]edge
	full     bool            // the states take too much memory
	index    map[state]int32 // the numbers of the states
	marks    marks
	next     []uint32          // buffer for the places of the next state
	key      []byte            // buffer for the next state
	starts   func() []asciiSet // the characters that can follow each instruction, for way
}

// state is the context before a place in the text, and four bytes for each place in the expression.
type state string

// An edge holds the number of the state that a character leads to, and whether a match ends before
// the character.
type edge uint16

const (
	unknown edge = 0
	matched edge = 1
	dead         = 1 // the number of the state without places
)

func (e edge) state() int32 { return int32(e >> 1) }

type beyondASCII struct {
	from      int32
	character rune
}

// A context is the kind of the character before a place, as far as it matters to assertions.
type context uint8

const (
	atBegin context = iota
	afterLine
	afterWord
	afterOther
	contexts
)

var examples = [contexts]rune{atBegin: -1, afterLine: '\n', afterWord: 'a', afterOther: ' '}

const (
	endOfText = rune(-1)
	maxStates = 1_000 // so that their numbers fit in an edge
	maxBeyond = 5_000
)

func newAutomaton(expression string) *automaton {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		panic("lazyregexp: " + expression + ": " + err.Error())
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		panic("lazyregexp: " + expression + ": " + err.Error())
	}
	prog.Inst = slices.Clone(prog.Inst) // without spare capacity
	a := &automaton{prog: prog, anchored: prog.StartCond()&syntax.EmptyBeginText != 0, marks: newMarks(len(prog.Inst))}
	a.starts = sync.OnceValue(func() []asciiSet { return startsOf(prog) })
	for _, inst := range prog.Inst {
		if inst.Op == syntax.InstEmptyWidth {
			a.asserts |= syntax.EmptyOp(inst.Arg)
		}
	}
	a.reduceContexts()
	a.classify()
	a.forget()
	return a
}

// forget removes all states but the first ones.
func (a *automaton) forget() {
	a.states, a.edges = make([]state, dead+1), make([]edge, (dead+1)*a.classes)
	a.beyond, a.index, a.full = map[beyondASCII]edge{}, map[state]int32{}, false
	for c := range contexts {
		a.start[c] = a.number([]uint32{uint32(a.prog.Start)}, a.reduced[c])
	}
}

// classify divides the ASCII characters into classes.
func (a *automaton) classify() {
	var first [utf8.RuneSelf + 1]bool // of a class
	mark := func(low, high rune) {
		first[min(low, utf8.RuneSelf)], first[min(high+1, utf8.RuneSelf)] = true, true
	}
	for _, inst := range a.prog.Inst {
		switch inst.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if len(inst.Rune) == 1 {
				for r := unicode.SimpleFold(inst.Rune[0]); ; r = unicode.SimpleFold(r) {
					mark(r, r)
					if r == inst.Rune[0] {
						break
					}
				}
				continue
			}
			for i := 0; i < len(inst.Rune); i += 2 {
				mark(inst.Rune[i], inst.Rune[i+1])
			}
		}
	}
	if a.asserts&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0 {
		mark('\n', '\n')
	}
	if a.asserts&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
		for _, r := range [][2]rune{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}} {
			mark(r[0], r[1])
		}
	}
	class := uint8(0)
	for r := range rune(utf8.RuneSelf) {
		if first[r] && r > 0 {
			class++
		}
		a.class[r] = class
	}
	a.classes = int(class) + 2
}

func contextAfter(r rune) context {
	switch {
	case r == endOfText:
		return atBegin
	case r == '\n':
		return afterLine
	case syntax.IsWordChar(r):
		return afterWord
	}
	return afterOther
}

// contextsAfter holds the contexts after the ASCII characters.
var contextsAfter = func() (table [256]context) {
	for r := range table {
		table[r] = contextAfter(rune(r))
	}
	return table
}()

// reduceContexts merges contexts that are equivalent for the assertions of the expression, so that
// there are fewer states.
func (a *automaton) reduceContexts() {
	const lines, boundaries = syntax.EmptyBeginLine, syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	for c, matter := range [contexts]syntax.EmptyOp{atBegin: syntax.EmptyBeginText | lines, afterLine: lines, afterWord: boundaries} {
		a.reduced[c] = context(c)
		if a.asserts&matter == 0 {
			a.reduced[c] = afterOther
		}
	}
}

// number returns the number of the state with the places. It adds the state if it is new.
func (a *automaton) number(places []uint32, before context) int32 {
	if len(places) == 0 {
		return dead
	}
	a.key = append(a.key[:0], byte(before))
	for _, p := range places {
		a.key = binary.LittleEndian.AppendUint32(a.key, p)
	}
	if n, known := a.index[state(a.key)]; known {
		return n
	}
	n := int32(len(a.states))
	s := state(a.key)
	a.index[s] = n
	a.states = append(a.states, s)
	a.edges = append(a.edges, make([]edge, a.classes)...)
	a.full = a.full || len(a.states) > maxStates
	return n
}

// step returns the edge from a state for a character.
func (a *automaton) step(from int32, character rune) edge {
	s := a.states[from]
	asserted := syntax.EmptyOpContext(examples[s[0]], character)
	a.marks.clear()
	a.next = a.next[:0]
	e := edge(0)
	for places := s[1:]; places != ""; places = places[4:] {
		place := uint32(places[0]) | uint32(places[1])<<8 | uint32(places[2])<<16 | uint32(places[3])<<24
		if a.follow(place, asserted, character) {
			e = matched
			break // the places that follow are less preferred than this match
		}
	}
	return e | edge(a.number(a.next, a.reduced[contextAfter(character)]))<<1
}

// follow adds the places that a character leads to from a place. It returns true if the place is
// the end of a match.
func (a *automaton) follow(place uint32, asserted syntax.EmptyOp, character rune) bool {
	if !a.marks.add(place) {
		return false
	}
	switch inst := &a.prog.Inst[place]; inst.Op {
	case syntax.InstMatch:
		return true
	case syntax.InstAlt, syntax.InstAltMatch:
		return a.follow(inst.Out, asserted, character) || a.follow(inst.Arg, asserted, character)
	case syntax.InstCapture, syntax.InstNop:
		return a.follow(inst.Out, asserted, character)
	case syntax.InstEmptyWidth:
		return syntax.EmptyOp(inst.Arg)&^asserted == 0 && a.follow(inst.Out, asserted, character)
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		if character != endOfText && inst.MatchRune(character) && a.marks.addNext(inst.Out) {
			a.next = append(a.next, inst.Out)
		}
	}
	return false
}

// edge returns the edge from a state at a place in the text, and the length of the character there.
func (a *automaton) edge(from int32, text string, at int) (edge, int) {
	if at == len(text) {
		e := &a.edges[int(from)*a.classes+a.classes-1]
		if *e == unknown {
			*e = a.step(from, endOfText) // this leads to the dead state, so it adds no state
		}
		return *e, 0
	}
	if b := text[at]; b < utf8.RuneSelf {
		i := int(from)*a.classes + int(a.class[b])
		if a.edges[i] == unknown {
			e := a.step(from, rune(b))
			a.edges[i] = e
		}
		return a.edges[i], 1
	}
	r, width := utf8.DecodeRuneInString(text[at:])
	e, known := a.beyond[beyondASCII{from, r}]
	if !known {
		e = a.step(from, r)
		a.beyond[beyondASCII{from, r}] = e
		a.full = a.full || len(a.beyond) > maxBeyond
	}
	return e, width
}

// marks are two sets of places.
type marks struct {
	seen, next []uint32 // a place is in a set if its entry is the current number
	number     uint32
}

func newMarks(places int) marks {
	return marks{seen: make([]uint32, places), next: make([]uint32, places)}
}

func (m *marks) clear() {
	if m.number++; m.number == 0 {
		clear(m.seen)
		clear(m.next)
		m.number = 1
	}
}

func (m *marks) add(place uint32) bool     { return put(m.seen, place, m.number) }
func (m *marks) addNext(place uint32) bool { return put(m.next, place, m.number) }

func put(set []uint32, place, number uint32) bool {
	if set[place] == number {
		return false
	}
	set[place] = number
	return true
}
