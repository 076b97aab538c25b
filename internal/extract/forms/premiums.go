package forms

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/party"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
)

const (
	fitSum       = 0.8 // fit of the sum of the premiums of all covers, if the table has no total
	minPremiums  = 2   // premiums above a total
	maxPremiumAt = 40  // rows above the header of a column of premiums
)

// premiumsByCover proposes the total of a column of premiums whose rows are covers or lines of business. If the table has no
// row of totals, it proposes their sum.
//
//	Line                 Premium now     Target
//	General Liability    $31,200         $28,500
//	Umbrella             $9,300          $9,000
//	Total                $40,500         $37,500
func (r *Reader) premiumsByCover(t *content.Table, at source.Place) {
	if r.Prior() || r.Whose == party.Other && r.Headed || at.Line < len(r.Lines) && covers.IsOther(r.Above(at.Line)) {
		return
	}
	above := at.Line < len(r.Lines) && namesPremium(r.Above(at.Line))
	for head := 0; head < min(len(t.Rows)-minPremiums, maxPremiumAt); head++ {
		if column.IsLosses(t.Rows[head]) {
			return
		}
		for j, c := range t.Rows[head] {
			if j == 0 || !premiumHead(c, above) || listsPolicies(t.Rows[head]) {
				continue
			}
			if r.proposeTotal(t.Rows[head+1:], j, at) {
				return
			}
		}
	}
}

// premiumHead reports whether a cell is the header of a column of requested premiums. above says that the table is about
// premiums.
func premiumHead(c content.Cell, above bool) bool {
	if c.Merged || c.Text == "" || len(c.Text) > assign.MaxClearLabel {
		return false
	}
	m, ok := assign.ClearLabel(c.Text)
	return ok && m.Field == "estimated_premium" || isHead(c, targetHead) || above && isHead(c, wantedHead)
}

// targetHead matches headers of columns that can only hold requested premiums: "Target 2027-28".
var targetHead = vocabulary.Pattern(comparedHead("wanted/premium"))

// listsPolicies reports whether a header is that of a list of existing policies, whose premiums have been paid.
func listsPolicies(head []content.Cell) bool {
	insured := func(c content.Cell) bool {
		m, ok := assign.ClearLabel(c.Text)
		return ok && m.Field == "insurer"
	}
	target := func(c content.Cell) bool { return isHead(c, targetHead) }
	return slices.ContainsFunc(head, insured) && !slices.ContainsFunc(head, target)
}

// proposeTotal proposes the total of column j of the rows below a header, and reports whether it has found one.
func (r *Reader) proposeTotal(rows [][]content.Cell, j int, at source.Place) bool {
	var sum parse.Amount
	premiums, others := 0, 0
	var first source.Place
	for _, row := range rows[:min(len(rows), maxCoverRows)] {
		name, c := nameAndAmount(row, j)
		amount, fit, ok := parse.Money(c.Text)
		ok = ok && fit > 0.5 && amount > 0 && amount < parse.MostCents/maxCoverRows
		if name == "" && !ok {
			if premiums > 0 {
				break
			}
			continue
		}
		total := column.IsTotal(name)
		if m, known := assign.ClearLabel(name); known && m.Field == "estimated_premium" {
			total = true
		}
		if ok && premiums >= minPremiums && (total || name == "" && amount == sum) {
			r.Propose("estimated_premium", c.Text, source.Header, 1, layout.CellPlace(at, c))
			return true
		}
		switch {
		case total:
			return false
		case ok && len(vocabulary.Covers().Find(name)) > 0:
			if premiums++; premiums == 1 {
				first = layout.CellPlace(at, c)
			}
			sum += amount
		case ok:
			premiums, others = premiums+1, others+1
			sum += amount
		case len(vocabulary.Covers().Find(name)) > 0:
			others++ // its premium is not known: "TBD"
		}
	}
	if premiums < minPremiums || others > 0 {
		return false
	}
	r.Propose("estimated_premium", sum.String(), source.Guess, fitSum, first)
	return true
}

