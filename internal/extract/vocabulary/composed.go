package vocabulary

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/memo"
)

//go:embed composed.tsv
var composedFile string

// Composed is the meaning of a label that is composed of known words.
type Composed struct {
	Field string  // as in labels.tsv
	Party string  // insured, broker or insurer; empty if the label names none
	Fit   float64 // from 0 to 1
	Other bool    // the label is about something else, such as an earlier policy; Field is empty
}

// composedTable holds the terms of composed.tsv.
type composedTable struct {
	terms   *Table
	fields  map[string]string // by attribute and modifiers, sorted
	known   map[string]bool   // the words of the terms
	joined  map[string]bool   // the terms of one word that can be parts of compound words
	endings map[string]bool   // the last bytes of these terms; most words do not end with any of them
	deleted map[string]string // the terms of one word, by each form without one letter
}

var composedTerms = sync.OnceValue(func() *composedTable {
	t := &composedTable{newTable(), map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]string{}}
	for _, e := range entries(composedFile) {
		if e.Class == "field" {
			keys := strings.Fields(e.Term)
			slices.Sort(keys)
			t.fields[strings.Join(keys, " ")] = e.Meaning
			continue
		}
		words := Words(e.Term)
		t.terms.addTerm(Term{e.Meaning, e.Class, e.Language == "en", words})
		for _, w := range words {
			t.known[w] = true
		}
		if len(words) > 1 {
			continue
		}
		word := words[0]
		if len(word) >= minPart && (e.Language == "de" || e.Language == "nl") {
			t.joined[word] = true
			t.endings[word[len(word)-minPart:]] = true
		}
		if len(word) >= minMistyped {
			for _, form := range withoutOne(word) {
				t.deleted[form] = word
			}
		}
	}
	return t
})

const (
	minPart     = 3 // bytes of a part of a compound word
	minMistyped = 6 // bytes of a word in which a typing error is recognised
	maxComposed = 8 // words of a label
	fitUnknown  = 0.7
	fitMistyped = 0.9
)

// Compose returns the meaning of a label whose words name the value and the party it belongs to:
// "Account Legal Name" is the name of the insured. All words must be known, except one in a
// label with at least two others that matter. The words are separated by single spaces.
func Compose(label string) (Composed, bool) {
	if strings.Count(label, " ") >= maxComposed {
		return Composed{}, false // faster than counting its words
	}
	c := composed.Of(label)
	return c.Composed, c.ok
}

// NamesHeldPolicy reports whether a label has a word for the policy in force or an earlier one: "Present
// insurer".
func NamesHeldPolicy(label string) bool {
	return slices.ContainsFunc(composedTerms().terms.FindWords(Words(label)), func(m Match) bool {
		return m.Class == "modifier" && (m.Meaning == "prior" || m.Meaning == "current")
	})
}

// maybeComposed is the meaning of a label, if it has one.
type maybeComposed struct {
	Composed
	ok bool
}

var composed = memo.New(func(label string) (c maybeComposed) {
	c.Composed, c.ok = compose(label, 1, 2)
	return c
})

// ComposeAmong is Compose for a label with up to two unknown words, such as "Tidewater
// Underwriter".
func ComposeAmong(label string) (Composed, bool) { return compose(label, 2, 1) }

// compose is Compose with limits: the maximum number of unknown words, and, if there are any, the
// minimum number of known words that matter.
func compose(label string, unknowns, matter int) (Composed, bool) {
	words := Words(label)
	if len(words) == 0 || len(words) > maxComposed {
		return Composed{}, false
	}
	t := composedTerms()
	words, fit, ok := t.correct(words, unknowns)
	if !ok {
		return Composed{}, false // as for most texts, which are no labels
	}
	var parts composedParts
	unknown := len(words)
	for _, m := range t.terms.FindWords(words) {
		unknown -= m.Last - m.First + 1
		if !parts.add(m) {
			return Composed{}, false
		}
	}
	if unknown > 0 {
		if fit *= fitUnknown; unknown > unknowns || parts.matter < matter {
			return Composed{}, false
		}
	}
	field, party := parts.field(t.fields)
	if field == "none" {
		return Composed{Other: true}, false
	}
	return Composed{Field: field, Party: party, Fit: fit}, field != ""
}

