package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"understudy.example/internal/extract/grade"
)

// paper is a document that is being made.
type paper struct {
	risk
	*rand.Rand
	blocks []block
	truth  grade.Document
	shown  []string

	heldOut               bool
	letters               int // how labels are written: Title Case, Sentence case, UPPER CASE
	dateStyle, moneyStyle int
	informal              int             // 1 if the document is no form
	used                  map[string]bool // labels
}

// block is an element of a page: a heading, a text, entries, a list or a table.
type block struct {
	heading, text string
	entries       []entry
	items         []item
	rows          [][]string // of a table whose first row is its header
}

// entry is a label and a value.
type entry struct{ label, value string }

// item is an element of a list, which can be ticked.
type item struct {
	text   string
	ticked bool
}

func newPaper(r *rand.Rand, heldOut bool) *paper {
	p := &paper{risk: newRisk(r), Rand: r, heldOut: heldOut, letters: r.IntN(3), dateStyle: r.IntN(6), moneyStyle: r.IntN(5), used: map[string]bool{}}
	p.truth.Facts, p.truth.Options = map[string]grade.Texts{}, map[string]grade.Texts{}
	p.truth.Not, p.truth.Also = map[string]grade.Texts{}, map[string]grade.Texts{}
	return p
}

// chance returns true in the given percentage of cases.
func (p *paper) chance(percent int) bool { return p.IntN(100) < percent }

// fact records a value of the company, and option one of the policy, with the text that
// shows it. If that is empty, the value follows from others.
func (p *paper) fact(field, value, shown string) {
	p.state(p.truth.Facts, field, value, shown)
}

func (p *paper) option(field, value, shown string) {
	p.state(p.truth.Options, field, value, shown)
}

func (p *paper) state(section map[string]grade.Texts, field, value, shown string) {
	if !slices.Contains(section[field], value) {
		section[field] = append(section[field], value)
	}
	p.shown = append(p.shown, shown)
}

// not records a value that is known to be wrong for the field.
func (p *paper) not(field, value string) {
	if slices.Contains(p.truth.Not[field], value) {
		return
	}
	p.truth.Not[field] = append(p.truth.Not[field], value)
}

// placeholders are the names in phrases and the fields whose values replace them.
var placeholders = [][2]string{
	{"{insured}", "company_name"},
	{"{address}", "address"},
	{"{product}", "product"},
	{"{covers}", "coverage"},
	{"{inception}", "policy_inception_date"},
	{"{end}", "end_date"},
	{"{revenue}", "annual_revenue"},
	{"{premium}", "estimated_premium"},
	{"{founded}", "year_founded"},
	{"{website}", "website"},
}

// phrase returns a text of the kind in the language of the risk. Its names in braces are
// replaced, and the values that it shows are recorded.
func (p *paper) phrase(kind string) string {
	text := one(p.Rand, p.phrasesOf(kind))
	for _, name := range placeholders {
		if strings.Contains(text, name[0]) {
			p.value(name[1])
		}
	}
	if strings.Contains(text, "{prior") {
		p.notPrior()
	}
	return p.fill(text)
}

func (p *paper) phrasesOf(kind string) []string { return phrases[[2]string{p.language, kind}] }

func (p *paper) fill(text string) string {
	replace := strings.NewReplacer("{underwriter first}", p.insurer.first, "{underwriter last}", p.insurer.last, "{underwriter}", p.insurer.person(),
		"{insured}", p.insured.name, "{address}", p.oneLine(p.insured), "{product}", p.product, "{insurer}", p.insurer.name, "{signer}", p.insured.person(),
		"{inception}", p.date(p.inception), "{end}", p.date(p.end), "{prior start}", p.date(p.inception.AddDate(-1, 0, 0)), "{revenue}", p.money(p.revenue),
		"{premium}", p.money(p.premium), "{prior premium}", p.money(p.priorPremium), "{founded}", fmt.Sprint(p.founded), "{website}", p.insured.site,
		"{covers}", joined(p.covers, map[string]string{"en": "and", "de": "und", "fr": "et", "es": "y", "nl": "en"}[p.language]))
	return replace.Replace(text)
}

func joined(list []string, and string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + and + " " + list[last]
}

