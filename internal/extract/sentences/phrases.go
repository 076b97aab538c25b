// Package sentences reads the values that sentences state: amounts, dates, periods, answers, and the
// revenue of several years.
package sentences

import (
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// A phrase is a pattern of words that states a field. Its first group is the value.
type phrase struct {
	field string
	form  *lazyregexp.Regexp
	fit   float64

	numeric bool // the value has digits
}

// Patterns of the values in sentences.
const (
	anyDate    = `((?:\b\d{1,2}(?:st|nd|rd|th|er|º|°|\.)?(?: of| del?)?[ \-/.]+\pL{3,10}(?: del?)?[ ,\-/.]+\d{2,4})|\pL{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|\d{1,4}[/.\-]\d{1,2}[/.\-]\d{1,4})`
	anyYear    = `((?:1[6-9]|20)\d\d)\b`
	months     = `(\d{1,2}|{{dates.number}})[ -]*{{dates.unit/months}}\b`
	digits     = `\d[\d.,’' \x{a0}\x{202f}]*\s*`
	anySum     = `({{money.sign|money.code}}\s*\d[\d.,’']*\s*(?:{{money.scale}}\b\.?)?|` + digits + `(?:{{money.scale}}\.?)?\s*(?:d['’])?(?:€|(?:{{money.behind}}|TEUR|T€)\b))`
	bareAmount = `(\d{1,3}(?:[,.]\d{3}){1,2}|[2-9]\d{4,6}|1\d{4,6})(?:[\s.;,)"]|$)`
	count      = `(\d{1,3}(?:,\d{3})*|\d+)`

	// yearOf matches the words between "revenue" and its amount that state the year.
	// The last alternative matches other languages: "du dernier exercice clos le 30/06/2026".
	yearOf = `(?:for|in) (?:the |last )*(?:coming |current |past |latest |next )*(?:{{years.kind}} )?(?:y/?e|{{years.head}}|12 months)(?: just)?(?: (?:ended|ending|to|end))?[^£$€\d\n]{0,20}(?:\d{1,2} \w+ |\d{1,2}, )?(?:\d{2,4})?\)?|\(?20\d\d\)?|[\pL'’]{2,4} ?(?:[\pL]{2,10} ){0,2}{{years.head}}\b[\pL ]{0,15}(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2} \pL+ 20\d\d|20\d\d|20\d\d/\d\d)?`
)

// kinds are the classes of phrases.tsv, with the patterns before and after the words of a phrase, and
// how certain its value is.
var kinds = map[string]struct {
	before, behind string
	fit            float64
}{
	"date":          {``, `(?:\s*\b{{phrases.link/date}})*\s*:?\s*` + anyDate, 1},
	"far date":      {``, `\b[^.;\n]{0,40}?\b{{phrases.link/date}}?\s*:?\s*` + anyDate, 0.9},
	"sum":           {``, `\s*(?:\([^)]{0,40}\))?(?:\s*(?::|{{phrases.link/sum}}\b|{{phrases.link/sum}}\s|` + yearOf + `))*\s*` + anySum, 1},
	"far sum":       {``, `\b[^.;£$€\d\n]{0,40}?\b{{phrases.link/sum}}\s+` + anySum, 0.85},
	"bare sum":      {``, `\s*(?:\([^)]{0,40}\))?(?:\s*(?::|{{phrases.link/sum}}\b))*\s*` + bareAmount, 0.9},
	"behind sum":    {anySum + `\s+`, `\b`, 1},
	"year":          {``, `\s*(?:{{phrases.link/year}}\b|:)?\s*(?:\d{1,2}\s+)?(?:{{dates.month}}\s+)?` + anyYear, 0.95},
	"months":        {``, `\s*(?:{{phrases.link/months}}|:)?\s*` + months, 1},
	"far months":    {``, `\b[^.;\n]{0,50}?\b` + months, 0.95},
	"behind months": {months + `['’]?\s+`, `\b`, 1},
}

// phrases are the phrases of phrases.tsv, and others.
var phrases = sync.OnceValues(func() ([]phrase, *lazyregexp.Set) {
	list := slices.Clone(others)
	for _, p := range vocabulary.Meanings("phrases") {
		if k, ok := kinds[p.Class]; ok && p.Meaning != "link" {
			list = append(list, phrase{p.Meaning, vocabulary.Pattern(`(?i)` + k.before + `\b{{phrases.` + p.Meaning + `/` + p.Class + `}}` + k.behind), k.fit, !strings.HasSuffix(p.Class, "months")})
		}
	}
	forms := make([]*lazyregexp.Regexp, len(list))
	for i, p := range list {
		forms[i] = p.form
	}
	return list, lazyregexp.NewSet(forms)
})

// others are phrases with values in a form that no class of phrases.tsv has.
var others = []phrase{
	{"broker_name", vocabulary.Pattern(`(?i:\b{{stated.broker}}),? (?i:is )?([\p{Lu}][\pL&'’.-]+(?: (?:[\p{Lu}][\pL&'’.-]+|&|and|of)){1,5})(?:,| \(|\.|$)`), 0.9, false},
	{"broker_name", vocabulary.Pattern(`(?i:\b{{stated.made by}} (?:to [\pL ]{3,30} )?by:?)\s+([A-Z][^\n,;:]{3,60}?)\s*(?:[,;]|\s[-–|]\s|\.?$| on \d)`), 0.9, false},
	{"document_date", vocabulary.Pattern(`(?i)\b{{stated.made by}} by [^\n;]{3,60}?[,;]?\s+` + anyDate), 1, true},
	{"total_full_time_employees", vocabulary.Pattern(`(?i)\b{{stated.employs}}\s*{{stated.about}}?\s*` + count + `\s*{{stated.full time|stated.people}}`), 1, true},
	{"total_full_time_employees", vocabulary.Pattern(`(?i)\b` + count + `\s+{{stated.full time}} {{stated.people}}`), 1, true},
	{"total_full_time_employees", vocabulary.Pattern(`(?i)(?:^|[,;:(]|\b{{connectives.and}})\s*` + count + `\s+{{stated.full time}}\s*(?:$|[.,;)]|{{connectives.and}}\b)`), 0.95, true},
	{"policy_inception_date", vocabulary.Pattern(`(?i)\b{{stated.in force}} {{stated.placement}}\b[^.;\n]{0,60}?\b{{stated.expires}}\s+` + anyDate), 0.9, true},
	{"policy_inception_date", vocabulary.Pattern(`(?i)\b{{stated.placement}} {{stated.in force}}\b[^.;\n]{0,60}?\b{{stated.expires}}\s+` + anyDate), 0.9, true},
	{"total_full_time_employees", vocabulary.Pattern(`(?i)(?:\b{{stated.has}}|[;,(])\s+(?:now |currently )?{{stated.about}}?\s*` + count + `\s+(?:{{stated.full time}} )?{{stated.staff}}\b`), 0.9, true},
	{"total_full_time_employees", vocabulary.Pattern(`(?i)\b` + count + `\s*(?:\(\pL+\)\s*)?{{stated.full timers}}\b[^.;\n]{0,40}?\b(?:\d{1,3}(?:,\d{3})*|\d+)\s*{{stated.part timers}}\b`), 0.95, true},
	{"total_part_time_employees", vocabulary.Pattern(`(?i)\b` + count + `\s*{{stated.part timers}}\b`), 0.95, true},
	{"policy_inception_date", vocabulary.Pattern(`(?i)\b(?:12|{{dates.number/12}})[ -]*{{dates.unit/months}} {{stated.beginning}} ` + anyDate), 0.95, true},
	{"policy_inception_date", vocabulary.Pattern(`(?i)\b{{limits.article}}\s+` + anyDate + `\s+{{stated.start}}\b`), 1, true},
	{"end_date", vocabulary.Pattern(`(?i)\b{{stated.term}}\b[^.;\n\d]{0,40}?\b{{connectives.to|connectives.until}} ` + anyDate), 0.9, true},
	{"company_number", vocabulary.Pattern(`(?i)\b{{stated.company number}}\s*:?\s*((?:SC|NI|OC)?\d{6,8})\b`), 1, true},
	{"vat_number", vocabulary.Pattern(`(?i)\b{{stated.vat number}}\s*:?\s*((?:GB)?\s?\d{3}\s?\d{4}\s?\d{2})\b`), 1, true},
	{"ern_number", vocabulary.Pattern(`(?i)\b{{stated.ern}}\s*(?:no\.?|number|#)?\s*(?:is|:)?\s*(\d{3}\s?/\s?[A-Z0-9]{3,10})\b`), 1, true},
	{"primary_naics_2012", vocabulary.Pattern(`(?i)\b{{stated.naics}}\s*(?:is|of|:|#)?\s*(\d{6})\b`), 1, true},
	{"primary_sic", vocabulary.Pattern(`(?i)\b{{stated.sic}}\s*(?:is|of|:|#)?\s*(\d{4})\b`), 1, true},
	{"address", vocabulary.Pattern(`(?i:\b{{stated.works from}}\b[^.;\n]{0,40}?\bfrom)\s+((?:Unit |Units |The |\d+(?:st|nd|rd|th) |\d)?[A-Z][^;\n(]{8,100}?)(?:\.(?:\s|$)|\s\()`), 0.9, false},
	{"address", vocabulary.Pattern(`(?i:\b{{stated.is at}}|\b{{stated.office}} (?:is|are)(?: (?:located|situated))?(?: at)?|\b(?:{{stated.located}}|{{stated.from its}} (?:its|their|our|the) (?:\w+ ){1,2}) ?at)\s+((?:Unit |Units |The |\d)?[^;\n]{8,120}?)(?:\.\s|\.?$|\s\(|,? (?:and|{{addresses.after}})\b)`), 1, false},
	{"underwriter", vocabulary.Pattern(`(?m)^\s*(?i:{{letters.attention}})\.?\s*:?\s+(?:(?i:{{names.form of address}})\.? )?([A-Z][\pL'’-]+ [A-Z][\pL'’-]+)\s*$`), 1, false},
	{"underwriter", vocabulary.Pattern(`(?m)^{{letters.dear}} (?:(?i:{{names.form of address}})\.? )?([A-Z][a-z]+ [A-Z][a-z]+)\s*[,:]?\s*$`), 0.7, false},
	{"underwriter", vocabulary.Pattern(`\b(?i:{{stated.underwriter}})\s*(?:is|,|:)?\s+([A-Z][a-z]+ [A-Z][a-z]+)\b`), 0.8, false},
	{"broker_contact_phone", vocabulary.Pattern(`(?i)\b{{stated.our phone}}(?: phone| number)?(?: is|:| on)?\s*(\+?[\d ()\-.]{9,20})`), 0.9, true},
	{"broker_contact_phone", vocabulary.Pattern(`(?i)\b{{stated.call us}} (?:on|at)\s*(\+?[\d ()\-]{9,20})`), 0.8, true},
}

// sentenceEnd matches the end of a sentence, but not an initial.
var sentenceEnd = lazyregexp.New(`\pL\pL\. `)

var formerUnderwriter = vocabulary.Pattern(`(?i)\b{{stated.former}} {{stated.underwriter}}`)

// ofManyPolicies matches the words after a date that show that a rule for many policies takes effect on the date, and not
// one policy.
var ofManyPolicies = vocabulary.Pattern(`(?i)^[\s,(]*(?:\pL{2,4}\s+){0,2}{{stated.many policies}}\b`)

// match returns the first match of the phrase that is not about something else.
func (p *phrase) match(text string) []string {
	if p.field != "annual_revenue" && p.field != "estimated_premium" {
		return p.form.FindStringSubmatch(text)
	}
	for from := 0; from < len(text); {
		m := p.form.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return nil
		}
		if lossOf.MatchString(text[:from+m[0]]) || p.field == "estimated_premium" && yearsBudget.MatchString(text[from+m[0]:from+m[1]]) {
			from += m[1]
			continue
		}
		return []string{text[from+m[0] : from+m[1]], text[from+m[2] : from+m[3]]}
	}
	return nil
}

