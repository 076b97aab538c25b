package extract

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/field"
)

// source is the kind of place in which a value was found. Its number is the score of
// its values before fit and agreement are considered.
type source float64

const (
	fromForm      source = 0.97
	fromHeader    source = 0.93 // header of a table, exact
	fromLabel     source = 0.92
	fromSynonym   source = 0.85
	fromFuzzy     source = 0.78 // header of a table, similar
	fromSignature source = 0.75
	fromSum       source = 0.70
	fromProse     source = 0.60
	fromSubject   source = 0.50
	fromGuess     source = 0.40
)

// quotedTrust is the factor of scores for values from an older mail. It is lower for
// values that newer mails correct in a sentence.
const (
	quotedTrust     = 0.7
	quotedCorrected = 0.6
)

// candidate is a possible value of a field.
type candidate struct {
	field, text string
	score       float64
	evidence    string
	part        int
	place       int // number of the line or cell, for order
}

// origin is the place where a candidate was found.
type origin struct {
	part     int
	place    int
	quoted   bool
	evidence content.Place
}

// propose adds a candidate for a field, unless its text does not fit the field's kind.
func (d *extractor) propose(name, text string, from source, fit float64, at origin) {
	kind, known := kinds[name]
	if !known || d.readings[name] >= maxReadings {
		return
	}
	text, kindFit, ok := d.normal(name, kind, text)
	if !ok || d.printed[at.part] && from < fromForm && (from == fromGuess || !sureOnForm(name, text)) {
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

// sureOnForm reports whether a value from a printed form, found without the name of
// its field, looks like an answer and not like the next question.
func sureOnForm(name, text string) bool {
	switch {
	case kinds[name] == field.Date || kinds[name] == field.Money:
		return true
	case company(name):
		return legalName.MatchString(text) || brokerish(text)
	}
	return strings.ContainsAny(text, "@0123456789") && !strings.ContainsAny(text, "()/#") && kinds[name] == field.Text
}

// kinds holds the kind of every field that describes the insured or the policy, and of
// auxiliary fields: insurer holds the names of the insurers.
var kinds = func() map[string]field.Kind {
	m := map[string]field.Kind{"insurer": field.Text}
	for _, fields := range [][]field.Field{field.Facts, field.Options, field.Report, field.MoreFacts, field.MoreOptions} {
		for _, f := range fields {
			m[f.Name] = f.Kind
		}
	}
	return m
}()

// resolve chooses the values of the fields: the candidate with the best score for a
// single value, and every candidate that is certain enough for a list.
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

// ranked returns the candidates for a field, one per value, best first; the candidates
// for a list field are in the order of the document.
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
			// Another document of similar authority states something else.
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

// sameKey returns a key that is equal for two texts with the same value.
func (d *extractor) sameKey(name, text string) string {
	if company(name) {
		return nameKey(text)
	}
	if name == "coverage" {
		text = bracketed.ReplaceAllString(text, "")
	}
	return bareKey(text)
}

func company(name string) bool { return name == "company_name" || name == "broker_name" }

// drop removes the candidates for which bad returns true.
func (d *extractor) drop(bad func(candidate) bool) {
	d.candidates = slices.DeleteFunc(d.candidates, bad)
}

// best returns the best candidate for a field, or "".
func (d *extractor) best(name string) string {
	if ranked := d.ranked(name); len(ranked) > 0 {
		return ranked[0].text
	}
	return ""
}

func rounded(score float64) float64 {
	return math.Round(min(max(score, 0.05), 0.99)*10000) / 10000
}

// nameKey returns a company's name without its legal form, for comparisons.
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
