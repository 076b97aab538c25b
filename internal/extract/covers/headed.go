package covers

import (
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
)

const (
	minHeaded    = 2 // headings that name covers, if they have no section numbers
	maxHeaded    = 12
	maxHeadWords = 8 // of a heading that names a cover
)

var (
	// ofSum matches words and numbers that indicate a limit or a deductible.
	ofSum = vocabulary.Pattern(`(?i)\b(?:{{limits.limit|limits.named limit|limits.retention|limits.insured}})\b|\b\d{1,3}(?:[,.' ]\d{3})+\b|\b\d+(?:[.,]\d+)?\s?(?:k|m|mm|mn)\b`)
	// beforeSum matches the words between the name of a cover and its amount.
	beforeSum = vocabulary.Pattern(`(?i)\s+{{limits.before amount}}[\s:,.]*$`)
	// ofClaims matches words that indicate an amount of a claim or of the expiring policy.
	ofClaims = vocabulary.Pattern(`(?i)\b{{limits.of claims}}\b`)
)

// headed returns the covers in headings that each stand above the limit or the deductible of the cover, and the covers with
// amounts in the lines below them: "Section II. General Liability", "$1,000,000 per occurrence".
func headed(observations []observe.Observation) []Cover {
	var found []Cover
	heads, sections := 0, false
	for i, o := range observations {
		c, numbered, ok := headCover(o)
		if !ok {
			continue
		}
		below := under(observations[i+1:], o.Text)
		if !statesSum(below) {
			continue
		}
		c.Line = o.Line
		heads, sections = heads+1, sections || numbered
		found = append(found, c)
		for _, b := range below {
			found = append(found, detailed(b)...)
		}
	}
	if heads < minHeaded && !(sections && heads > 0) {
		return nil
	}
	return found
}

// headCover returns the cover that a heading names, apart from the number of a section, and whether it has such a number.
func headCover(o observe.Observation) (c Cover, numbered, ok bool) {
	if o.Kind != observe.Heading && o.Kind != observe.Text || amount.MatchString(o.Text) || strings.ContainsAny(o.Text, ".,;?") && o.Kind == observe.Text {
		return Cover{}, false, false
	}
	if _, excluded := section([2]string{o.Text, ""}); excluded {
		return Cover{}, false, false
	}
	name := o.Text
	if number := sectionNumber.FindString(name); number != "" {
		name, numbered = name[len(number):], true
	}
	if len(strings.Fields(name)) > maxHeadWords || len(vocabulary.Covers().Whole(bare(name), 0)) == 0 || o.Kind == observe.Text && !numbered {
		return Cover{}, false, false
	}
	c, ok = named(name, fitHeading)
	return c, numbered, ok
}

// under returns the observations directly below a heading.
func under(observations []observe.Observation, heading string) []observe.Observation {
	short := true // all lines so far are headings that state a sum or that a cover is insured
	for n, o := range observations {
		if short = short && o.Kind == observe.Heading; short && (n >= minHeaded || !amount.MatchString(o.Text) && !insured.MatchString(o.Text)) || !short && o.Kind == observe.Heading {
			return observations[:n]
		}
		if o.Headings[0] != heading && o.Headings[1] != heading && n > 0 && !short || n == maxHeaded {
			return observations[:n]
		}
		if _, _, ok := headCover(o); ok {
			return observations[:n]
		}
	}
	return observations
}

// statesSum reports whether one of the first lines states a limit or a deductible, and none is about claims or the
// expiring policy.
func statesSum(lines []observe.Observation) bool {
	stated := false
	for n, o := range lines {
		text := o.Label + " " + o.Text
		if (n < minHeaded-1 || o.Kind == observe.Pair) && ofClaims.MatchString(text) {
			return false
		}
		stated = stated || n < minHeaded && (amount.MatchString(text) || ofSum.MatchString(text)) && !conditions.MatchString(o.Text)
	}
	return stated
}

// detailed returns the covers with amounts in a line below the heading of a cover: "Liquor Liability at $1,000,000".
func detailed(o observe.Observation) (found []Cover) {
	switch o.Kind {
	case observe.Pair:
		if c, ok := named(o.Label, fitHeading); ok && o.Box != observe.Open && amount.MatchString(o.Text) && len(vocabulary.Covers().Whole(bare(o.Label), 0)) > 0 {
			c.Line = o.Line
			found = append(found, c)
		}
	case observe.Text, observe.Item:
		for clause := range strings.SplitSeq(strings.ReplaceAll(o.Text, ". ", "; "), "; ") {
			cut := amount.FindStringIndex(clause)
			if cut == nil || cut[0] == 0 || retention.MatchString(clause[:cut[0]]) {
				continue
			}
			name := joinsAmount.ReplaceAllString(entryTail.ReplaceAllString(clause[:cut[0]], ""), "")
			if found1 := vocabulary.Covers().Whole(bare(name), 0); len(found1) == 1 && found1[0].First == 0 {
				if c, ok := named(name, fitHeading); ok {
					c.Line = o.Line
					found = append(found, c)
				}
			}
		}
	}
	return found
}
