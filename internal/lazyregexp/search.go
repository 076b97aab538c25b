package lazyregexp

import "unicode/utf8"

// span is the place of a match in a text.
type span struct{ start, end int }

// outcome is the result of a search.
type outcome int

const (
	none outcome = iota
	found
	// gaveUp means that the search would take too much time or memory. Package regexp then finds the
	// matches, because its time is at most proportional to the length of the text.
	gaveUp
)

// maxWork is the maximum number of bytes that a search reads for each byte of the text. It reads bytes
// again when it looks for a match from a later place.
const maxWork = 30

// find finds the first match that begins at the place or later.
func (a *automaton) find(text string, from int) (span, outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.anchored && from > 0 {
		return span{}, none
	}
	if a.full {
		a.forget()
	}
	before := a.contextAt(text, from)
	for at, work := from, 0; ; {
		for at < len(text) && a.idle[before%contexts][text[at]] != atBegin {
			for at++; at < len(text) && a.quiet[text[at]]; at++ {
			}
			before = a.reduced[contextsAfter[text[at-1]]]
		}
		end, stop := a.run(text, at, a.start[before])
		if a.full {
			return span{}, gaveUp
		}
		if end >= 0 {
			return span{at, end}, found
		}
		if a.anchored || at == len(text) {
			return span{}, none
		}
		if work += stop - at; work > maxWork*(len(text)-from)+1000 {
			return span{}, gaveUp
		}
		if b := text[at]; b < utf8.RuneSelf {
			next := a.reduced[contextsAfter[b]]
			if a.edges[int(a.start[before])*a.classes+int(a.class[b])] == dead<<1 {
				a.idle[before][b] = next
				a.quiet[b] = a.isQuiet(b)
			}
			before = next
			at++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[at:])
		before = a.reduced[contextAfter(r)]
		at += width
	}
}

// isQuiet reports whether a character is known to begin no match, whatever character stands before it.
func (a *automaton) isQuiet(b byte) bool {
	for c := afterLine; c < contexts; c++ {
		if a.idle[a.reduced[c]][b] == atBegin {
			return false
		}
	}
	return true
}

func (a *automaton) contextAt(text string, at int) context {
	if at == 0 {
		return a.reduced[atBegin]
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return a.reduced[contextAfter(r)]
}

// run returns the end of the match that begins at a place, or -1, and the place at which it stopped
// reading the text. The results are wrong if the automaton is full.
func (a *automaton) run(text string, at int, state int32) (end, stop int) {
	end = -1
	for {
		e, width := unknown, 1
		if at < len(text) && text[at] < utf8.RuneSelf {
			e = a.edges[int(state)*a.classes+int(a.class[text[at]])]
		}
		if e == unknown {
			e, width = a.edge(state, text, at)
		}
		if e&matched != 0 {
			end = at
		}
		at += width
		if state = e.state(); state == dead || a.full {
			return end, at
		}
	}
}

// spans appends the places of at most n matches, or of all if n < 0, in the order in which
// regexp.Regexp finds them: an empty match directly after another match is ignored.
func (r *Regexp) spans(list []span, text string, n int) []span {
	if !r.canMatch(text) {
		return list
	}
	a := r.matcher()
	last := -1
	for at := 0; at <= len(text) && (n < 0 || len(list) < n); {
		m, result := a.find(text, at)
		if result == none {
			break
		}
		if result == gaveUp {
			list = list[:0]
			for _, m := range r.compiled().FindAllStringIndex(text, n) {
				list = append(list, span{m[0], m[1]})
			}
			return list
		}
		accept := true
		if m.end == at {
			accept = m.start != last
			_, width := utf8.DecodeRuneInString(text[at:])
			at += max(width, 1)
		} else {
			at = m.end
		}
		if last = m.end; accept {
			list = append(list, m)
		}
	}
	return list
}

// first returns the place of the first match.
func (r *Regexp) first(text string) (span, bool) {
	if !r.canMatch(text) {
		return span{}, false
	}
	m, result := r.matcher().find(text, 0)
	if result == gaveUp {
		m := r.compiled().FindStringIndex(text)
		if m == nil {
			return span{}, false
		}
		return span{m[0], m[1]}, true
	}
	return m, result == found
}
