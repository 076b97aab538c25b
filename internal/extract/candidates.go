package extract

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/field"
)

// source is the kind of place from which a value was read; its number is the
// trust that it earns before fit and agreement.
type source float64

const (
	fromForm      source = 0.97
	fromHeader    source = 0.93 // header of a table, exact
	fromLabel     source = 0.92
	fromSynonym   source = 0.85
	fromFuzzy     source = 0.78 // header of a table, alike
	fromSignature source = 0.75
	fromSum       source = 0.70
	fromProse     source = 0.60
	fromSubject   source = 0.50
	fromGuess     source = 0.40
)

// quotedTrust is what is left of a score when an older mail states the value:
// less for what newer mails correct in a sentence.
const (
	quotedTrust     = 0.7
	quotedCorrected = 0.6
)

// candidate is one reading of a field.
type candidate struct {
	field, text string
	score       float64
	evidence    string
	part        int
	place       int // number of the line or cell, for order
}

// origin says where a candidate was read.
type origin struct {
	part     int
	place    int
	quoted   bool
	evidence content.Place
}

// propose adds a reading of a field, unless its text is not what the field's
// kind needs.
func (d *extractor) propose(name, text string, from source, fit float64, at origin) {
	kind, known := kinds[name]
	if !known {
		return
	}
	text, kindFit, ok := d.normal(name, kind, text)
	if !ok || d.readings[name] >= maxReadings || d.printed[at.part] && from < fromForm && (from == fromGuess || !sureOnForm(name, text)) {
		return
	}
	d.readings[name]++
	score := float64(from) * fit * kindFit * d.trust(at.part)
	if at.quoted {
		if kind == field.Date || kind == field.Money || kind == field.Number {
			score *= quotedCorrected
		} else {
			score *= quotedTrust
		}
	}
	d.candidates = append(d.candidates, candidate{name, text, score, at.evidence.String(), at.part, at.place})
}

// sureOnForm tells whether a value read off a printed form without its field's
// name is an answer by its look, not the next question.
func sureOnForm(name, text string) bool {
	switch {
	case kinds[name] == field.Date || kinds[name] == field.Money:
		return true
	case company(name):
		return legalName.MatchString(text) || brokerish(text)
	}
	return strings.ContainsAny(text, "@0123456789") && !strings.ContainsAny(text, "()/#") && kinds[name] == field.Text
}

// kinds holds the kind of every field that describes the insured or the policy,
// and of those that only help: insurer names the insurers.
var kinds = func() map[string]field.Kind {
	m := map[string]field.Kind{"insurer": field.Text}
	for _, fields := range [][]field.Field{field.Facts, field.Options, field.Report, field.MoreFacts, field.MoreOptions} {
		for _, f := range fields {
			m[f.Name] = f.Kind
		}
	}
	return m
}()

// resolve picks the values of the named fields: for one value the best score,
// for a list every value that is sure enough.
func (d *extractor) resolve(fields []field.Field) []field.Value {
	values := []field.Value{}
	done := map[string]bool{}
	for _, f := range fields {
		if done[f.Name] {
			continue
		}
		done[f.Name] = true
		ranked := d.ranked(f.Name)
		if !f.Kind.IsList() && len(ranked) > 1 {
			ranked = ranked[:1]
		}
		if f.Kind.IsList() && len(ranked) > 30 {
			ranked = ranked[:30]
		}
		for _, c := range ranked {
			values = append(values, field.Value{Field: f.Name, Text: c.text, Score: rounded(c.score), Evidence: c.evidence})
		}
	}
	return values
}

// ranked gives the readings of a field, one per value, best first; those of a
// list in the order of the document.
func (d *extractor) ranked(name string) []candidate {
	var merged []candidate
	places := map[string]int{}
	parts := []map[int]bool{}
	for _, c := range d.candidates {
		if c.field != name {
			continue
		}
		key := d.sameKey(name, c.text)
		at, known := places[key]
		if !known {
			places[key] = len(merged)
			merged = append(merged, c)
			parts = append(parts, map[int]bool{c.part: true})
			continue
		}
		parts[at][c.part] = true
		if best := &merged[at]; c.score > best.score {
			place, text := best.place, best.text
			*best = c
			if company(name) && len(text) > len(c.text) {
				best.text = text
			}
			if kinds[name].IsList() {
				best.place = place
			}
		} else if company(name) && len(c.text) > len(best.text) {
			best.text = c.text // the name with its legal form
		}
	}
	list := kinds[name].IsList()
	for i := range merged {
		merged[i].score *= math.Pow(1.03, float64(min(len(parts[i])-1, 2)))
		if list {
			continue
		}
		for j := range merged {
			// Another document that says otherwise, with like authority.
			if i != j && merged[i].part != merged[j].part && merged[j].score > merged[i].score*0.9 {
				merged[i].score *= 0.85
				break
			}
		}
	}
	slices.SortStableFunc(merged, func(a, b candidate) int {
		if list {
			return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.place, b.place))
		}
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.part, b.part), cmp.Compare(a.place, b.place))
	})
	return merged
}

// sameKey is equal for two readings of one value.
func (d *extractor) sameKey(name, text string) string {
	if company(name) {
		return nameKey(text)
	}
	return bareKey(text)
}

func company(name string) bool { return name == "company_name" || name == "broker_name" }

// drop removes the readings of a field for which bad is true.
func (d *extractor) drop(bad func(candidate) bool) {
	d.candidates = slices.DeleteFunc(d.candidates, bad)
}

// best gives the best reading of a field, or "".
func (d *extractor) best(name string) string {
	if ranked := d.ranked(name); len(ranked) > 0 {
		return ranked[0].text
	}
	return ""
}

func rounded(score float64) float64 {
	return math.Round(min(max(score, 0.05), 0.99)*10000) / 10000
}

// nameKey compares names of companies without their legal form.
func nameKey(name string) string {
	fields := strings.Fields(spread(name))
	for len(fields) > 1 && legalForms[fields[len(fields)-1]] {
		fields = fields[:len(fields)-1]
	}
	if len(fields) > 1 && fields[0] == "the" {
		fields = fields[1:]
	}
	return strings.Join(fields, "")
}

var legalForms = set("ltd", "limited", "plc", "llc", "inc", "incorporated", "corp", "corporation", "gmbh", "ag", "sa", "bv", "nv", "pty", "co", "company", "llp", "lp", "spa", "srl", "sas", "sarl", "ab", "as", "oy", "lc", "pllc", "pc")
