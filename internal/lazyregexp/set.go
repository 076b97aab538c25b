package lazyregexp

import (
	"iter"
	"math/bits"
	"sync"
)

// Set finds those of many expressions that can match a text. It compares the signature of the text
// with the literals of all expressions at once, which is much faster than one by one.
type Set struct {
	expressions []*Regexp

	index  sync.Once
	always members                 // expressions without conditions
	begins [maxGram]hashSet        // the beginnings of the literals of the others
	rows   [maxGram][hashes]uint16 // for each beginning, the index in byGram
	byGram []members               // for each beginning, the expressions with a literal that has it
}

// members is a subset of the expressions: a bit for each of them.
type members []uint64

// NewSet returns a set of expressions.
func NewSet(expressions []*Regexp) *Set { return &Set{expressions: expressions} }

// In returns the indexes of the expressions that can match a text, in ascending order. The others do not
// match it.
func (s *Set) In(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		var space [4]uint64
		for word, set := range s.in(text, space[:0]) {
			for ; set != 0; set &= set - 1 {
				if !yield(word*64 + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}

func (s *Set) in(text string, found members) members {
	s.index.Do(s.makeIndex)
	found = append(found, s.always...)
	signed := withSignature(text, func(t *signature) {
		for size := range s.begins {
			for word, set := range s.begins[size] {
				for set &= t.grams[size][word]; set != 0; set &= set - 1 {
					found.join(s.byGram[s.rows[size][word*64+bits.TrailingZeros64(set)]])
				}
			}
		}
	})
	if !signed {
		for i := range s.expressions {
			found.add(i)
		}
	}
	return found
}

// makeIndex indexes each expression by its first condition, because every text that the expression matches meets it.
func (s *Set) makeIndex() {
	s.always = s.none()
	for i, r := range s.expressions {
		list := r.filters()
		if len(list) == 0 {
			s.always.add(i)
			continue
		}
		size := list[0].size - 1
		for _, g := range list[0].grams {
			if !s.begins[size].has(g.first) {
				s.begins[size].add(uint32(g.first))
				s.rows[size][g.first] = uint16(len(s.byGram))
				s.byGram = append(s.byGram, s.none())
			}
			s.byGram[s.rows[size][g.first]].add(i)
		}
	}
}

func (s *Set) none() members { return make(members, (len(s.expressions)+63)/64) }

func (m members) add(i int) { m[i/64] |= 1 << (i % 64) }

func (m members) join(other members) {
	for i, word := range other {
		m[i] |= word
	}
}
