// Package recognise finds the fields that labels and headers name, with the terms of the
// vocabulary. Words may be in another order, abbreviated, or among other words.
package recognise

import (
	"strings"
	"sync"
	"unicode"

	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

// Match is the field that a label names, and how well. The fields that begin with "~"
// depend on the party whose details are being read: "~name" is company_name under
// "Insured" and broker_name under "Broker".
type Match struct {
	Field string
	From  source.Kind
	Whose party.Party // that the label names; party.Nobody if it names none
	Doubt float64     // about its words, from 0 to 1
	Any   bool        // the label does not say whose name it is, as in "Name and address"
	Held  bool        // the label names the insurer of the policy in force or an earlier one
	Unit  int64       // of the amounts, as in "Revenue ($000)"; 0 if the label states none
}

// LabelForms returns the known labels in the form that words.Key returns.
var LabelForms = sync.OnceValue(func() map[string]Match {
	m := map[string]Match{}
	for _, pass := range []struct {
		class string
		from  source.Kind
	}{{"exact", source.Label}, {"other", source.Synonym}} {
		for _, l := range vocabulary.Labels() {
			if _, taken := m[words.Key(l.Term)]; !taken && l.Class == pass.class {
				m[words.Key(l.Term)] = Match{Field: l.Meaning, From: pass.from, Any: l.Meaning == "company_name" && anyName(l.Term), Held: l.Meaning == "insurer" && vocabulary.NamesHeldPolicy(l.Term)}
			}
		}
	}
	return m
})

// anyName reports whether a label for a name does not say whose it is.
func anyName(term string) bool {
	c, ok := vocabulary.Compose(words.Key(term))
	return !ok || c.Field != "company_name"
}

// Known finds the field of a text that is a known label, or nearly one.
func Known(text string) (Match, bool) { return known.Of(text).unpack() }

// Label finds the field that a label names. Because the text is where a label is expected, a
// label that is composed of known words counts too.
func Label(text string) (Match, bool) { return labels.Of(text).unpack() }

var (
	known  = memo.New(func(text string) result { return resultOf(findFirst(text, false)) })
	labels = memo.New(func(text string) result { return resultOf(findFirst(text, true)) })
)

// result is a field, if ok is true.
type result struct {
	Match
	ok bool
}

func resultOf(m Match, ok bool) result { return result{m, ok} }

func (r result) unpack() (Match, bool) { return r.Match, r.ok }

// findFirst finds the field of a label, unless the label is for the names of further insureds.
func findFirst(text string, composed bool) (Match, bool) {
	m, ok := find(text, composed)
	if !ok && composed && strings.ContainsAny(text, "0123456789") {
		if at := yearEnd.FindStringIndex(text); at != nil && at[0] > 0 {
			m, ok = find(text[:at[0]], composed) // "Revenue FYE 12/31/30"
			ok = ok && (m.Field == "annual_revenue" || m.Field == "annual_payroll")
		}
	}
	if ok && m.Field == "company_name" && party.IsCoInsured(text) && !namesFirst(text) {
		return Match{}, false
	}
	if ok {
		m.Unit = UnitOf(text)
	}
	return m, ok
}

// UnitOf returns the unit of amounts that a label states; 0 if it states none. The base of a rate, as in "per $1,000",
// is not a unit, so the result is then 1.
func UnitOf(label string) int64 {
	switch unit := ScaleOf(label); {
	case unit == 1:
		return 0
	case perUnit.MatchString(label):
		return 1
	default:
		return unit
	}
}

// perUnit matches the words before the base of a rate: "Payroll (per $1,000)".
var perUnit = vocabulary.Pattern(`(?i)\b{{money.per}}\s`)

// yearEnd matches the end of a financial year after the name of an amount.
var yearEnd = vocabulary.Pattern(`(?i)[\s,(]+(?:{{years.end|years.closed}})\s*(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}\.?\s+\pL+\s+\d{4}|\pL+\s+\d{1,2},?\s+\d{4})\s*\)?\s*$`)

// namesFirst reports whether a label that mentions further insureds is for the first named one: "Named
// insured and other insureds", "Proposer (list all additional insureds below)".
func namesFirst(text string) bool {
	at := further.FindStringIndex(text)
	if at == nil {
		return false
	}
	first := text[:at[0]]
	if m, ok := find(first, true); !ok || m.Field != "company_name" || m.Any || party.IsCoInsured(first) {
		return false
	}
	if behind := strings.TrimSpace(text[at[0]:at[1]]); behind == "(" || behind == "[" {
		return len(vocabulary.Parties().Whole(words.Bracketed.FindString(text), 0)) == 0 // not "Insured (additional insured)"
	}
	return true
}

// further matches what stands before the further insureds in a label.
var further = vocabulary.Pattern(`(?i)\s*[(\[]\s*(?:{{connectives.and|connectives.including|connectives.joining}}|&|\+)?|\s*[,;/&+]|\s(?:{{connectives.and|connectives.including|connectives.joining}})\s`)

func find(text string, composed bool) (Match, bool) {
	key := words.Key(words.Unnumbered(text))
	if key == "" || !strings.ContainsFunc(key, unicode.IsLetter) && !strings.ContainsFunc(text, unicode.IsLetter) {
		return Match{}, false // an amount or a number: each label has a letter
	}
	if len(key) > 80 {
		return askedFor(text)
	}
	if at := strings.Index(text, "("); at > 0 && inclusive.MatchString(text[at:]) {
		return find(text[:at], composed) // "Name of proposer (incl. trading names)"
	}
	if at := strings.LastIndex(text, ". "); at > 0 {
		if rest := words.Key(text[at+2:]); strings.Contains(rest, " ") && LabelForms()[rest].Field != "" {
			return LabelForms()[rest], true // "New one. Named insured"
		}
	}
	if m, ok := LabelForms()[key]; ok {
		if strings.HasPrefix(m.Field, "~name") && strings.Contains(text, "(") {
			if p := NamedParty(words.Bracketed.FindString(text)); p == party.Insured {
				return Match{Field: "company_name", From: source.Label}, true // "Name (First Named Insured)"
			}
		}
		return m, true
	}
	if at := codeLast.FindStringIndex(key); at != nil {
		if m, ok := LabelForms()[key[:at[0]]]; ok && NamesFirm(m.Field) {
			return m, true
		}
	}
	if m, ok := nameAndAddress(text); ok {
		return m, true
	}
	if m, ok := Composed(key); composed && ok && m.Doubt == 0 {
		return m, true
	}
	// "Registered address / principal manufacturing"
	if before, after, ok := strings.Cut(text, "/"); ok {
		if m, ok := LabelForms()[words.Key(words.Unnumbered(before))]; ok {
			return Match{Field: m.Field, From: min(m.From, source.Synonym)}, true
		}
		if m, ok := LabelForms()[words.Key(after)]; ok {
			return Match{Field: m.Field, From: min(m.From, source.Synonym)}, true
		}
		for _, half := range []string{before, after} {
			if m, ok := Composed(words.Key(words.Unnumbered(half))); composed && ok && m.Doubt == 0 {
				return m, true // a label in two languages
			}
		}
	}
	about, _ := vocabulary.Compose(key)
	if m, ok := needlessForms()[withoutNeedless(key)]; ok && !about.Other {
		return Match{Field: m.Field, From: min(m.From, source.Synonym)}, true
	}
	if m, ok := askedFor(text); ok {
		return m, true
	}
	if m, ok := Composed(key); composed && ok {
		return m, true
	}
	if about.Other {
		return Match{}, false
	}
	return similarLabel(key)
}

// inclusive matches a remark in brackets after a label that says what the value includes.
var inclusive = vocabulary.Pattern(`(?i)^\(\s*(?:{{connectives.including|connectives.including header}})\b[^()]*\)\W*$`)

// nameAndAddress returns the field of the name in a label for a name and its address: "Named insured
// and address".
func nameAndAddress(text string) (Match, bool) {
	if !strings.ContainsAny(text, "&+/,") && !joins(text) {
		return Match{}, false
	}
	parts := joiner.Split(text, 3)
	if len(parts) != 2 {
		return Match{}, false
	}
	name, ok := LabelForms()[words.Key(words.Unnumbered(parts[0]))]
	if !ok || !NamesFirm(name.Field) {
		return Match{}, false
	}
	key := words.Key(words.Bracketed.ReplaceAllString(parts[1], ""))
	m, ok := LabelForms()[key]
	if !ok {
		m, ok = Composed(key)
	}
	return name, ok && (strings.HasSuffix(m.Field, "address") || m.Field == "~street")
}

// joins reports whether a text has a word that joins the two parts of a label.
func joins(text string) bool {
	and := vocabulary.Set("connectives.and")
	for word := range strings.FieldsSeq(text) {
		if and[strings.ToLower(word)] {
			return true
		}
	}
	return false
}

// joiner matches the word between the two parts of a label.
var joiner = vocabulary.Pattern(`(?i)\s+(?:{{connectives.and}}|&|\+)\s+|\s*[&+/]\s*|,\s+`)

// codeLast matches a code after a label, such as that of an agent.
var codeLast = lazyregexp.New(`\s\d{2,}(?: \d+)*$`)

// Composed finds the field of a label, in the form that words.Key returns, that consists of
// known words for a party and an attribute.
func Composed(key string) (Match, bool) {
	c, ok := vocabulary.Compose(key)
	held := c.Field == "insurer" && vocabulary.NamesHeldPolicy(key)
	return Match{Field: c.Field, From: source.Composed, Whose: parties[c.Party], Doubt: 1 - c.Fit, Held: held}, ok
}

// PartlyKnown finds the field of a label with unknown words among known ones. The caller must check
// the field by the form of the value.
func PartlyKnown(text string) (Match, bool) {
	c, ok := vocabulary.ComposeAmong(words.Key(words.Unnumbered(text)))
	return Match{Field: c.Field, From: source.Fuzzy, Whose: parties[c.Party], Doubt: 1 - c.Fit}, ok
}

// NamedParty returns the party that a text names, or party.Nobody if the text names none or says
// anything else.
func NamedParty(text string) party.Party {
	c, ok := vocabulary.Compose(words.Key(words.Unnumbered(text)))
	switch {
	case !ok || c.Fit < 1:
	case c.Field == "company_name":
		return party.Insured
	case c.Field == "broker_name":
		return party.Broker
	case c.Field == "insurer":
		return party.Insurer
	}
	return party.Nobody
}

// parties are the parties by their names in the vocabulary.
var parties = map[string]party.Party{"insured": party.Insured, "broker": party.Broker, "insurer": party.Insurer}

// askedFor finds the field that a question asks for.
func askedFor(text string) (Match, bool) {
	field, ok := vocabulary.Question(words.Unnumbered(text))
	return Match{Field: field, From: source.Synonym}, ok
}

// needlessForms are the labels of more than one word, without their needless words.
var needlessForms = sync.OnceValue(func() map[string]Match {
	m := map[string]Match{}
	for _, l := range vocabulary.Labels() {
		short := withoutNeedless(words.Key(l.Term))
		if _, taken := m[short]; taken || !strings.Contains(short, " ") && len(short) < 6 || strings.HasPrefix(l.Meaning, "~") && !strings.Contains(short, " ") {
			continue
		}
		m[short] = LabelForms()[words.Key(l.Term)]
	}
	return m
})

func withoutNeedless(key string) string {
	kept := make([]string, 0, strings.Count(key, " ")+1)
	needless := vocabulary.Set("fillers.needless")
	for w := range strings.SplitSeq(key, " ") {
		if !needless[w] {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
