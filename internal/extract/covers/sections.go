package covers

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

// IsSection reports whether a text is a label or a heading for covers that are requested, and nothing else.
func IsSection(text string) bool {
	requested, _ := section([2]string{text, ""})
	return requested && onlySection(text)
}

// onlySection reports whether a line is a heading for covers, although its layout is that of
// text.
func onlySection(text string) bool {
	if len(strings.Fields(text)) > maxSectionWords {
		return false
	}
	found := vocabulary.Sections().Whole(strings.TrimRight(text, ":"), 1)
	return len(found) > 0 && !slices.ContainsFunc(found, func(m vocabulary.Match) bool { return m.Meaning == "excluded" })
}

const maxSectionWords = 6 // of a heading for covers in the layout of text

// asksCovers reports whether a line is a question for the requested covers: "What coverages do you need, and with which limits?"
func asksCovers(text string) bool {
	return strings.HasSuffix(text, "?") && len(strings.Fields(text)) <= maxQuestionWords && sectionNoun.MatchString(text)
}

const maxQuestionWords = 16

// sectionNoun matches a word for covers.
var sectionNoun = vocabulary.Pattern(`(?i)\b{{limits.cover header}}\b`)

// inSection returns the cover of a numbered section of a policy that is insured: "Section 1 - Material
// Damage: insured".
func inSection(o observe.Observation) (Cover, bool) {
	if o.Kind != observe.Pair {
		return Cover{}, false
	}
	number := sectionNumber.FindString(o.Label)
	if number == "" && sectionNumber.MatchString(o.Text) && !denied.MatchString(o.Text) && len(vocabulary.Covers().Whole(unlettered(o.Label), 0)) > 0 {
		return named(unlettered(o.Label), fitPair) // "B. Employers Liability Insurance: Part Two of the policy applies to"
	}
	if number == "" {
		return Cover{}, false
	}
	name, status := strings.TrimSpace(o.Label[len(number):]), o.Text
	if name == "" {
		if at := strings.LastIndexAny(o.Text, "-–—:"); at > 0 {
			name, status = o.Text[:at], strings.TrimLeft(o.Text[at:], "-–—: ")
		}
		if c, ok := named(sumsTail.ReplaceAllString(o.Text, ""), fitPair); ok && !denied.MatchString(o.Text) {
			return c, true // "Part Two", "Employers Liability 1,000,000 / 1,000,000 / 1,000,000"
		}
	}
	if whole := vocabulary.Covers().Whole(bare(name), 0); len(whole) > 0 && len(status) > 0 && !denied.MatchString(status) && number != "" {
		return named(name, fitPair) // "Part One - Workers Compensation: statutory, CA"
	}
	if conditions.MatchString(status) || denied.MatchString(status) || !insured.MatchString(status) && !amount.MatchString(status) {
		return Cover{}, false
	}
	return named(name, fitPair)
}

// inLines returns the covers with which the lines of a value begin, after the section numbers and before their limits:
// "Section A Professional Indemnity: GBP 5,000,000 any one claim".
func inLines(text string) (found []Cover) {
	lines := strings.Split(text, "\n")
	if len(lines) < 2 {
		return nil
	}
	for _, line := range lines {
		line = unlettered(strings.TrimSpace(line))
		line = line[len(sectionNumber.FindString(line)):]
		name, limit, _ := strings.Cut(line, ": ")
		if c, ok := named(entryTail.ReplaceAllString(sumsTail.ReplaceAllString(name, ""), ""), fitPair); ok && !denied.MatchString(limit) {
			found = append(found, c)
		}
	}
	if len(found)*2 < len(lines) {
		return nil
	}
	return found
}

// unlettered returns a label without the letter or the number in front of it.
func unlettered(label string) string { return strings.TrimSpace(label[len(letter.FindString(label)):]) }

var (
	// letter matches the letter or the number of an item.
	letter = lazyregexp.New(`^\(?(?:\d{1,2}|[A-Ha-h])[.)]\s*`)
	// sectionNumber matches the number of a section of a policy.
	sectionNumber = vocabulary.Pattern(`(?i)^{{limits.cover header|limits.section}}\s+(?:\d{1,2}|[A-H]|[IVX]{1,4}|{{limits.section number}})\b\s*[-–—:.)]*\s*`)
	// sumsTail matches the numbers after the name of a cover, with the rest of the text, or a dash and details.
	sumsTail = lazyregexp.New(`\s+(?:\d|[-–—]\s).*$`)
	// denied matches a text that says that a section is not insured.
	denied = vocabulary.Pattern(`(?i)\b{{answers.refused|answers.not wanted|limits.without}}\b`)
	// insured matches the status of a section that is insured.
	insured = vocabulary.Pattern(`(?i)^\W*(?:{{answers.yes}}|{{limits.insured}})\b`)
)

const maxLeast = 8 // bytes; a text that is not longer is not an introduction

// introductions caches the results of endsAsking.
var introductions = memo.New(endsAsking)

// endsAsking reports whether an introduction ends with words that ask for covers: "We are looking for".
func endsAsking(text string) bool {
	keys := vocabulary.Words(text)
	denied := false
	for _, m := range vocabulary.Requests().FindWords(keys) {
		if m.Meaning == "denies" {
			denied = true
		}
		if m.Meaning == "asks" && m.Last == len(keys)-1 && len(keys) > 1 {
			return !denied
		}
	}
	return false
}

// section reports whether the headings introduce a list of requested covers, or another
// list that can look like one.
func section(headings [2]string) (requested, excluded bool) {
	for _, h := range headings {
		if len(h) > maxHeading {
			continue
		}
		for _, m := range vocabulary.Sections().Find(h) {
			requested = requested || m.Meaning == "requested" || m.Meaning == "lines"
			excluded = excluded || m.Meaning == "excluded"
		}
		requested = requested || len(h) > maxLeast && introductions.Of(h)
	}
	return requested && !excluded, excluded
}