// nameAndAmount returns the first text of a row and the cell in column j. In a row of totals with fewer cells, the
// last cell is returned.
func nameAndAmount(row []content.Cell, j int) (string, content.Cell) {
	name, at, last := "", -1, -1
	for i, c := range row {
		if strings.TrimSpace(c.Text) == "" || c.Merged {
			continue
		}
		if at < 0 {
			name, at = strings.TrimSpace(c.Text), i
		}
		last = i
	}
	switch {
	case j < len(row) && row[j].Text != "" && j != at:
		return name, row[j]
	case j < len(row) && j == at && layout.FilledCells(row) == 1:
		return "", row[j]
	case last > at && layout.FilledCells(row) == 2 && column.IsTotal(name) && last >= j-1:
		return name, row[last]
	}
	return name, content.Cell{}
}

// namesPremium reports whether a heading is about premiums: "Section V. Premium indications".
func namesPremium(heading string) bool {
	words := vocabulary.Set("compared.premium")
	return slices.ContainsFunc(vocabulary.Words(heading), func(w string) bool { return words[w] })
}

// premiumsBesideCovers reports whether row i states one premium for each of the covers that stand above its cells. It
// proposes their sum.
//
//	               Property     Umbrella
//	Limit          $4,200,000   $5,000,000
//	Target         $18,000      $11,500
func (r *Reader) premiumsBesideCovers(t *content.Table, i int, at source.Place) bool {
	name, j := "", -1
	for j = range t.Rows[i] {
		if name = strings.TrimSpace(t.Rows[i][j].Text); name != "" {
			break
		}
	}
	m, ok := assign.ClearLabel(strings.TrimRight(name, ": "))
	if !ok || m.Field != "estimated_premium" && m.Field != "~expiring_premium" {
		return false
	}
	var columns []int
	var sum parse.Amount
	for k := j + 1; k < len(t.Rows[i]); k++ {
		c := t.Rows[i][k]
		if amount, fit, ok := parse.Money(c.Text); ok && !c.Merged && fit > 0.5 && amount > 0 && amount < parse.MostCents/layout.MaxFormCells {
			columns = append(columns, k)
			sum += amount
		}
	}
	if len(columns) < minPremiums || !coversAbove(t.Rows[:i], columns) {
		return false
	}
	field := map[bool]string{true: "estimated_premium", false: "expiring_premium"}[m.Field == "estimated_premium"]
	r.Propose(field, sum.String(), source.Guess, fitSum, layout.CellPlace(at, t.Rows[i][columns[0]]))
	return true
}

// coversAbove reports whether one of the rows names a cover in each of the columns.
func coversAbove(rows [][]content.Cell, columns []int) bool {
	for k := len(rows) - 1; k >= 0 && k >= len(rows)-maxPremiumAt; k-- {
		if !slices.ContainsFunc(columns, func(j int) bool {
			return j >= len(rows[k]) || parse.HasDigit(rows[k][j].Text) || len(vocabulary.Covers().Find(rows[k][j].Text)) == 0
		}) {
			return true
		}
	}
	return false
}

// premiumRows reads the rows of a table of covers that state the premium of the policy.
func (r *Reader) premiumRows(rows [][]content.Cell, at source.Place) {
	for _, row := range rows {
		if len(row) == 0 || layout.FilledCells(row) != 2 {
			continue
		}
		if m, ok := assign.ClearLabel(strings.TrimRight(row[0].Text, ": ")); ok && m.Field == "estimated_premium" {
			r.tableRow(row, at)
		}
	}
}

// namesCover reports whether a row names a cover, so that an amount in it is not that of the whole policy.
func namesCover(row []content.Cell) bool {
	return slices.ContainsFunc(row, func(c content.Cell) bool {
		return c.Text != "" && len(c.Text) <= assign.MaxClearLabel && len(vocabulary.Covers().Whole(c.Text, 2)) > 0
	})
}
