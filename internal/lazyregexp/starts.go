package lazyregexp

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// asciiSet is a set of ASCII characters.
type asciiSet [utf8.RuneSelf / 64]uint64

func (s *asciiSet) has(b byte) bool { return s[b/64]&(1<<(b%64)) != 0 }

func (s *asciiSet) add(low, high rune) {
	for r := max(low, 0); r <= min(high, unicode.MaxASCII); r++ {
		s[r/64] |= 1 << (r % 64)
	}
}

// join adds the other set. It reports whether this set has grown.
func (s *asciiSet) join(other asciiSet) bool {
	before := *s
	for i := range s {
		s[i] |= other[i]
	}
	return *s != before
}

// startsOf returns, for each instruction, the ASCII characters that can be the next one on a path from
// it. Assertions are ignored, so not every character of a set leads further.
func startsOf(prog *syntax.Prog) []asciiSet {
	sets := make([]asciiSet, len(prog.Inst))
	for i := range prog.Inst {
		sets[i] = startsOfRune(&prog.Inst[i])
	}
	for grown := true; grown; {
		grown = false
		for i := len(prog.Inst) - 1; i >= 0; i-- {
			switch inst := &prog.Inst[i]; inst.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				grown = sets[i].join(sets[inst.Out]) || grown
				grown = sets[i].join(sets[inst.Arg]) || grown
			case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
				grown = sets[i].join(sets[inst.Out]) || grown
			}
		}
	}
	return sets
}

// startsOfRune returns the ASCII characters that an instruction matches itself.
func startsOfRune(inst *syntax.Inst) (set asciiSet) {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1:
		if len(inst.Rune) == 1 {
			r := inst.Rune[0]
			set.add(r, r)
			for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
				set.add(v, v)
			}
			break
		}
		for i := 0; i < len(inst.Rune); i += 2 {
			set.add(inst.Rune[i], inst.Rune[i+1])
		}
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		set.add(0, unicode.MaxASCII)
	}
	return set
}
