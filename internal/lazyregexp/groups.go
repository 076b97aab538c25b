package lazyregexp

import (
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// groups returns the places of a match and of its groups, as regexp.Regexp does. The automaton finds
// only the start and the end of a match, so the text of the match is searched again.
func (r *Regexp) groups(text string, m span) []int {
	if m.end-m.start > maxWay {
		return r.longGroups(text, m)
	}
	a := r.matcher()
	prog := a.prog
	places := make([]int, prog.NumCap)
	for i := range places {
		places[i] = -1
	}
	places[0], places[1] = m.start, m.end
	if len(places) > 2 {
		size := (len(prog.Inst)*(m.end-m.start+1) + 63) / 64
		buffer := triedBuffers.Get().(*[]uint64)
		tried := slices.Grow((*buffer)[:0], size)[:size]
		clear(tried)
		w := way{prog: prog, text: text, match: m, places: places, tried: tried, first: a.starts()}
		w.find(uint32(prog.Start), m.start)
		if size <= maxKept {
			*buffer = tried
			triedBuffers.Put(buffer)
		}
	}
	return places
}

const (
	maxWay  = 10_000 // bytes of a match; for a longer one, the search would need a large stack
	maxKept = 10_000 // elements of way.tried that are kept for other searches
)

// triedBuffers holds the memory of way.tried.
var triedBuffers = sync.Pool{New: func() any { return new([]uint64) }}

func (r *Regexp) longGroups(text string, m span) []int {
	for _, places := range r.compiled().FindAllStringSubmatchIndex(text, -1) {
		if places[0] == m.start {
			return places
		}
	}
	return nil
}

// way searches for the path through an expression that regexp.Regexp would prefer for a match.
type way struct {
	prog   *syntax.Prog
	text   string
	match  span
	places []int      // starts and ends of the groups on the current path
	tried  []uint64   // a bit for each instruction and place in the match from which no path leads to the end
	first  []asciiSet // of the automaton
}

// starts returns false if no path from an instruction matches the character at a place, as for most
// of the alternatives of an expression.
func (w *way) starts(pc uint32, at int) bool {
	return at == w.match.end || w.text[at] >= utf8.RuneSelf || w.first[pc].has(w.text[at])
}

// find reports whether a path leads from an instruction at a place in the text to the end of the match.
func (w *way) find(pc uint32, at int) bool {
	for {
		if !w.starts(pc, at) {
			return false
		}
		bit := int(pc)*(w.match.end-w.match.start+1) + at - w.match.start
		if w.tried[bit/64]&(1<<(bit%64)) != 0 {
			return false
		}
		w.tried[bit/64] |= 1 << (bit % 64)
		inst := &w.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstMatch:
			return at == w.match.end
		case syntax.InstAlt, syntax.InstAltMatch:
			if w.starts(inst.Out, at) && w.find(inst.Out, at) {
				return true
			}
			pc = inst.Arg
			continue
		case syntax.InstCapture:
			if int(inst.Arg) < 2 {
				break
			}
			before := w.places[inst.Arg]
			w.places[inst.Arg] = at
			if w.find(inst.Out, at) {
				return true
			}
			w.places[inst.Arg] = before
			return false
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^assertions(w.text, at) != 0 {
				return false
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if at == w.match.end {
				return false
			}
			r, width := utf8.DecodeRuneInString(w.text[at:])
			if !inst.MatchRune(r) {
				return false
			}
			at += width
		case syntax.InstFail:
			return false
		}
		pc = inst.Out
	}
}

// assertions returns the assertions that hold at a place in a text.
func assertions(text string, at int) syntax.EmptyOp {
	before, after := endOfText, endOfText
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(text[:at])
	}
	if at < len(text) {
		after, _ = utf8.DecodeRuneInString(text[at:])
	}
	return syntax.EmptyOpContext(before, after)
}
