package sov

import (
	"strings"

	"understudy.example/internal/address"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// withHeadAddresses adds a row of addresses to a table whose columns are locations, if the heads of the columns contain the
// addresses: "Situation 1, 9 Mill Lane, Derby DE1 1AA". It returns other tables unchanged.
func withHeadAddresses(t *content.Table, lead int) *content.Table {
	head := 0
	for head < len(t.Rows) && layout.FilledCells(t.Rows[head]) < 2 {
		head++
	}
	if head == len(t.Rows) || len(t.Rows[head]) <= lead+2 {
		return t
	}
	heads := make([]content.Cell, len(t.Rows[head]))
	addresses := make([]content.Cell, len(heads))
	found := 0
	for j, c := range t.Rows[head] {
		heads[j] = c
		if j <= lead || c.Merged || strings.TrimSpace(c.Text) == "" || column.IsTotal(c.Text) {
			continue
		}
		name, street := splitHead(c.Text)
		if street == "" {
			return t
		}
		addresses[j], heads[j].Text = c, name
		addresses[j].Text = street
		found++
	}
	if found < 2 {
		return t
	}
	addresses[lead].Text = "Address"
	heads[lead].Text = "Name"
	changed := *t
	changed.Rows = append(append(append([][]content.Cell{}, t.Rows[:head]...), heads, addresses), t.Rows[head+1:]...)
	return &changed
}

// splitHead splits the head of a column into the name or the number of a location and its address. The address is ""
// if there is none.
func splitHead(text string) (name, street string) {
	text = strings.TrimSpace(text)
	if a := address.Parse(words.OneLine(text)); parse.WrittenAddress(a) && parse.HasDigit(a.Street) && len(location.References(text)) == 0 {
		return "", words.OneLine(text)
	}
	for _, mark := range []string{"\n", ": ", " - ", " – ", ", "} {
		first, rest, ok := strings.Cut(text, mark)
		if !ok || len(first) > maxHead {
			continue
		}
		if a := address.Parse(words.OneLine(rest)); parse.WrittenAddress(a) && a.Street != "" {
			return strings.TrimSpace(first), words.OneLine(rest)
		}
	}
	return "", ""
}

// premisesNumber matches the numbers of premises and building in declarations: "001/002".
var premisesNumber = lazyregexp.New(`^\d{1,4}\s*[/-]\s*\d{1,4}$`)

// withoutRetentions removes the columns of deductibles, and those without a head, from a table whose other columns are
// numbered premises: "Coverage | 001/001 | 002/001 | Deductible". It returns other tables unchanged.
func withoutRetentions(t *content.Table, lead int) *content.Table {
	if len(t.Rows) == 0 || len(t.Rows) > maxDeclared || len(t.Rows[0]) <= lead+2 {
		return t
	}
	kept, numbers := []int{}, 0
	for j, c := range t.Rows[0] {
		switch text := strings.TrimSpace(c.Text); {
		case j <= lead:
			kept = append(kept, j)
		case premisesNumber.MatchString(text):
			kept = append(kept, j)
			numbers++
		case text != "" && !retentionHead.MatchString(text):
			return t
		}
	}
	if numbers < 2 {
		return t
	}
	changed := *t
	changed.Rows = make([][]content.Cell, len(t.Rows))
	for i, row := range t.Rows {
		for _, j := range kept {
			if j < len(row) {
				changed.Rows[i] = append(changed.Rows[i], row[j])
			}
		}
	}
	return &changed
}

const maxDeclared = 40 // rows of a table of coverages by premises

var retentionHead = vocabulary.Pattern(`(?i)^\W*{{limits.retention}}\W*$`)
