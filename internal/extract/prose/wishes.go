package prose

import (
	"slices"

	"understudy.example/internal/extract/vocabulary"
)

// Limits of the words between the parts of a wish.
const (
	maxAroundAmount = 4
	maxToNear       = 6
	maxToVerb       = 10
	maxBehind       = 4
	maxSubject      = 4 // words of the subject: "the deductible can go to $25,000"
)

// wished reports whether a sentence says that a value is the requested premium: "we need the umbrella to land near
// $26,000", "we need both at a combined $26,000", "wir müssten bei 26.000 EUR liegen".
func (t Text) wished(values []Value, i int) bool {
	v := values[i]
	if v.Kind != vocabulary.Sum {
		return false
	}
	amount, _ := slices.BinarySearchFunc(t.words, v.Start, func(w vocabulary.Word, at int) int { return w.Start - at })
	end, _ := slices.BinarySearchFunc(t.words, v.End, func(w vocabulary.Word, at int) int { return w.Start - at })
	near, combined, ok := t.nearAmount(t.find("wishes.near"), amount)
	wishes := t.find("wishes.wish")
	if !ok || len(wishes) == 0 {
		return false
	}
	insurance := t.aboutInsurance()
	verbs := []int{near} // word indexes; the wish must end before one of them
	if !combined {
		verbs = nil
		for _, m := range t.find("wishes.verb") {
			if m.Last < near && near-m.Last <= maxToNear {
				verbs = append(verbs, m.First)
			}
		}
		for _, m := range t.find("wishes.behind") {
			if m.First >= end && m.First-end <= maxBehind {
				verbs = append(verbs, near)
			}
		}
	}
	guards := t.find("wishes.guard")
	for _, verb := range verbs {
		for _, w := range wishes {
			if w.Last >= verb || verb-w.Last > maxToVerb || !insurance && t.hasObject(w.Last+1, near) || !t.sameClause(w, v) || between(values, t.words[w.First].Start, i) {
				continue
			}
			if !slices.ContainsFunc(guards, func(g vocabulary.Match) bool {
				return g.Last >= w.First-maxSubject && g.First < end+maxBehind && t.sameClause(g, v)
			}) {
				return true
			}
		}
	}
	return false
}

// aboutInsurance reports whether the text has a word for premiums, covers or insurance, so that a wish in it can be for a
// premium.
func (t Text) aboutInsurance() bool {
	return t.aboutPremium() || len(t.find("letters.about insurance")) > 0 || len(vocabulary.Covers().FindWords(t.keys)) > 0
}

// hasObject reports whether one of the words is the object of something else than a premium: "to complete the purchase
// for". Short words and the verbs of wishes are no objects.
func (t Text) hasObject(first, end int) bool {
	verbs := t.find("wishes.verb")
	for n := first; n < end; n++ {
		verb := slices.ContainsFunc(verbs, func(m vocabulary.Match) bool { return m.First <= n && n <= m.Last })
		if !verb && len(t.keys[n]) >= minObject && !vocabulary.Set("wishes.around")[t.keys[n]] && !vocabulary.Set("wishes.combined")[t.keys[n]] {
			return true
		}
	}
	return false
}

const minObject = 4 // bytes

// find returns the words of the text with a meaning in a table.
func (t Text) find(name string) []vocabulary.Match {
	found, known := t.terms[name]
	if !known {
		found = vocabulary.TableOf(name).FindWords(t.keys)
		t.terms[name] = found
	}
	return found
}

// nearAmount returns the index of the first word that says that an amount follows, such as "at", and whether the words
// between it and the amount say that the amount is a combined one.
func (t Text) nearAmount(near []vocabulary.Match, amount int) (first int, combined, ok bool) {
	around, all := vocabulary.Set("wishes.around"), vocabulary.Set("wishes.combined")
	for last := amount - 1; last >= 0 && last >= amount-1-maxAroundAmount; last-- {
		for _, m := range near {
			if m.Last == last {
				return m.First, combined, true
			}
		}
		if !around[t.keys[last]] && !all[t.keys[last]] {
			return 0, false, false
		}
		combined = combined || all[t.keys[last]]
	}
	return 0, false, false
}

// between reports whether another value of the same kind is between a place and value i.
func between(values []Value, from, i int) bool {
	return slices.ContainsFunc(values[:i], func(v Value) bool { return v.Kind == values[i].Kind && v.Start >= from })
}
