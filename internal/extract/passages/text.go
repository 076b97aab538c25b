package passages

import (
	"slices"
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Places returns the insured places that passages state. The text between an address and the next
// one describes the place with that address.
func Places(passages []Passage) []location.Row {
	var rows []location.Row
	seen := map[string]bool{}
	var alone []int // passages that state one place; the passages below can say more about it
	for i, p := range passages {
		if !parse.HasDigit(p.text) {
			continue
		}
		found := p.places()
		for _, row := range found {
			if seen[row.AddressKey()] {
				continue
			}
			seen[row.AddressKey()] = true
			if rows = append(rows, row); len(found) == 1 && p.sites {
				alone = append(alone, i)
			}
		}
	}
	if len(alone) == len(rows) {
		complete(rows, passages, alone)
	}
	return rows
}

// places returns the insured places that a passage states.
func (p Passage) places() []location.Row {
	var group []location.Row
	if p.sites {
		if list := Addresses(p.text); len(list) > 1 {
			for _, address := range list {
				group = append(group, AddressRow(address, p.at))
			}
			return group
		}
	}
	found, before := parse.AddressesIn(p.text)
	if len(found) == 0 && p.sites && p.item {
		if row, ok := p.withoutCode(); ok {
			return []location.Row{row}
		}
	}
	stated := false
	for i, street := range found {
		from := len(before[i]) + strings.Index(p.text[len(before[i]):], street) + len(street)
		end := len(p.text)
		if i+1 < len(found) {
			end = max(from, len(before[i+1]))
		}
		if !p.sites && otherParty(before[i]) || parse.IsPostBox(street) {
			continue
		}
		row := location.Row{Cells: map[string]location.Cell{}, At: p.at}
		DescribeSite(row, p.text[from:end], p.at)
		stated = stated || row.Values() || len(row.Cells) >= 2
		row.Add("location_address", street, source.Prose, p.at)
		if len(found) == 1 {
			row.Add("location_id", p.id, source.Prose, p.at)
		}
		group = append(group, row)
	}
	if p.sites || len(group) > 1 && mentionsSites(p.text) {
		return group
	}
	return slices.DeleteFunc(group, func(r location.Row) bool { return !stated || len(r.Cells) == 1 })
}

// siteEnd matches the separator between the address of a place and the text about the place.
var siteEnd = lazyregexp.New(`\s{2,}|\t|\s[-–—]\s|[:;(]`)

// withoutCode returns the place of an entry in a list of insured places, whose address has no postal
// code: "12 Dock Lane, Hull - Buildings £900,000". The town must be known, or values must follow.
func (p Passage) withoutCode() (location.Row, bool) {
	head, rest := p.text, ""
	if at := siteEnd.FindStringIndex(p.text); at != nil {
		head, rest = p.text[:at[0]], p.text[at[1]:]
	}
	parts := strings.Split(strings.Trim(head, " .,"), ",")
	if len(parts) < 2 || len(parts) > maxParts || len(head) > parse.MaxAddress {
		return location.Row{}, false
	}
	last, region := len(parts)-1, ""
	_, _, country := address.Country(strings.TrimSpace(parts[last]))
	state, _, ofState := address.State(strings.TrimSpace(parts[last]))
	if (country || ofState) && last > 1 {
		region = strings.TrimSpace(parts[last])
		last--
	}
	street, city := strings.TrimSpace(strings.Join(parts[:last], ",")), strings.TrimSpace(parts[last])
	amount, _, valued := parse.Money(rest)
	valued = valued && amount >= minValue
	if !parse.HasDigit(street) || !address.IsStreet(street) && !valued || parse.HasDigit(city) || !words.Capital(city) || words.Count(city) > maxCityWords {
		return location.Row{}, false
	}
	row := location.Row{Cells: map[string]location.Cell{}, At: p.at}
	DescribeSite(row, rest, p.at)
	if !valued && !address.IsCity(city, "") {
		return location.Row{}, false
	}
	row.Add("location_address", street, source.Prose, p.at)
	row.Add("location_city", city, source.Prose, p.at)
	row.Add("location_id", p.id, source.Prose, p.at)
	if ofState && region != "" {
		row.Add("location_state", state, source.Prose, p.at)
	} else {
		row.Add("location_country", region, source.Prose, p.at)
	}
	return row, true
}

const (
	maxParts     = 5 // of an address without a postal code
	maxCityWords = 4
	minValue     = 1_000_00
)

// complete adds to each place what the passages below say about it, if each place has passages
// below it.
func complete(rows []location.Row, passages []Passage, at []int) {
	below := func(n int) []Passage {
		end := len(passages)
		if n+1 < len(at) {
			end = at[n+1]
		}
		return passages[at[n]+1 : min(end, at[n]+1+maxBelow)]
	}
	for n := range at {
		if len(below(n)) == 0 || len(at) == 1 {
			return
		}
	}
	for n := range at {
		for _, p := range below(n) {
			said := location.Row{Cells: map[string]location.Cell{}}
			DescribeSite(said, p.text, p.at)
			if holdsAddress(p.text) || len(said.Cells) == 0 && n == len(at)-1 {
				break
			}
			about := n
			if p.number != "" {
				if at := slices.IndexFunc(rows, func(r location.Row) bool { return r.Cells["location_id"].Text == p.number }); at >= 0 {
					about = at // a list of statements, one for each place
				}
			}
			rows[about].Complete(said)
		}
	}
}

const maxBelow = 12 // passages below the address of a place

// mentionsSites reports whether a sentence is about places of business.
func mentionsSites(text string) bool {
	return slices.ContainsFunc(vocabulary.Sites().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "sites" || m.Meaning == "place" })
}

// otherParty reports whether the words before an address say that it is not the insured's.
func otherParty(before string) bool {
	if at := strings.LastIndex(before, ". "); at >= 0 {
		before = before[at+2:]
	}
	if parse.EmailForm.MatchString(before) || parse.NamesBroker(before) || parse.InsurerName.MatchString(before) {
		return true
	}
	return slices.ContainsFunc(vocabulary.Parties().Find(before), func(m vocabulary.Match) bool { return m.Meaning == "other" }) ||
		slices.ContainsFunc(vocabulary.Sites().Find(before), func(m vocabulary.Match) bool { return m.Meaning == "elsewhere" })
}

// DescribeSite adds the values and the details of the building that a text states to a location.
func DescribeSite(row location.Row, text string, at source.Place) {
	for _, s := range propertySums(text) {
		if _, taken := row.Cells[s.field]; !taken {
			row.Cells[s.field] = location.Cell{From: source.Prose, At: at, Value: s.amount}
		}
	}
	location.DescribeBuilding(row, text, at)
}
