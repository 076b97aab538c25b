package assign

import (
	"strings"

	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

var (
	// limitName recognises the names of limits that policies of all insurers have.
	limitName = vocabulary.Pattern(`(?i)\b{{limits.of policy}}(?:\b|$)`)
	// limitLine is a line with a limit and its amount: "EACH OCCURRENCE $1,000,000".
	limitLine = lazyregexp.New(`^\W*(\pL[^$£€\d]{3,70}?)[\s:.$£€]+(\d{1,3}(?:,\d{3})+(?:\.\d{2})?)\W*$`)
)

// ProposeLimit proposes a limit under its name in the document.
func (r *Assigner) ProposeLimit(name, value string, from source.Kind, fit float64, at source.Place) {
	if r.Whose == party.Other && r.Headed || r.Whose == party.Site && r.Headed {
		return // of an earlier policy, or of one location
	}
	at.Line *= 100
	r.Propose(field.NamedLimits, strings.TrimRight(words.OneLine(name), ": ")+": "+value, from, fit, at)
}

// LimitInLine proposes the limit of a line that states one without a colon.
func (r *Assigner) LimitInLine(text string, at source.Place) bool {
	m := limitLine.FindStringSubmatch(text)
	if m == nil || !limitName.MatchString(m[1]) {
		return false
	}
	r.ProposeLimit(m[1], m[2], source.Label, 0.9, at)
	return true
}
