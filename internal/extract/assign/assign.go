package assign

import (
	"strings"
	"unicode"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/extract/years"
	"understudy.example/internal/lazyregexp"
)

// FieldsByParty holds, for each label that begins with "~", the field that it names for the
// insured, the broker and the insurer.
var FieldsByParty = map[string][3]string{
	"~address":     {"address", "broker_address", ""},
	"~city":        {"city", "broker_city", ""},
	"~state":       {"state", "broker_state", ""},
	"~postal_code": {"postal_code", "broker_postal_code", ""},
	"~country":     {"country", "", ""},
	"~name":        {"company_name", "broker_name", "insurer"},
	"~legal_name":  {"company_name", "broker_name", "insurer"},
	"~website":     {"website", "", ""},
	"~phone":       {"phone_number", "broker_contact_phone", ""},
	"~email":       {"email_id", "broker_email", ""},
	"~contact":     {"contact_name", "broker_contact_points", "underwriter"},
}

// addressParts are the labels of the parts of an address, with their positions in an address.
var addressParts = map[string]int{"~street": 0, "~address": 0, "~street2": 1, "~city": 2, "~state": 3, "~postal_code": 4, "~country": 5, "~city_line": 2}

// Assign proposes the value of a known label. The field depends on the label and on the party that
// the details around it belong to.
func (r *Assigner) Assign(m recognise.Match, value string, fit float64, at source.Place) {
	value = strings.TrimSpace(chosen(value))
	if value == "" {
		return
	}
	r.begun = true
	if sums[m.Field] {
		value = r.withUnit(m, value, at.Part)
	} else if recognise.NamesFirm(m.Field) || addressFields[m.Field] {
		r.unit = 0 // the section with the amounts has ended
	}
	m = r.besideHeld(m, at)
	if r.ofInsurer(m.Field) && m.Whose == party.Nobody {
		return
	}
	if r.prior = r.prior && ofPolicy[m.Field]; r.prior {
		r.assignPrior(m, value, fit, at)
		return
	}
	if recognise.NamesFirm(m.Field) && !strings.ContainsFunc(value, unicode.IsLetter) {
		return // not a name: "Client no.: 60114"
	}
	fit *= 1 - m.Doubt
	if m.Field == "~email" && !strings.Contains(value, "@") && parse.WrittenAddress(address.Parse(value)) {
		m.Field = "~address" // "Mail: 12 Mill Street, Dayton, OH 45402"
	}
	if addressFields[m.Field] && (party.IsImprint(value) || party.AboutOthers(parse.WithoutClause(value))) {
		return // not an address: "Amtsgericht Köln HRB 1234"
	}
	if m.Whose != party.Nobody && m.Whose != r.Whose {
		r.SetParty(m.Whose, false)
	}
	if m.Field == "legal_entity_type" && parse.LegalAtStart.MatchString(value) && !parse.IsCompanyType(value) {
		m.Field, m.From = "company_name", source.Synonym // "Legal entity: Quill Pens Ltd"
	}
	if m.Field == "company_name" && r.Headed && r.Whose == party.Broker && parse.NamesBroker(value) {
		m.Field = "broker_name" // "Firm", below the heading "Broker"
	}
	switch m.Field {
	case "company_name":
		if m.Any && r.Headed && r.Whose == party.Other {
			return
		}
		if !r.Headed || r.Whose != party.Other || m.From == source.Label {
			r.SetParty(party.Insured, r.Headed && r.Whose == party.Insured)
		}
	case "broker_name":
		r.SetParty(party.Broker, r.Headed && r.Whose == party.Broker)
	case "insurer":
		if !at.Boxed {
			r.SetParty(party.Insurer, false)
		}
	case "broker_contact_points":
		r.SetParty(party.Broker, r.Headed && r.Whose == party.Broker)
	}
	whose := r.currentParty()
	if strings.HasPrefix(m.Field, "~") {
		r.AssignNeutral(m, whose, value, fit, at)
		return
	}
	if whose == party.Other && r.Headed && m.Field != "company_name" && m.Field != "broker_name" && m.From != source.Label {
		return
	}
	if m.Field == "address" && whose == party.Insurer && at.Line < topLines && at.Part == 0 {
		return // of the insurer whose name stands above it
	}
	if m.Field == "address" && whose == party.Broker && r.Headed {
		m.Field = "broker_address"
	}
	switch m.Field {
	case "company_name":
		if m.From == source.Synonym && (parse.InsurerName.MatchString(value) || parse.NamesBroker(value)) {
			return // "Client" and "prepared for" may name the reader.
		}
		r.ProposeName("company_name", value, m.From, fit, at)
	case "broker_name":
		r.ProposeBroker(value, m.From, fit, at)
	case "broker_contact_points":
		if parse.HasBrokersWord(value) && !desk.MatchString(value) {
			r.ProposeBroker(value, m.From, fit*fitFirmOfContact, at)
			return
		}
		r.Propose(m.Field, value, m.From, fit, at)
		r.Propose("broker_email", parse.EmailForm.FindString(value), source.Synonym, fit, at)
		r.Propose("broker_contact_phone", value, source.Synonym, fit*0.9, at)
	case "product", "coverage", "form_submission_type", "subsidiary_companies", "registered_in_countries", "assets_in_countries", "product_sold_in_countries", "dba_aka":
		r.assignEntries(m, value, fit, at)
	case "policy_inception_date", "end_date":
		r.proposeDate(m, value, fit, at)
	case "address", "broker_address":
		if whole := address.Arrange(value); !strings.Contains(value, "\n") && !parse.WrittenAddress(address.Parse(value)) && parse.WrittenAddress(address.Parse(whole)) {
			value = whole // "Calle Mayor 5 - 28013 Madrid"
		}
		a := address.Parse(value)
		switch {
		case a.Street == "" && a.City != "" && r.address[0] != "":
			r.setTown(value, a, at)
			return
		case a.PostalCode == "" && whose != party.Other && whose != party.Site:
			r.address[0], r.addressN = words.OneLine(value), at // the city and the postal code follow
		}
		at.Assumed = at.Assumed || m.Field == "address" && whose != party.Insured
		r.Propose(m.Field, value, m.From, fit, at)
		if whose == party.Site && r.Headed {
			r.SetParty(party.Nobody, false)
		}
	case "city", "state", "postal_code":
		r.Propose(m.Field, value, m.From, fit, at)
		if r.address[0] != "" {
			r.setPart(addressParts["~"+m.Field], value, at)
		}
	case "year_in_business":
		if year := foundingYear.FindStringSubmatch(value); year != nil {
			r.Propose("year_founded", year[1], source.Synonym, fit, at) // "Years in business: since 1983"
			return
		}
		r.Propose(m.Field, value, m.From, fit, at)
	case "annual_revenue":
		if strings.Contains(words.Bracketed.ReplaceAllString(value, ""), "%") {
			return
		}
		r.Propose(m.Field, years.Latest(value), m.From, fit, at)
	case "estimated_premium":
		wanted, held := wantedPremium(value)
		r.Propose(m.Field, wanted, m.From, fit, at)
		r.Propose("expiring_premium", held, m.From, fit, at)
	default:
		r.Propose(m.Field, value, m.From, fit, at)
	}
}

