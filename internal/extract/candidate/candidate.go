// Package candidate collects the texts that may be values of the fields of the insured and
// the policy, each with its features, and returns the values that the fitted model accepts.
package candidate

import (
	"math"
	"slices"
	"strings"

	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
)

// Set holds the candidates for the fields of a document.
type Set struct {
	*layout.Document
	Readings []resolve.Reading
	decided  map[string][]resolve.Value // decisions that are still valid, by field
	counts   map[string]int             // of each field
	Log      *Log                       // nil if no explanation is wanted
}

// Log records how candidates became values.
type Log struct {
	Dropped []Dropped
	// Cells holds the counts of the values of locations, by value without its score.
	Cells map[field.Value]resolve.Reading
}

// Dropped is a text that was removed before values were resolved, and the rule that removed
// it.
type Dropped struct {
	resolve.Reading
	Rule string
}

const usualReadings = 48 // candidates of a short document

// NewSet returns an empty set.
func NewSet(d *layout.Document) *Set {
	return &Set{Document: d, Readings: make([]resolve.Reading, 0, usualReadings), counts: map[string]int{}}
}

// MaxReadings is the maximum number of candidates for a field.
const MaxReadings = 400

// Propose adds a candidate for a field, unless its text does not fit the field's kind.
func (d *Set) Propose(name, text string, from source.Kind, fit float64, at source.Place) {
	kind, known := Kinds[name]
	if !known || d.counts[name] >= MaxReadings || text == "" {
		return
	}
	written := text
	text, kindFit, ok := parse.Value(name, kind, text, d.Order)
	switch {
	case !ok:
		d.reject(name, written, "the text does not fit the field", at)
		return
	case d.Printed[at.Part] && from < source.Form && !at.Boxed && (from == source.Guess || !sureOnForm(name, text)):
		d.reject(name, text, "it may be the next question of a printed form", at)
		return
	}
	d.counts[name]++
	r := resolve.Reading{
		Field: name, Text: text, Key: sameKey(name, text), Claim: claimOf(name, text), List: kind.IsList(),
		Group:    Group(name),
		Features: d.Features(from, 1-fit, 1-kindFit, at),
		Evidence: at.Evidence.String(), Part: at.Part, Place: at.Line,
	}
	describeName(&r)
	d.add(r)
}

// add adds a candidate.
func (d *Set) add(r resolve.Reading) {
	d.Readings = append(d.Readings, r)
	d.undecide(r.Field)
}

// Derive adds a candidate for a field that follows from a value of another field.
func (d *Set) Derive(name, text string, from resolve.Reading) {
	from.Field, from.Text, from.Key, from.Claim = name, text, sameKey(name, text), ""
	from.List, from.Group = Kinds[name].IsList(), Group(name)
	for _, f := range resolve.Contextual {
		from.Features[f] = 0
	}
	from.Features[resolve.Derived] = 1
	d.add(from)
}

// Features returns the features of a text from the place in which it was found. The
// doubts are from 0 to 1.
func (d *Set) Features(from source.Kind, doubt, kindDoubt float64, at source.Place) (f resolve.Features) {
	f[resolve.Always] = 1
	f[resolve.Guess+resolve.Feature(from-source.Guess)] = 1
	f[resolve.Match], f[resolve.Type] = doubt, kindDoubt
	f.Set(resolve.Quoted, at.Quoted)
	f.Set(resolve.Assumed, at.Assumed)
	f.Set(resolve.Attached, at.Part > 0)
	f.Set(resolve.Printed, d.Printed[at.Part])
	f.Set(resolve.Partial, at.Part < len(d.Parts) && layout.CutShort(d.Parts[at.Part]))
	return f
}

// describeName sets the features of the text of a company's name.
func describeName(r *resolve.Reading) {
	if !recognise.NamesFirm(r.Field) {
		return
	}
	r.Features.Set(resolve.Legal, parse.LegalName.MatchString(r.Text))
	r.Features.Set(resolve.Person, r.Field == "broker_name" && parse.NamesPerson(r.Text))
	r.Features.Set(resolve.Broking, parse.NamesBroker(r.Text))
	r.Features.Set(resolve.Insuring, parse.InsurerName.MatchString(r.Text))
	r.Features.Set(resolve.ManyWords, strings.Count(r.Text, " ") >= 6)
}

// kindGroup returns the group of the fields of a kind that are not in a group of their
// own.
func kindGroup(kind field.Kind) string {
	switch {
	case kind.IsList():
		return "lists"
	case kind == field.Date:
		return "dates"
	case kind == field.Money:
		return "money"
	case kind == field.Indicator:
		return "answers"
	case kind == field.Text:
		return "text"
	}
	return "numbers"
}

