package assign

import (
	"strings"

	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// assignEntries proposes the entries of a list, such as lines of business or covers.
func (r *Assigner) assignEntries(m recognise.Match, value string, fit float64, at source.Place) {
	if lines, covered, ok := strings.Cut(value, ": "); ok && covers.IsPackage(lines) {
		value = covered // "Package: Property, General Liability"
		if m.Field == "product" {
			r.Propose("product", lines, m.From, fit, at)
			m.Field = "coverage"
		}
	}
	if name, _, ok := strings.Cut(value, ": "); ok && m.Field == "coverage" && strings.Count(value, ": ") == 1 && len(vocabulary.Covers().Whole(name, 0)) == 1 {
		value = name // "Property: special form, 2% wind deductible"
	}
	for n, e := range parse.Entries(value) {
		at := at
		at.Line = at.Line*100 + n
		if cut := sumBehind.FindStringIndex(e); m.Field == "coverage" && cut != nil && len(vocabulary.Covers().Find(e[:cut[0]])) > 0 {
			e = e[:cut[0]] // "Flood £5,000,000 any one claim"
		}
		if head, _, ok := strings.Cut(e, " ("); ok && m.Field == "coverage" && strings.Contains(e, "%") && len(vocabulary.Covers().Find(head)) > 0 {
			e = head // "All risks with catastrophes (earthquake sublimit 50%)"
		}
		if m.Field == "coverage" && covers.IsRefused(e) {
			continue // "Property - no"
		}
		if m.Field == "product" {
			e = lineAtStart(e)
		}
		if m.Field == "product" && vocabulary.Set("answers.instead of a cover")[words.Key(e)] {
			continue // "type: Renewal"
		}
		r.Propose(m.Field, e, m.From, fit, at)
		if m.Field == "coverage" {
			r.Propose("business_interruption_period", parse.IndemnityPeriod.FindString(e), source.Synonym, fit*0.9, at)
		}
	}
}
