package schedule

import (
	"strings"

	"understudy.example/internal/extract/list"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// partiesBelow reads the lines below a heading such as "Additional insureds": on each a party
// with its address, or a party on one line and its address on the next.
func (s *scanner) partiesBelow(i int) {
	heading := strings.Trim(s.blocks[i].Text, "#*-•: \t")
	if !vocabulary.Schedule("additional_interest").Equals("label", vocabulary.NewPhrase(heading)) {
		return
	}
	name, last := "", -1
	for n := i + 1; n < len(s.blocks) && n <= i+maxParties; n++ {
		b := s.blocks[n]
		text := strings.TrimSpace(strings.TrimLeft(list.Markup.ReplaceAllString(b.Text, ""), " •"))
		if b.Table != nil || b.Label != "" || b.Part != s.blocks[i].Part || strings.HasSuffix(text, ":") || text == "" && last >= 0 || len(text) > list.MaxCell {
			return
		}
		party, address := list.NameAddress(itemNumber.ReplaceAllString(text, ""))
		switch {
		case text == "" || vocabulary.IsNone(party):
			continue
		case address == "" && name != "" && startsAddress(party):
			party, address = name, party
		case address == "":
			name, last = party, n
			continue
		case startsAddress(party) && name != "":
			party, address = name, party+", "+address
		}
		name, last = "", n
		if !strings.ContainsAny(address, "0123456789") || startsAddress(party) {
			return
		}
		s.groups++
		s.add(Entry{"additional_interest", map[string]string{"interest": singular(heading), "party_name": party, "party_address": address}, FromBlock, Doubts{}, b.Place, s.groups})
		s.used[n] = true
	}
}

const maxParties = 40 // lines below a heading

// itemNumber matches the number of an entry of a list.
var itemNumber = lazyregexp.New(`^\(?\d{1,2}[.)]\s+`)

// startsAddress reports whether a text begins like an address and not like a name.
func startsAddress(text string) bool {
	lower := strings.ToLower(text)
	return text != "" && text[0] >= '0' && text[0] <= '9' || strings.HasPrefix(lower, "p.o. box") || strings.HasPrefix(lower, "po box")
}

// singular removes the ending of the plural of a heading.
func singular(heading string) string {
	if short, ok := strings.CutSuffix(heading, "s"); ok && !strings.HasSuffix(short, "s") {
		return short
	}
	return heading
}
