// Package assign proposes the values of labels for fields. It keeps track of the party that the
// labels are about, because the field of a label such as "Address" depends on it.
package assign

import (
	"strings"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/sites"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/extract/years"
	"understudy.example/internal/lazyregexp"
)

// Assigner proposes the values of labels in the order of the document.
type Assigner struct {
	*candidate.Set
	Whose    party.Party
	Sides    [2]party.Party              // parties whose details are side by side
	Places   int                         // line of the last question about places of work whose answers are a list; 0 = none
	Since    int                         // lines of text since the party was named
	Headed   bool                        // the party was named by a heading, which is valid until the next one
	printed  bool                        // a printed line named the insurer, so its own details follow
	begun    bool                        // a label of the part has been read
	prior    bool                        // the heading names another policy of the insured
	tender   bool                        // the insured itself has issued the document, as its title says
	unit     int64                       // of the amounts below the heading; 0 = not stated
	placed   bool                        // an address of the broker has been found
	held     source.Place                // of the last label for the insurer of the policy in force
	labelled map[string]map[string][]int // lines of the addresses below a label, by label and address
	address  [6]string
	addressN source.Place
}

// New returns an assigner that proposes candidates for the set.
func New(d *candidate.Set) *Assigner { return &Assigner{Set: d} }

// StartPart forgets the party at the beginning of a part.
func (r *Assigner) StartPart() {
	r.FlushAddress()
	r.Whose, r.Headed, r.begun, r.prior, r.placed, r.Sides = party.Nobody, false, false, false, false, [2]party.Party{}
	r.tender, r.printed, r.Since, r.held, r.unit = false, false, 0, source.Place{}, 0
}

// ListsPlaces reports whether a line is near a question about places of work whose answers are a
// list.
func (r *Assigner) ListsPlaces(line int) bool { return r.Places > 0 && line-r.Places < 60 }

// PlacesAsked matches a question about places of work whose answers are a list.
var PlacesAsked = vocabulary.Pattern(`(?i)(?:^\W*|[.:–-]\s+){{work.asks}}\b.{0,80}\b{{work.people asked}}\b.{0,40}\bwork(?:ing)?\W*$|\b{{work.work asked}}\b.{0,60}\b{{work.where asked}}\b`)

var siteLine = vocabulary.Pattern(`(?i)^\W*{{sites.location|sites.building|sites.location in heading}}\s*(?:#|no\.?|number|:)?\s*(\d{1,4}|[A-H])\b`)

// Heading sets the party if the line is a heading that names one.
func (r *Assigner) Heading(text string) {
	text = strings.TrimSpace(strings.TrimRight(text, ": "))
	if m := bracketed.FindStringSubmatch(text); m != nil {
		text = m[1] // the section of a configuration file, such as "[Applicant]"
	}
	if len(text) > 80 || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ",") {
		return
	}
	fields := strings.Fields(text)
	if len(fields) == 0 || len(fields) > 9 || strings.Contains(text, "   ") {
		return
	}
	r.unit = recognise.UnitOf(text)
	if strings.ContainsAny(text, "\t|$£€") || parse.EmailForm.MatchString(text) || amountIn.MatchString(text) {
		return
	}
	if siteLine.MatchString(text) {
		r.prior = false
		r.SetParty(party.Site, true)
		return
	}
	if party.IsPrior(text) {
		r.SetParty(party.Nobody, true)
		r.prior = true
		return
	}
	if parse.LegalName.MatchString(text) || isInsurerName(text) || !words.Capital(strings.TrimLeft(text, "0123456789.) (")) {
		return
	}
	if sites.SumsInsured.MatchString(text) || r.Whose == party.Other && !r.Headed && r.Since <= 10 {
		return // a job title in a signature is not a heading
	}
	if m, ok := recognise.LabelForms()[words.Key(text)]; ok && m.From == source.Label && !recognise.NamesFirm(m.Field) && !strings.HasPrefix(m.Field, "~") {
		return // the label of an empty box: "COMPANY POLICY OR PROGRAM NAME"
	}
	for _, h := range party.Headings {
		if h.Form.MatchString(text) {
			if h.Party == party.Other && !r.begun {
				return // the title of a loss run, above the insured's details
			}
			r.prior = false
			r.SetParty(h.Party, true)
			return
		}
	}
	if p := recognise.NamedParty(text); p != party.Nobody {
		r.prior = false
		r.SetParty(p, true)
	}
}

// Title reads a line at the top of a document, which can say that the insured itself invites offers.
func (r *Assigner) Title(text string) {
	r.tender = r.tender || len(text) <= maxTitle && tenderTitle.MatchString(text)
}

// tenderTitle matches the title of an invitation to insurers and brokers.
var tenderTitle = vocabulary.Pattern(`(?i)^\W*(?:\d{4}\W+)?{{names.tender}}\b|\b{{names.tender}}\W*$`)

const maxTitle = 100 // bytes

// isInsurerName reports whether a heading is the name of an insurer, such as "QUILL MUTUAL INSURANCE
// COMPANY".
func isInsurerName(text string) bool {
	return parse.InsurerName.MatchString(text) && strings.HasSuffix(strings.ToLower(text), "company")
}

// bracketed matches a heading in brackets. The group leaves out a number at its end.
var bracketed = lazyregexp.New(`^\[([A-Za-z ]+?)\d*\]$`)

// amountIn matches an amount with its currency.
var amountIn = lazyregexp.New(`\b[A-Z]{3}\s?\d`)

// Prior reports whether the current heading names another policy of the insured.
func (r *Assigner) Prior() bool { return r.prior }