// lossOf matches words before revenue that make it a sum insured; yearsBudget matches the budget of a year, which is not
// a premium.
var (
	lossOf      = vocabulary.Pattern(`(?i)\b{{stated.loss of}}\s+$`)
	yearsBudget = vocabulary.Pattern(`(?i)^{{stated.year's budget}}\b`)
)

// siteNumber matches a sentence that is about one numbered location only.
var siteNumber = vocabulary.Pattern(`(?i)\b{{sites.location|sites.building}}\.?\s*#?\d`)

var fromTo = vocabulary.Pattern(`(?i)\b(?:{{stated.policy period}}?\s*:?\s*(?:is|of|from|for the period)|{{stated.term}})\s*:?\s*(?:the\s+)?` + anyDate + `\s*(?:,?\s*(?:12:01|00:01|12\.01)[^\n]{0,20}?)?\s*(?:-|–|{{connectives.between}}|and ending)\s*:?\s*` + anyDate)

// Reader reads sentences.
type Reader struct {
	*candidate.Set
	tables *sov.Tables
}

// New returns a reader that proposes candidates for the set. tables are the statements of values.
func New(d *candidate.Set, tables *sov.Tables) *Reader {
	return &Reader{Set: d, tables: tables}
}

const maxName = 300 // bytes of a sentence that begins with a name