// foundingYear matches a text that states a single year.
var foundingYear = lazyregexp.New(`^[^\d]*((?:18|19|20)\d\d)\W*$`)

// sumBehind matches what follows the name of a cover: an amount with its currency, or the start of another sentence.
var sumBehind = vocabulary.Pattern(`\s+(?:(?:{{money.sign}}|{{money.code}}|(?i:{{money.behind}}))\s*\d|\d[\d.,'’ \x{a0}\x{202f}]*\s*(?:{{money.scale}}\.?\s*)?(?:{{money.sign}}|{{money.code}}))|\.\s+\p{Lu}`)

const topLines = 8 // of a document, which can hold the insurer's letterhead

// addressFields are the fields that hold a whole address.
var addressFields = words.Set("address", "~address", "broker_address")

// ofPolicy are the fields of a policy that a heading for another policy excludes.
var ofPolicy = words.Set("policy_inception_date", "end_date", "~period", "estimated_premium", "~expiring_premium", "insurer", "100_pct_limit", "product", "coverage", "document_date")

// assignPrior proposes the value of a label below a heading for another policy.
func (r *Assigner) assignPrior(m recognise.Match, value string, fit float64, at source.Place) {
	switch m.Field {
	case "insurer":
		r.Propose("insurer", value, m.From, fit, at)
	case "estimated_premium", "~expiring_premium":
		r.Propose("expiring_premium", value, m.From, fit, at)
	}
}

