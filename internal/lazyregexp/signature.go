package lazyregexp

import (
	"hash/maphash"
	"strings"
	"sync"
)

// signature holds the hashes of all sequences of one to maxGram bytes in a text.
type signature struct {
	text  []byte
	odd   bool // contains a letter that matches an ASCII letter if case is ignored
	grams [maxGram]hashSet
}

// hashSet is a set of hashes.
type hashSet [hashes / 64]uint64

func (s *hashSet) has(h uint16) bool { return s[h/64%(hashes/64)]&(1<<(h%64)) != 0 }
func (s *hashSet) add(h uint32)      { s[h/64%(hashes/64)] |= 1 << (h % 64) }

const (
	hashes     = 2048
	hashStep   = 37
	maxSigned  = 1000 // bytes of a text; a longer one contains most sequences
	signatures = 128  // pairs
)

// recent holds the signatures of recent texts, because the same text is compared with many
// expressions in succession.
var recent struct {
	sync.Mutex
	signatures [signatures][2]signature
	older      [signatures]uint8 // which one of a pair was used less recently
	text       string            // the last one
	last       *signature
}

// meets returns false if the text lacks the literals of one of the conditions.
func meets(text string, conditions []condition) bool {
	if len(conditions) == 0 || len(text) > maxSigned || !recent.TryLock() {
		return true
	}
	met := sign(text).meets(conditions)
	recent.Unlock()
	return met
}

// withSignature calls the function with the signature of a text. It returns false, and does not call
// the function, if the text has no usable signature or if another goroutine is using the signature.
func withSignature(text string, use func(*signature)) bool {
	if len(text) > maxSigned || !recent.TryLock() {
		return false
	}
	defer recent.Unlock()
	signed := sign(text)
	if !signed.odd {
		use(signed)
	}
	return !signed.odd
}

// sign returns the signature of a text. The caller must hold the lock of recent.
func sign(text string) *signature {
	if text == recent.text && recent.last != nil {
		return recent.last
	}
	place := maphash.String(seed, text) % signatures
	pair, i := &recent.signatures[place], recent.older[place]%2
	if string(pair[1-i].text) == text {
		i = 1 - i
	} else if string(pair[i].text) != text {
		pair[i].sign(text)
	}
	recent.older[place] = 1 - i
	recent.text, recent.last = text, &pair[i]
	return recent.last
}

var seed = maphash.MakeSeed()

func (s *signature) sign(text string) {
	s.text = append(s.text[:0], text...)
	s.odd = strings.Contains(text, "ſ") || strings.Contains(text, "\u212a")
	s.grams = [maxGram]hashSet{}
	one, two, three := &s.grams[0], &s.grams[1], &s.grams[2]
	var last, before uint32 // the bytes before
	for i := range len(text) {
		b := uint32(folded[text[i]])
		one.add(b)
		if i > 0 {
			two.add(last*hashStep + b)
		}
		if i > 1 {
			three.add((before*hashStep+last)*hashStep + b)
		}
		before, last = last, b
	}
}

func (s *signature) meets(conditions []condition) bool {
	if s.odd {
		return true
	}
	for _, c := range conditions {
		if !s.grams[c.size-1].meets(c.grams) {
			return false
		}
	}
	return true
}

// meets reports whether the set contains all hashes of one of the grams.
func (s *hashSet) meets(grams []gram) bool {
	for i := 0; i < len(grams); {
		switch g := &grams[i]; {
		case !s.has(g.first):
			i += int(g.alike)
		case s.has(g.last) && s.has(g.middle):
			return true
		default:
			i++
		}
	}
	return false
}

func hash(text string) uint16 {
	h := uint32(0)
	for i := range len(text) {
		h = h*hashStep + uint32(text[i])
	}
	return uint16(h % hashes)
}
