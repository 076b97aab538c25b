package covers

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
)

var (
	// splitLimits matches several limits that are separated by slashes, such as those of employers' liability: "500/500/500",
	// "$1M / $2M".
	splitLimits = vocabulary.Pattern(`(?i)^[\s,:–-]*(?:{{limits.limit}}\s*(?:of\s*|:\s*)?)?{{money.sign}}?\s*(?:\d{3,}|\d[\d,.]*\s*(?:m|k|mm|mil)|\d{1,3}(?:,\d{3})+)(?:\s*/\s*{{money.sign}}?\s*(?:\d{3,}|\d[\d,.]*\s*(?:m|k|mm|mil)|\d{1,3}(?:,\d{3})+))+(?:[\s.,;)]|$)`)
	// limitsOf matches the words before the name of a cover in a request for its limits: "Limits of employers liability".
	limitsOf = vocabulary.Pattern(`(?i)^\W*{{limits.limit}}\s+(?:of|for)\s+`)
)

// besideLimits returns the covers directly before split limits in a text, and the covers in requests for limits that are
// followed by split limits.
func besideLimits(observations []observe.Observation) (found []Cover) {
	add := func(c Cover, line int) {
		c.Line = line
		found = append(found, c)
	}
	for i, o := range observations {
		if _, excluded := section(o.Headings); excluded || o.Kind == observe.Pair || len(o.Text) > maxHeading*maxTexts {
			continue
		}
		if lead := limitsOf.FindString(o.Text); lead != "" && i+1 < len(observations) && splitLimits.MatchString(observations[i+1].Text) {
			if c, ok := named(o.Text[len(lead):], fitLimit); ok {
				add(c, o.Line)
			}
			continue
		}
		if !strings.Contains(o.Text, "/") {
			continue
		}
		words := vocabulary.Split(o.Text)
		for _, m := range vocabulary.Covers().Find(o.Text) {
			if name := o.Text[words[m.First].Start:words[m.Last].End]; splitLimits.MatchString(o.Text[words[m.Last].End:]) {
				add(Cover{Text: bare(name), Meaning: m.Meaning, Class: m.Class, Fit: fitSentence}, o.Line)
			}
		}
	}
	return found
}

const maxTexts = 5 // maximum length of a text, as a multiple of maxHeading

// inRequests returns the covers in sentences that ask for covers. If several names have the same meaning, it returns the
// longest.
func inRequests(observations []observe.Observation) (found []Cover) {
	for _, o := range observations {
		if _, excluded := section(o.Headings); o.Kind != observe.Text && (o.Kind != observe.Item || o.Box != observe.NoBox || excluded) || !sentence(o.Text) || o.Kind == observe.Item && !asks(o.Text) {
			continue
		}
		for _, c := range requestedChains(o.Text, true) {
			c.Line = o.Line
			switch i := slices.IndexFunc(found, func(f Cover) bool { return sameName(f, c) }); {
			case i < 0:
				found = append(found, c)
			case len(found[i].Text) < len(c.Text):
				found[i] = c
			}
		}
	}
	return found
}

// asks reports whether a text contains words that ask for something.
func asks(text string) bool {
	return slices.ContainsFunc(vocabulary.Requests().Find(text), func(m vocabulary.Match) bool {
		return m.Meaning == "asks" || m.Meaning == "asks also" || m.Meaning == "quoted"
	})
}

// sameName reports whether two covers have the same meaning, and the name of one contains the other's.
func sameName(a, b Cover) bool {
	left, right := strings.ToLower(a.Text), strings.ToLower(b.Text)
	return a.Meaning == b.Meaning && (strings.Contains(left, right) || strings.Contains(right, left))
}