// Read extracts values from sentences.
func (d *Reader) Read() {
	d.readSentences()
	d.readSubjects()
	d.readTerms()
	list, likely := phrases()
	answers, answered := statements()
	for i, l := range d.Lines {
		text := l.Text
		if l.Label != "" {
			text = l.Value
		}
		text = d.RanOn(i, text)
		if len(text) < 8 {
			continue
		}
		numeric := parse.HasDigit(text)
		for n := range likely.In(text) {
			p := &list[n]
			if p.numeric && !numeric {
				continue
			}
			if m := p.match(text); m != nil {
				if p.field == "broker_name" && !parse.NamesBroker(text) && !parse.EmailForm.MatchString(text) || p.field == "100_pct_limit" && siteNumber.MatchString(text) {
					continue
				}
				value := m[1]
				if p.field == "underwriter" && (formerUnderwriter.MatchString(text) || parse.JobTitle.MatchString(value) || parse.InsurerName.MatchString(value) || parse.NamesBroker(value) || parse.LegalName.MatchString(value)) {
					continue // "Underwriter, Some Mutual"
				}
				if p.field == "policy_inception_date" && ofManyPolicies.MatchString(text[strings.Index(text, m[0])+len(m[0]):]) {
					continue // "Effective January 1, 2027 for new business"
				}
				if p.field == "business_interruption_period" {
					value += " months"
				}
				if p.field == "broker_name" {
					whole := text[strings.Index(text, value):]
					if end := sentenceEnd.FindStringIndex(whole); end != nil {
						whole = whole[:end[0]+2]
					}
					assign.New(d.Set).ProposeBroker(words.Cut(whole, maxName), source.Prose, p.fit, l.At)
					continue
				}
				d.Propose(p.field, value, source.Prose, p.fit, l.At)
			}
		}
		if !d.Printed[l.At.Part] && l.Label == "" {
			stateWork(d.Set, l.Text, l.At)
		}
		if numeric {
			if m := fromTo.FindStringSubmatchIndex(text); m != nil {
				r := assign.New(d.Set)
				r.ProposePeriod(text[m[2]:m[1]], source.Prose, 1, l.At)
			}
		}
		if d.Printed[l.At.Part] || strings.Contains(text, "?") {
			continue
		}
		for n := range answered.In(text) {
			if s := answers[n]; s.form.MatchString(text) {
				d.Propose(s.field, s.answer, source.Prose, 0.9, l.At)
			}
		}
	}
}
