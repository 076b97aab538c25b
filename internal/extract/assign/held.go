package assign

import (
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
)

// besideHeld returns the field of a label. "Premium" beside or directly below the insurer of the policy in force is
// what that policy costs.
func (r *Assigner) besideHeld(m recognise.Match, at source.Place) recognise.Match {
	switch {
	case m.Field == "insurer" && m.Held:
		r.held = at
	case m.Field == "estimated_premium" && m.From == source.Synonym && follows(r.held, at):
		m.Field = "~expiring_premium"
	}
	return m
}

// besidePremium returns the fields of two labels of which one is for a premium, and the other for the policy in force:
// "Expiring / target", "Prior carrier / premium".
func besidePremium(first, second string) (a, b recognise.Match, ok bool) {
	a, known := recognise.Label(first)
	b, other := recognise.Label(second)
	switch {
	case known && a.Held && b.Field == "estimated_premium":
		b.Field = "~expiring_premium"
		return a, b, true
	case !known && b.Field == "estimated_premium" && vocabulary.NamesHeldPolicy(first):
		return recognise.Match{Field: "~expiring_premium", From: b.From}, b, true
	case !other && a.Field == "estimated_premium" && vocabulary.NamesHeldPolicy(second):
		return a, recognise.Match{Field: "~expiring_premium", From: a.From}, true
	}
	return a, b, false
}

// follows reports whether a place is in the same line or row of a table as another place, or in the next line.
func follows(other, at source.Place) bool {
	if other == (source.Place{}) || other.Part != at.Part {
		return false
	}
	return at.Line == other.Line && at.Evidence.Cell.Row == other.Evidence.Cell.Row || at.Line == other.Line+1
}
