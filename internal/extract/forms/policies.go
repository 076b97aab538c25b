package forms

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
)

const (
	maxPolicies = 40   // rows of a list of policies
	fitPolicies = 0.85 // fit of the values of the latest term
)

// policyRow is a row of a list of policies.
type policyRow struct {
	start, end string // YYYY-MM-DD
	premium    parse.Amount
	cells      []content.Cell
}

// policyTable reads a list of policies that has columns for their first and last days, as account
// systems print it. The policies of the latest term are the requested ones if the list says so, or if
// it has no other terms. The premiums of the term before are then the expiring premiums. It returns the
// number of rows that it read.
func (r *Reader) policyTable(t *content.Table, head int, at source.Place) int {
	columns := map[string]int{}
	for j, c := range t.Rows[head] {
		if m, ok := assign.ClearLabel(c.Text); ok {
			if _, taken := columns[m.Field]; !taken {
				columns[m.Field] = j
			}
		}
	}
	first, begins := columns["policy_inception_date"]
	last, ends := columns["end_date"]
	if !begins || !ends || layout.FilledCells(t.Rows[head]) < 4 || mentions(t.Rows[head], "losses") {
		return 0
	}
	premium, priced := columns["estimated_premium"]
	if !priced {
		premium = -1
	}
	rows := r.policies(t.Rows[head+1:min(len(t.Rows), head+1+maxPolicies)], first, last, premium)
	if len(rows) == 0 {
		return 0
	}
	latest, terms := rows[0], map[string]bool{}
	for _, p := range rows {
		if terms[p.start] = true; p.start > latest.start {
			latest = p
		}
	}
	if !r.Prior() && (len(terms) == 1 || mentions(t.Rows[head], "marketed") || mentions(latest.cells, "marketed")) {
		r.latestPolicies(rows, latest, first, last, at)
	}
	return len(rows)
}

// mentions reports whether a row contains a word with the meaning in parties.tsv.
func mentions(row []content.Cell, meaning string) bool {
	return slices.ContainsFunc(vocabulary.Parties().Find(layout.RowText(row)), func(m vocabulary.Match) bool { return m.Meaning == meaning })
}

// policies reads the rows of a list of policies, up to the first one without dates.
func (r *Reader) policies(rows [][]content.Cell, first, last, premium int) (all []policyRow) {
	for _, row := range rows {
		if max(first, last) >= len(row) {
			break
		}
		p := policyRow{start: r.dateIn(row[first]), end: r.dateIn(row[last]), cells: row}
		if p.start == "" || p.end <= p.start {
			break
		}
		if premium >= 0 && premium < len(row) {
			p.premium, _, _ = parse.Money(row[premium].Text)
		}
		all = append(all, p)
	}
	return all
}

// dateIn returns the only date in a cell, or "".
func (r *Reader) dateIn(c content.Cell) string {
	if c.Date != "" {
		return c.Date
	}
	if found := parse.Dates(c.Text, r.Order); len(found) == 1 {
		return found[0].Text
	}
	return ""
}

// latestPolicies proposes the term, the lines of business and the premiums of the latest policies.
func (r *Reader) latestPolicies(rows []policyRow, latest policyRow, first, last int, at source.Place) {
	r.Propose("policy_inception_date", latest.start, source.Header, fitPolicies, layout.CellPlace(at, latest.cells[first]))
	r.Propose("end_date", latest.end, source.Header, fitPolicies, layout.CellPlace(at, latest.cells[last]))
	var wanted, expiring parse.Amount
	for _, p := range rows {
		switch {
		case p.premium <= 0 || p.premium > parse.MostCents/maxPolicies:
		case p.start == latest.start:
			wanted += p.premium
		case p.end == latest.start:
			expiring += p.premium
		}
		if p.start != latest.start {
			continue
		}
		for _, c := range p.cells {
			if text := strings.TrimSpace(c.Text); len(text) > 4 && len(vocabulary.Covers().Whole(text, 1)) > 0 {
				r.Propose("product", text, source.Header, fitPolicies, layout.CellPlace(at, c))
				break
			}
		}
	}
	place := layout.CellPlace(at, latest.cells[first])
	if wanted > 0 {
		r.Propose("estimated_premium", wanted.String(), source.Header, fitPolicies, place)
	}
	if expiring > 0 {
		r.Propose("expiring_premium", expiring.String(), source.Header, fitPolicies, place)
	}
}