// composedParts are the meanings of the words of a label.
type composedParts struct {
	attributes, parties, modifiers []string
	matter                         int  // number of words that decide the meaning
	counted                        bool // the label has a word such as "number" or "type"
}

// add adds the meaning of a term. It returns false if no label has the term.
func (p *composedParts) add(m Match) bool {
	switch m.Class {
	case "other":
		return false
	case "filler":
		return true
	case "counter":
		p.counted = true
		return true
	case "attribute":
		p.attributes = appendOnce(p.attributes, m.Meaning)
	case "party":
		p.parties = appendOnce(p.parties, m.Meaning)
	case "modifier":
		p.modifiers = appendOnce(p.modifiers, m.Meaning)
	}
	p.matter += m.Last - m.First + 1
	return true
}

func appendOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// field returns the field that the parts name, and the party.
func (p *composedParts) field(fields map[string]string) (field, party string) {
	parties := slices.DeleteFunc(slices.Clone(p.parties), func(s string) bool { return s == "firm" })
	switch {
	case len(parties) > 1:
		return "", ""
	case len(parties) == 1:
		party = parties[0]
	case len(p.parties) > 0:
		party = "insured"
	}
	if len(parties) > 0 && party == "insured" {
		p.modifiers = slices.DeleteFunc(p.modifiers, func(s string) bool { return s == "policy" }) // as in "Named insured on the policy"
	}
	attribute := p.attribute()
	if attribute == "" {
		return "", ""
	}
	key := append([]string{attribute}, p.modifiers...)
	if party == "insured" && !strings.HasPrefix(attribute, "~") || party == "insured" && attribute == "~period" {
		key = append(key, party)
	} else if party == "insurer" && (attribute == "~name" || attribute == "~legal_name") {
		key[0] = "insurer"
	}
	slices.Sort(key)
	if field, ok := fields[strings.Join(key, " ")]; ok {
		return field, ""
	}
	if slices.Contains(p.modifiers, "prior") || slices.Contains(p.modifiers, "current") && attribute != "~address" {
		return "none", ""
	}
	if !strings.HasPrefix(attribute, "~") {
		if party == "broker" && attribute != "broker_contact_points" || party == "insurer" && attribute != "underwriter" {
			return "", ""
		}
		return attribute, ""
	}
	return partyFields[attribute+" "+party], party
}

// attribute returns the attribute of the parts. Several attributes are combined to the one that
// includes them. Words for a party alone mean its name.
func (p *composedParts) attribute() string {
	switch {
	case len(p.attributes) == 1:
		return p.attributes[0]
	case len(p.attributes) == 0 && len(p.parties) > 0 && len(p.modifiers) == 0 && !p.counted:
		return "~name"
	case len(p.attributes) == 0:
		return ""
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(p.attributes, n) })
	}
	only := func(names ...string) bool {
		return !slices.ContainsFunc(p.attributes, func(a string) bool { return !slices.Contains(names, a) })
	}
	switch {
	case only("~postal_code", "~city", "~state", "~country"):
		return "~city_line"
	case only("~address", "~street", "~street2", "~postal_code", "~city", "~state", "~country"):
		return "~address"
	case only("~name", "~legal_name", "dba_aka"):
		return "~legal_name"
	case (has("~name") || has("~legal_name")) && has("~address") && only("~name", "~legal_name", "~address", "~street", "~postal_code", "~city"):
		return "~name"
	case only("~name", "~contact"), only("~contact", "~phone", "~email"):
		return "~contact"
	case only("policy_inception_date", "end_date", "~period"):
		return "~period"
	case only("year_founded", "policy_inception_date"):
		return "year_founded"
	}
	return ""
}

// partyFields are the fields of the attributes that labels.tsv names by their party.
var partyFields = func() map[string]string {
	m := map[string]string{
		"~name insured": "company_name", "~name broker": "broker_name", "~contact broker": "broker_contact_points",
		"~legal_name insured": "company_name", "~legal_name broker": "broker_name", "~legal_name ": "~legal_name",
		"~period ": "~period", "~period insured": "~period",
	}
	for _, a := range []string{"~address", "~street", "~street2", "~city", "~state", "~postal_code", "~country", "~phone", "~email", "~website", "~contact", "~city_line"} {
		for _, party := range []string{"", "insured", "broker"} {
			if m[a+" "+party] == "" {
				m[a+" "+party] = a
			}
		}
	}
	return m
}()