// label returns a label for the field, written as in the rest of the document.
func (p *paper) label(field string) string {
	tables := []table{known}
	if p.heldOut && p.chance(50) {
		tables = []table{heldOut, known}
	}
	for _, t := range tables {
		labels := t[[2]string{field, p.language}]
		for range 5 {
			if len(labels) == 0 {
				break
			}
			label := one(p.Rand, labels)
			if !p.used[label] {
				p.used[label] = true
				if label = p.write(label); p.chance(2) {
					label = p.mistyped(label)
				}
				return label
			}
		}
	}
	labels := known[[2]string{field, p.language}]
	if len(labels) == 0 {
		labels = known[[2]string{field, "en"}]
	}
	return p.write(labels[0])
}

// write writes a label in the letter case of the document.
func (p *paper) write(label string) string {
	first := func(s string) string {
		r := []rune(s)
		return string(unicode.ToUpper(r[0])) + string(r[1:])
	}
	switch {
	case p.letters == 2 && !strings.Contains(label, "ß"):
		label = strings.ToUpper(label)
	case p.letters == 1 && p.language != "de":
		label = first(label)
	default:
		words := strings.Fields(label)
		for i, w := range words {
			if i == 0 || len(w) > 3 || p.language == "en" && !slices.Contains([]string{"of", "to", "the", "in", "is", "for", "on", "at", "and", "or", "be"}, w) {
				words[i] = first(w)
			}
		}
		label = strings.Join(words, " ")
	}
	for _, question := range []string{"what ", "when ", "where ", "how ", "who ", "in which ", "in what ", "wo ", "was ", "hoeveel ", "wat "} {
		if strings.HasPrefix(strings.ToLower(label), question) {
			return label + "?"
		}
	}
	return label
}

// entry returns a label and the value of the field, and records the value.
func (p *paper) entry(field string) entry { return entry{p.label(field), p.value(field)} }

// value returns the value of the field as the document shows it, and records it.
func (p *paper) value(field string) (value string) {
	switch field {
	case "company_name":
		value = p.insured.name
		p.fact(field, value, value)
	case "address":
		value = p.oneLine(p.insured)
		p.stateAddress()
	case "website":
		value = p.insured.site
		p.fact(field, value, value)
	case "year_founded":
		value = fmt.Sprint(p.founded)
		p.fact(field, value, value)
	case "annual_revenue":
		value = p.money(p.revenue)
		p.fact(field, cents(p.revenue), value)
	case "total_full_time_employees":
		value = fmt.Sprint(p.staff)
		p.fact(field, value, value)
	case "fein":
		value = p.fein
		p.fact(field, value, value)
	case "company_description":
		value = p.work
		p.fact(field, value, value)
	case "coverage":
		value = strings.Join(p.covers, ", ")
		p.stateCovers()
	case "product":
		value = p.product
		p.option(field, value, value)
	case "policy_inception_date", "end_date":
		value = p.date(p.inception)
		if field == "end_date" {
			value = p.date(p.end)
		}
		p.option(field, p.dayOf(field), value)
	case "estimated_premium":
		value = p.money(p.premium)
		p.option(field, cents(p.premium), value)
	case "broker_name", "broker_email", "broker_contact_phone", "broker_contact_points":
		value = map[string]string{"broker_name": p.broker.name, "broker_email": p.broker.email(), "broker_contact_phone": p.broker.phone, "broker_contact_points": p.broker.person()}[field]
		p.option(field, value, value)
	case "underwriter":
		value = p.insurer.person()
		p.option(field, value, value)
	case "risk_country":
		value = countries[p.market]["name"]
		p.option(field, countries[p.market]["code"], value)
	case "business_interruption_period":
		unit := map[string]string{"en": "months", "de": "Monate", "fr": "mois", "es": "meses", "nl": "maanden"}[p.language]
		value = fmt.Sprint(p.months, " ", unit)
		p.option(field, fmt.Sprint(p.months, " months"), value)
	default:
		panic("no value for " + field)
	}
	return value
}

// dayOf returns the inception or the end of the policy as YYYY-MM-DD.
func (p *paper) dayOf(field string) string {
	if field == "end_date" {
		return p.end.Format("2006-01-02")
	}
	return p.inception.Format("2006-01-02")
}

