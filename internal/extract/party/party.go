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
	{Other, vocabulary.Pattern(`(?i)\b{{headings.other}}\b`)},
	{Broker, vocabulary.Pattern(`(?i)\b{{headings.broker}}\b`)},
	{Insurer, vocabulary.Pattern(`(?i)\b{{headings.insurer}}\b`)},
	{Site, vocabulary.Pattern(`(?i)\b{{headings.site}}\b`)},
	{Insured, vocabulary.Pattern(`(?i)\b{{headings.insured}}\b`)},
	{Nobody, vocabulary.Pattern(`(?i)\b{{headings.nobody}}\b`)},
}

// IsPrior reports whether a heading names another policy of the insured: an earlier one, or
// the one that expires.
func IsPrior(text string) bool {
	return len(text) <= maxPrior && slices.ContainsFunc(vocabulary.Parties().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "prior" })
}

// PartyPrefix removes a party's name from the start of a label.
func PartyPrefix(text string) (Party, string, bool) {
	first, rest, ok := strings.Cut(words.Key(text), " ")
	p, known := parties[vocabulary.Classes("headings.before label")[first]]
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

// parties are the parties by the classes of headings.tsv.
var parties = map[string]Party{"insured": Insured, "broker": Broker, "insurer": Insurer, "site": Site}

// AboutOthers reports whether a sentence is about a party other than the insured.
func AboutOthers(text string) bool {
	return says(text, "other")
}

// IsImprint reports whether a text has words of the imprint of a firm, such as where it is registered.
func IsImprint(text string) bool {
	return slices.ContainsFunc(vocabulary.Parties().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "other" && m.Class == "imprint" })
}

// SaysWhereToWrite reports whether a sentence says where a form, a complaint or a question is sent,
// so that the address after it is not the insured's.
func SaysWhereToWrite(text string) bool { return says(text, "write to") }

// IsCoInsured reports whether a label is for further insureds, not for the first named one.
func IsCoInsured(label string) bool { return says(label, "co-insured") }

// says reports whether a text has words with a meaning.
func says(text, meaning string) bool {
	return slices.ContainsFunc(vocabulary.Parties().Find(text), func(m vocabulary.Match) bool { return m.Meaning == meaning })
}