func (r *Assigner) AssignNeutral(m recognise.Match, whose party.Party, value string, fit float64, at source.Place) {
	switch m.Field {
	case "~period":
		r.ProposePeriod(value, m.From, fit, at)
		return
	case "~city_line":
		if m := stateAndCode.FindStringSubmatch(value); m != nil && whose != party.Nobody {
			r.setPart(3, m[1], at)
			r.setPart(4, m[2], at)
			return
		}
		if a := address.Parse(value); r.address[0] != "" && a.City != "" && whose != party.Site && whose != party.Other && whose != party.Insurer {
			r.setTown(value, a, at)
		} else if a.City != "" && whose != party.Site && whose != party.Other && whose != party.Broker && whose != party.Insurer {
			r.Propose("city", a.City, m.From, fit*0.8, at)
			r.Propose("state", a.State, m.From, fit*0.8, at)
			r.Propose("postal_code", a.PostalCode, m.From, fit*0.8, at)
		}
	case "~expiring_premium":
		r.Propose("expiring_premium", value, m.From, fit, at)
		return
	case "~prior_revenue":
		r.Propose("annual_revenue", years.Latest(value), m.From, fit*fitPriorYear, at)
		return
	}
	if whose == party.Site && seldomOfSites[m.Field] {
		whose, at.Assumed = party.Insured, true
	}
	if whose == party.Site || whose == party.Other || whose == party.Insurer && m.Field != "~contact" && m.Field != "~name" {
		return
	}
	if n, ok := addressParts[m.Field]; ok {
		if a := address.Parse(value); m.Field == "~address" && a.Street == "" && a.City != "" && r.address[0] != "" {
			r.setTown(value, a, at)
			return
		}
		r.setPart(n, value, at)
	}
	if whose == party.Nobody {
		// Without a heading, the details are assumed to be the insured's.
		whose, at.Assumed = party.Insured, true
		if m.Field == "~name" && !parse.LegalAtStart.MatchString(value) {
			return
		}
	}
	name := FieldsByParty[m.Field][whose-party.Insured]
	switch {
	case name == "":
	case name == "company_name":
		r.ProposeName(name, value, source.Synonym, fit, at)
	case name == "broker_name":
		r.ProposeBroker(value, source.Synonym, fit, at)
	case m.Field == "~contact" && whose != party.Insurer && parse.HasBrokersWord(value) && !desk.MatchString(value):
		r.ProposeBroker(value, source.Synonym, fit*fitFirmOfContact, at)
	case m.Field == "~contact" && desk.MatchString(value):
		// "Attn: Property Underwriting" is not a person.
	case m.Field == "~contact":
		r.Propose(name, value, m.From, fit, at)
		r.Propose(FieldsByParty["~email"][whose-party.Insured], parse.EmailForm.FindString(value), source.Synonym, fit, at)
		r.Propose(FieldsByParty["~phone"][whose-party.Insured], value, source.Synonym, fit*0.9, at)
		if found, _ := parse.AddressesIn(value); len(found) == 1 { // "Jo Farr, Clerk, 5 Mill Street, Reno, NV 89501, 555-0114"
			r.Propose(FieldsByParty["~address"][whose-party.Insured], behindPerson(found[0]), source.Synonym, fit*0.9, at)
		}
	default:
		r.Propose(name, value, m.From, fit, at)
	}
}

// behindPerson returns an address without the person and the person's title before it.
func behindPerson(written string) string {
	for {
		first, rest, ok := strings.Cut(written, ",")
		if first = strings.TrimSpace(first); !ok || !parse.IsPerson(first) && !parse.JobTitle.MatchString(first) {
			return written
		}
		written = strings.TrimSpace(rest)
	}
}