func (p *paper) stateCovers() {
	for _, cover := range p.covers {
		p.option("coverage", cover, cover)
	}
}

// stateAddress records the parts of the insured's address, and the country that follows
// from it.
func (p *paper) stateAddress() {
	p.fact("address", p.insured.street, p.insured.street)
	p.fact("city", p.insured.city, p.insured.city)
	p.fact("postal_code", p.insured.zip, p.insured.zip)
	if p.insured.state != "" {
		p.fact("state", p.insured.state, p.insured.state)
	}
	if len(p.truth.Options["risk_country"]) == 0 {
		p.option("risk_country", countries[p.market]["code"], "")
	}
}

// addressEntries returns the insured's address in one entry or in one for each part.
func (p *paper) addressEntries() []entry {
	if p.chance(60) {
		return []entry{p.entry("address")}
	}
	p.stateAddress()
	list := []entry{{p.label("~street"), p.insured.street}, {p.label("~city"), p.insured.city}}
	if p.insured.state != "" {
		list = append(list, entry{p.label("~state"), p.insured.state})
	}
	return append(list, entry{p.label("~postal_code"), p.insured.zip})
}

// oneLine returns an address in one line.
func (p *paper) oneLine(of party) string {
	return place(p.market, of.street, of.city, of.state, of.zip, ", ")
}

func place(market, street, city, state, zip, separator string) string {
	switch market {
	case "us":
		return street + separator + city + ", " + state + " " + zip
	case "uk":
		return street + separator + city + separator + zip
	}
	return street + separator + zip + " " + city
}

// insuredEntries, policyEntries and brokerEntries return most of the fields of each group in
// a usual order.
func (p *paper) insuredEntries() []entry {
	list := append([]entry{p.entry("company_name")}, p.addressEntries()...)
	fields := []string{"website", "year_founded", "annual_revenue", "total_full_time_employees", "company_description"}
	if p.market == "us" {
		fields = append(fields, "fein")
	}
	return append(list, p.most(fields)...)
}

func (p *paper) policyEntries() []entry {
	dates := []entry{p.entry("policy_inception_date"), p.entry("end_date")}
	return append(dates, p.most([]string{"product", "risk_country", "estimated_premium", "business_interruption_period"})...)
}

func (p *paper) brokerEntries() []entry {
	p.not("company_name", p.broker.name)
	return append([]entry{p.entry("broker_name")}, p.most([]string{"broker_contact_points", "broker_contact_phone", "broker_email"})...)
}

// most returns entries for about three of four fields, in any order.
func (p *paper) most(fields []string) (list []entry) {
	for _, at := range p.Perm(len(fields)) {
		field := fields[at]
		if p.chance(75) && (field != "risk_country" || len(p.truth.Options[field]) == 0) {
			list = append(list, p.entry(field))
		}
	}
	return list
}

// priorEntries returns entries about the previous policy, whose values are wrong for the
// submission.
func (p *paper) priorEntries() []entry {
	p.notPrior()
	labels := p.phrasesOf("prior labels")
	return []entry{{labels[0], p.insurer.name}, {labels[1], p.date(p.inception.AddDate(-1, 0, 0))}, {labels[2], p.money(p.priorPremium)}}
}

func (p *paper) notPrior() {
	p.not("company_name", p.insurer.name)
	p.not("broker_name", p.insurer.name)
	p.not("policy_inception_date", p.inception.AddDate(-1, 0, 0).Format("2006-01-02"))
	p.not("estimated_premium", cents(p.priorPremium))
}

// checklist returns the requested covers, or all covers with the requested ones ticked.
func (p *paper) checklist() []item {
	p.stateCovers()
	var list []item
	for _, cover := range p.covers {
		list = append(list, item{cover, true})
	}
	if p.chance(60) {
		for _, cover := range p.declined {
			list = append(list, item{cover, false})
			p.not("coverage", cover)
		}
		p.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
}

// add adds blocks to the page.
func (p *paper) add(blocks ...block) { p.blocks = append(p.blocks, blocks...) }

func (p *paper) text(text string) { p.add(block{text: text}) }

// cents returns an amount as the service writes it, without thousands separators.
func cents(units int64) string { return fmt.Sprintf("%d.00", units) }