// sureOnForm reports whether a value from a printed form, found without the name of
// its field, looks like an answer and not like the next question.
func sureOnForm(name, text string) bool {
	switch {
	case Kinds[name] == field.Date || Kinds[name] == field.Money:
		return true
	case recognise.NamesFirm(name):
		return parse.LegalName.MatchString(text) || parse.NamesBroker(text)
	}
	return strings.ContainsAny(text, "@0123456789") && !strings.ContainsAny(text, "()/#") && Kinds[name] == field.Text
}

// Kinds holds the kind of every field that describes the insured or the policy, and of
// auxiliary fields: insurer holds the names of the insurers.
var Kinds = func() map[string]field.Kind {
	m := map[string]field.Kind{"insurer": field.Text}
	for _, fields := range [][]field.Field{field.Facts, field.Options, field.Report, field.MoreFacts, field.MoreOptions} {
		for _, f := range fields {
			m[f.Name] = f.Kind
		}
	}
	return m
}()

// sameKey returns a key that is equal for two texts with the same value.
func sameKey(name, text string) string {
	if recognise.NamesFirm(name) {
		return parse.NameKey(text)
	}
	if name == "coverage" {
		text = words.Bracketed.ReplaceAllString(text, "")
	}
	return words.BareKey(text)
}

// claimOf returns a key that is equal for the same name, mail address or person in fields of
// different parties.
func claimOf(name, text string) string {
	switch {
	case slices.Contains(named, name):
		return "name " + parse.NameKey(text)
	case slices.Contains(mailed, name):
		return "mail " + words.BareKey(text)
	}
	return ""
}

// The fields of different parties compete for names and for mail addresses.
var (
	named  = []string{"company_name", "broker_name", "insurer", "broker_contact_points", "underwriter"}
	mailed = []string{"email_id", "broker_email", "underwriter_email"}
)

// Edit calls f with each candidate, which it may change.
func (d *Set) Edit(f func(*resolve.Reading)) {
	for i := range d.Readings {
		before := d.Readings[i]
		if f(&d.Readings[i]); d.Readings[i] != before {
			d.undecide(before.Field)
			d.undecide(d.Readings[i].Field)
		}
	}
}

// Drop removes the candidates for which bad returns true. The rule says why.
func (d *Set) Drop(rule string, bad func(resolve.Reading) bool) {
	d.Readings = slices.DeleteFunc(d.Readings, func(r resolve.Reading) bool {
		if !bad(r) {
			return false
		}
		d.undecide(r.Field)
		if d.Log != nil {
			d.Log.Dropped = append(d.Log.Dropped, Dropped{r, rule})
		}
		return true
	})
}

// reject records a text that is no candidate.
func (d *Set) reject(name, text, rule string, at source.Place) {
	if d.Log != nil {
		d.Log.Dropped = append(d.Log.Dropped, Dropped{resolve.Reading{Field: name, Text: text, Evidence: at.Evidence.String()}, rule})
	}
}

// Rounded returns a probability as a score.
func Rounded(probability float64) float64 {
	return math.Round(min(max(probability, 0.05), 0.99)*10000) / 10000
}

// Group returns the group of a field that shares its weights with others. The name of a field
// of a location begins with "locations.".
func Group(name string) string {
	if of, ok := strings.CutPrefix(name, rowPrefix); ok {
		return resolve.Group(name, "row "+kindGroup(rowKinds[of]))
	}
	return resolve.Group(name, kindGroup(Kinds[name]))
}

// RateDerived returns the score of a value of a location that follows from a value of the
// insured.
func (d *Set) RateDerived(name, text string, r resolve.Reading) float64 {
	for _, f := range resolve.Contextual {
		r.Features[f] = 0
	}
	r.Text = text
	r.Features[resolve.Derived] = 1
	return d.RateRow(name, r)
}

// RateRow returns the score of a value of a location.
func (d *Set) RateRow(name string, r resolve.Reading) float64 {
	r.Field = rowPrefix + name
	r.Group = Group(r.Field)
	if d.Log != nil {
		d.Log.Cells[field.Value{Field: name, Text: r.Text, Evidence: r.Evidence}] = r
	}
	return Rounded(resolve.Fitted.Alone(&r))
}

// rowPrefix distinguishes the fields of locations from others.
const rowPrefix = "locations."

// rowKinds holds the kind of every field of a location.
var rowKinds = func() map[string]field.Kind {
	m := map[string]field.Kind{}
	for _, fields := range [][]field.Field{field.LocationFacts, field.LocationOptions, field.MoreLocation} {
		for _, f := range fields {
			m[f.Name] = f.Kind
		}
	}
	return m
}()
