package covers

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
)

const (
	minTicked  = 2  // ticked items of a list in which a line without a mark is not requested
	maxRefused = 80 // bytes of a line that names a cover and refuses it
)

// withOpen returns the observations. It treats a line as an unticked box if words at its end refuse a cover, or if it
// names a cover and has no mark in a list of covers marked with an X.
func withOpen(observations []observe.Observation) []observe.Observation {
	changed := observations
	open := func(i int) {
		if len(changed) > 0 && &changed[0] == &observations[0] {
			changed = slices.Clone(observations)
		}
		changed[i].Box = observe.Open
		if changed[i].Kind != observe.Pair {
			changed[i].Kind = observe.Item
		}
	}
	for i, o := range observations {
		if o.Box == observe.NoBox && len(o.Text) <= maxRefused && refusedBehind.MatchString(o.Text) {
			open(i)
		}
	}
	for start := 0; start < len(observations); {
		if observations[start].Box != observe.Ticked {
			start++
			continue
		}
		end, ticked := start, 0
		var bare []int
		for end < len(observations) {
			if o := observations[end]; o.Box == observe.Ticked && namesOne(o) {
				ticked++
			} else if o.Box == observe.NoBox && (o.Kind == observe.Text || o.Kind == observe.Heading) && !amount.MatchString(o.Text) && unmarked(o.Text) {
				bare = append(bare, end)
			} else if o.Box != observe.Open && o.Box != observe.Ticked {
				break
			}
			end++
		}
		if ticked >= minTicked && len(bare) > 0 {
			for _, i := range bare {
				open(i)
			}
		}
		start = max(end, start+1)
	}
	return changed
}

// namesOne reports whether the text or the label of a ticked observation names a cover.
func namesOne(o observe.Observation) bool {
	text := o.Text
	if o.Kind == observe.Pair {
		text = o.Label
	}
	_, ok := named(text, fitTicked)
	return ok
}

// unmarked reports whether a line consists of covers.
func unmarked(text string) bool {
	return len(strings.Fields(text)) <= maxWords && len(vocabulary.Covers().Whole(text, 1)) > 0 && !onlySection(text)
}
