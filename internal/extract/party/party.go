// Package party finds out whose details a heading or label announces.
package party

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Party is the party whose details are being read.
type Party int

// The parties.
const (
	Nobody Party = iota
	Insured
	Broker
	Insurer
	Site  // a location's own block
	Other // claims, losses, third parties: not about the policy
)

// Headings are the words by which headings name parties, in the order in which they are searched.
var Headings = []struct {
	Party Party
	Form  *lazyregexp.Regexp
}{
	{Other, lazyregexp.New(`(?i)\b(claims?|loss(es)?|incidents?|loss history|loss runs?|prior carrier|additional interests?|additional insureds?|mortgagees?|loss payees?|references|vehicles?|drivers?|subcontractors?|landlord|tenants?|claims experience|bank)\b`)},
	{Broker, lazyregexp.New(`(?i)\b(broker|brokers|brokerage|producer|agency|agent|intermediary|tussenpersoon|makelaar|(?:versicherungs)?makler|vermittler|courtier|intermédiaire|corredor|mediador)\b`)},
	{Insurer, lazyregexp.New(`(?i)\b(insurer|insurers|carrier|underwriter|market)\b`)},
	{Site, lazyregexp.New(`(?i)\b(locations?|premises|sites?|propert(y|ies)|buildings?|statement of values|schedule of values)\b`)},
	{Insured, lazyregexp.New(`(?i)\b(insured|applicant|proposer|client|policyholder|verzekeringnemer|versicherungsnehmer|antragsteller|souscripteur|proposant|preneur|tomador|asegurado|company|business|account|named insured|customer|reinsured|organi[sz]ation)\b`)},
	{Nobody, lazyregexp.New(`(?i)\b(policy|coverage|cover|quote|submission|general|summary|introduction|overview|details|information|contact|section|requirements)\b`)},
}

// IsPrior reports whether a heading names another policy of the insured: an earlier one, or
// the one that expires.
func IsPrior(text string) bool {
	return len(text) <= maxPrior && slices.ContainsFunc(vocabulary.Parties().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "prior" })
}

// PartyPrefix removes a party's name from the start of a label.
func PartyPrefix(text string) (Party, string, bool) {
	first, rest, ok := strings.Cut(words.Key(text), " ")
	p, known := partyWords[first]
	return p, rest, ok && known
}

// RoleParty returns the party that a role names, such as "Producer"; Nobody if it names none.
func RoleParty(text string) Party {
	for _, h := range Headings[:3] {
		if h.Form.MatchString(text) {
			return h.Party
		}
	}
	if Headings[4].Form.MatchString(text) {
		return Insured
	}
	return Nobody
}

const maxPrior = 60

var partyWords = map[string]Party{
	"insured": Insured, "insureds": Insured, "applicant": Insured, "applicants": Insured, "proposer": Insured, "client": Insured, "company": Insured, "policyholder": Insured,
	"broker": Broker, "brokers": Broker, "producer": Broker, "agency": Broker, "agent": Broker, "agents": Broker, "brokerage": Broker,
	"insurer": Insurer, "carrier": Insurer, "underwriter": Insurer, "location": Site, "premises": Site, "site": Site, "risk": Site, "property": Site, "building": Site,
}

// AboutOthers reports whether a sentence is about a party other than the insured.
func AboutOthers(text string) bool {
	return slices.ContainsFunc(vocabulary.Parties().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "other" })
}