// fitPriorYear is the fit of the revenue of the previous year, which counts if no other is stated.
const fitPriorYear = 0.6

// fitFirmOfContact is the fit of a broker under a label for a person.
const fitFirmOfContact = 0.95

// stateAndCode matches a state with its postal code, without a city.
var stateAndCode = lazyregexp.New(`^([A-Z]{2})(?:\s*[,/|-])?\s+(\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4})$`)

// setTown sets the town, state and postal code of an address that is stated in parts. A postal code before the town
// remains part of the town.
func (r *Assigner) setTown(line string, a address.Address, at source.Place) {
	if code := a.PostalCode; code != "" && code+" "+a.City == line {
		r.setPart(2, line, at)
		r.setPart(3, a.State, at)
		return
	}
	r.setPart(2, a.City, at)
	r.setPart(3, a.State, at)
	r.setPart(4, a.PostalCode, at)
}

// setPart keeps a part of an address until the address is complete.
func (r *Assigner) setPart(n int, value string, at source.Place) {
	if r.address[n] == "" {
		r.address[n] = words.OneLine(value)
		r.addressN = at
	}
}

// seldomOfSites are the details that a location seldom has of its own. Below the heading of a
// location, they are assumed to be the insured's.
var seldomOfSites = words.Set("~website", "~email")

// proposeDate proposes the value of a date; a period under the label of a date states
// both ends.
func (r *Assigner) proposeDate(m recognise.Match, value string, fit float64, at source.Place) {
	if all := parse.Dates(value, r.Order); len(all) == 2 && all[0].Text < all[1].Text {
		r.ProposePeriod(value, m.From, fit, at)
		return
	}
	r.Propose(m.Field, value, m.From, fit, at)
	if clocks := parse.Clocks(value, r.Order); len(clocks) > 0 {
		name := "policy_inception_effective_time"
		if m.Field == "end_date" {
			name = "policy_end_time"
		}
		r.Propose(name, clocks[0], source.Synonym, fit, at)
	}
}

// ProposePeriod proposes the two dates of "from … to …".
func (r *Assigner) ProposePeriod(value string, from source.Kind, fit float64, at source.Place) {
	all := parse.Dates(value, r.Order)
	if len(all) == 0 {
		return
	}
	r.Propose("policy_inception_date", all[0].Text, from, fit*all[0].Fit, at)
	if len(all) > 1 && all[1].Text > all[0].Text {
		r.Propose("end_date", all[1].Text, from, fit*all[1].Fit, at)
	}
	if clocks := parse.Clocks(value, r.Order); len(clocks) > 0 {
		r.Propose("policy_inception_effective_time", clocks[0], source.Synonym, fit, at)
		r.Propose("policy_end_time", clocks[len(clocks)-1], source.Synonym, fit, at)
	}
}

// FlushAddress joins an address that was stated in parts into one line.
func (r *Assigner) FlushAddress() {
	parts := r.address
	r.address = [6]string{}
	if parts[0] == "" || parts[2] == "" && parts[4] == "" {
		return
	}
	kept := []string{}
	for i, p := range parts {
		if p == "" || i > 0 && strings.Contains(words.BareKey(parts[0]), words.BareKey(p)) {
			continue
		}
		if i == 4 && len(kept) > 0 && parts[3] != "" {
			kept[len(kept)-1] += " " + p
			continue
		}
		kept = append(kept, p)
	}
	at := r.addressN
	switch r.currentParty() {
	case party.Broker:
		if r.placed && !r.Headed {
			at.Assumed = true // the broker already has an address, so this one may be the insured's
			r.Propose("address", strings.Join(kept, ", "), source.Label, 1, at)
			return
		}
		r.placed = true
		r.Propose("broker_address", strings.Join(kept, ", "), source.Label, 1, at)
	case party.Insured:
		r.Propose("address", strings.Join(kept, ", "), source.Label, 1, at)
	case party.Nobody:
		at.Assumed = true
		r.Propose("address", strings.Join(kept, ", "), source.Label, 1, at)
	}
}