// SetParty sets the party that the next labels are about, and whether a heading names it.
func (r *Assigner) SetParty(p party.Party, headed bool) {
	if p != r.Whose {
		r.FlushAddress()
	}
	r.Whose, r.Headed, r.Since, r.printed = p, headed, 0, false
}

// InsurerPrinted is called after a line that is the name of the insurer, or that says where the form
// is sent. The details in the next lines are the insurer's.
func (r *Assigner) InsurerPrinted() {
	r.SetParty(party.Insurer, false)
	r.printed = true
}

// ofInsurer reports whether the details of a company are those of the insurer whose name was printed
// in one of the lines above.
func (r *Assigner) ofInsurer(name string) bool {
	return r.printed && r.Since <= printedLines && (companyDetails[name] || addressParts[name] > 0 || addressFields[name])
}

const printedLines = 5 // of the insurer's details below its name

// companyDetails are the fields with details that insurers print on their forms.
var companyDetails = words.Set("company_number", "phone_number", "~phone", "email_id", "~email", "website", "~website", "~contact", "contact_name", "vat_number", "~street")

// currentParty returns the party to which a neutral label refers.
func (r *Assigner) currentParty() party.Party {
	if !r.Headed && r.Since > 10 {
		return party.Nobody
	}
	return r.Whose
}

// Pair reads a label with its value, whether the label is known or not.
func (r *Assigner) Pair(text, value string, from source.Kind, at source.Place) {
	r.Answer(text, value, r.ListsPlaces(at.Line), at)
	if r.pairOfPairs(text, value, from, at) {
		return
	}
	if key := words.Key(text); recognise.Foreign(key) && (strings.Contains(key, "loss") || strings.Contains(key, "claim")) {
		r.SetParty(party.Other, true)
	}
	if r.tender && vocabulary.Set("names.issued by")[strings.ToLower(strings.TrimSpace(text))] && !parse.NamesBroker(value) {
		r.Assign(recognise.Match{Field: "company_name", From: source.Synonym}, value, 1, at)
		return
	}
	if m, ok := recognise.Label(text); ok {
		if m.Field == "annual_revenue" {
			if latest, ok := years.Paired(text, value); ok {
				value = latest
			}
		}
		if addressFields[m.Field] && m.Whose == party.Nobody {
			r.recordAddress(words.Key(text), words.Key(value), at)
		}
		r.Assign(m, value, float64(min(from, m.From)/m.From), at)
		return
	}
	if limitName.MatchString(text) && len(text) <= 80 {
		r.ProposeLimit(text, value, from, 1, at)
		return
	}
	if p, rest, ok := party.PartyPrefix(text); ok {
		if m, ok := recognise.LabelForms()[rest]; ok && strings.HasPrefix(m.Field, "~") {
			before := *r
			r.Whose, r.Headed = p, true
			r.Assign(m, value, 0.95, at)
			r.Whose, r.Headed = before.Whose, before.Headed
		}
	}
}

// recordAddress remembers an address and the label above or before it.
func (r *Assigner) recordAddress(label, value string, at source.Place) {
	if r.labelled == nil {
		r.labelled = map[string]map[string][]int{}
	}
	if r.labelled[label] == nil {
		r.labelled[label] = map[string][]int{}
	}
	r.labelled[label][value] = append(r.labelled[label][value], at.Line)
}

// DropRepeated removes the addresses of each label that occurs with several different addresses, such
// as "Physical address" in a block for each building.
func (r *Assigner) DropRepeated() {
	of := map[int]bool{}
	for _, addresses := range r.labelled {
		if len(addresses) >= minRepeated {
			for _, lines := range addresses {
				for _, n := range lines {
					of[n] = true
				}
			}
		}
	}
	if len(of) > 0 {
		r.Drop("its label stands before other addresses too", func(c resolve.Reading) bool { return c.Field == "address" && of[c.Place] })
	}
}

const minRepeated = 3 // addresses with the same label

// pairOfPairs reads two labels with their values: "Full-time / part-time employees: 4 / 3".
// One of the labels can lack the words that both have in common.
func (r *Assigner) pairOfPairs(text, value string, from source.Kind, at source.Place) bool {
	first, second, ok := strings.Cut(text, "/")
	left, right, both := strings.Cut(value, "/")
	if !ok || !both || len(text) > MaxLabel || strings.ContainsAny(second+right, "/\n") || len(parse.Dates(value, r.Order)) > 0 {
		return false
	}
	firsts, seconds := strings.Fields(first), strings.Fields(second)
	if len(firsts) == 0 || len(seconds) == 0 {
		return false
	}
	if a, b, ok := besidePremium(first, second); ok {
		r.Assign(a, left, 1, at)
		r.Assign(b, right, 1, at)
		return true
	}
	common := func(n int, words []string) string { return strings.Join(words[:n], " ") }
	for _, labels := range [][2]string{
		{first, second},
		{first + " " + strings.Join(seconds[1:], " "), second},
		{first, common(len(firsts)-1, firsts) + " " + second},
	} {
		a, known := recognise.Label(labels[0])
		b, other := recognise.Label(labels[1])
		if known && other && a.Field != b.Field && countFields[a.Field] && countFields[b.Field] {
			r.Assign(a, left, float64(min(from, a.From)/a.From), at)
			r.Assign(b, right, float64(min(from, b.From)/b.From), at)
			return true
		}
	}
	return false
}

// countFields are the fields whose values can share a box.
var countFields = words.Set("total_full_time_employees", "total_part_time_employees", "total_number_of_locations", "annual_revenue", "annual_payroll", "estimated_premium", "~expiring_premium")
