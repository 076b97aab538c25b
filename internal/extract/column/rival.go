package column

import (
	"slices"
	"strconv"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// settleStructures decides between several columns of construction: "Structure" can name the kind of a
// building, such as a school. If the cells of one column are words for constructions, each other
// column whose cells are not becomes a column of names.
func settleStructures(t *content.Table, columns []location.Column, from int) {
	var built, other []int
	for i, c := range columns {
		if c.Field != "construction_type" {
			continue
		}
		filled, fitting := 0, 0
		for _, cell := range sample(t, c.Index, from) {
			if text := strings.TrimSpace(cell.Text); text != "" {
				if filled++; isConstruction(text) || namesConstruction(text) {
					fitting++
				}
			}
		}
		if fitting*2 > filled {
			built = append(built, i)
		} else if fitting*4 < filled {
			other = append(other, i)
		}
	}
	if len(built) == 0 {
		return
	}
	for _, i := range other {
		columns[i].Field = "~name"
		if slices.ContainsFunc(columns, func(c location.Column) bool { return c.Field == "~name" && c.Index != columns[i].Index }) {
			columns[i].Field = ""
		}
	}
}

// namesConstruction reports whether a text contains a word for a construction.
func namesConstruction(text string) bool {
	return slices.ContainsFunc(vocabulary.Protection().Find(text), func(m vocabulary.Match) bool {
		return m.Meaning == "construction_type" || m.Meaning == "construction code"
	})
}

// settleYears decides between columns of the same amount for several years: "2031 Building" and "2032
// Building", "Expiring Contents" and "Contents". The latest year counts.
func settleYears(columns []location.Column) {
	latest := map[string]int{} // the rank of the best column of each field
	ranks := make([]int, len(columns))
	for i, c := range columns {
		if recognise.MoneyColumns[c.Field] {
			ranks[i] = yearRank(c.Header)
			if held, ok := latest[c.Field]; !ok || ranks[i] > held {
				latest[c.Field] = ranks[i]
			}
		}
	}
	for i := range columns {
		if best, ok := latest[columns[i].Field]; ok && ranks[i] < best && (best > 0 || ranks[i] < 0) && ofYear(ranks[i], best) {
			columns[i].Field = ""
		}
	}
}

// yearsApart reports whether two headers name different years, so that only one of them counts.
func yearsApart(header, other string) bool {
	a, b := yearRank(header), yearRank(other)
	return a != b && ofYear(min(a, b), max(a, b))
}

// ofYear reports whether both headers name a year, or the lower rank is that of an earlier year.
func ofYear(rank, best int) bool { return rank < 0 || rank > 0 && best > 0 }

// yearRank returns the year in a header; 0 if it names none, and -1 if it says that its amounts are from
// an earlier year.
func yearRank(header string) int {
	if priorYear.MatchString(header) {
		return -1
	}
	year, _ := strconv.Atoi(yearInHeader.FindString(header))
	return year
}

var (
	priorYear    = vocabulary.Pattern(`(?i)\b{{years.earlier}}\b`)
	yearInHeader = lazyregexp.New(`\b20\d\d\b`)
)
