// Package years reads amounts that a document states year by year, in a table or in lines,
// and chooses the amount of the latest complete year. It is a pure function of the cells.
package years

import (
	"strconv"
	"strings"
	"unicode"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// Cell is the place of the chosen amount: a row and a column of the grid.
type Cell struct{ Row, Column int }

var (
	year      = lazyregexp.New(`(?i)\b(?:FYE? ?'?)?((?:19|20)\d\d)\b|\bFYE? ?'?(\d\d)\b`)
	dated     = lazyregexp.New(`\b\d{1,2}[./-]\d{1,2}[./-](?:20)?(\d\d)\b`)
	yearHead  = vocabulary.Pattern(`(?i)^\W*(?:{{years.kind}} )?{{years.head}}\b`)
	projected = vocabulary.Pattern(`(?i)\b{{years.projected}}\b`)
	recent    = vocabulary.Pattern(`(?i)\b{{years.recent}}\b`)
	digits    = lazyregexp.New(`\d[\d.,’' ]{2,}`)
)

// rank says how well a year fits: a complete year before a projected one, then the latest.
type rank struct {
	complete bool
	year     int
	recent   bool
}

func (r rank) better(other rank) bool {
	switch {
	case r.complete != other.complete:
		return r.complete
	case r.year != other.year:
		return r.year > other.year
	}
	return r.recent && !other.recent
}

func rankOf(text string) (rank, bool) {
	r := rank{complete: !projected.MatchString(text), recent: recent.MatchString(text)}
	if m := dated.FindStringSubmatch(text); m != nil {
		r.year, _ = strconv.Atoi(m[1])
		return rank{r.complete, r.year + 2000, r.recent}, true
	}
	if m := year.FindStringSubmatch(text); m != nil {
		if r.year, _ = strconv.Atoi(m[1] + m[2]); r.year < 100 {
			r.year += 2000
		}
		return r, true
	}
	return r, r.recent || !r.complete
}

// Columns chooses among the amounts of a row by the years in the headers above them.
// wanted reports whether a row's first cell names the amount.
func Columns(rows [][]string, wanted func(label string) bool) (Cell, bool) {
	for head, header := range rows {
		ranks, columns := []rank{}, []int{}
		for j, text := range header {
			if r, ok := rankOf(text); ok && j > 0 && !wanted(text) {
				ranks, columns = append(ranks, r), append(columns, j)
			}
		}
		if len(columns) < 2 || labelsBetween(header, columns) {
			continue
		}
		for i, row := range rows[head+1:] {
			if len(row) == 0 || !wanted(row[0]) {
				continue
			}
			best := -1
			for n, j := range columns {
				if j < len(row) && digits.MatchString(row[j]) && !isDate(row[j]) && (best < 0 || ranks[n].better(ranks[best])) {
					best = n
				}
			}
			if best >= 0 {
				return Cell{head + 1 + i, columns[best]}, true
			}
		}
	}
	return Cell{}, false
}

// labelsBetween reports whether labels stand between the dates of a row. The dates are then values, not headers: "Start |
// 1 May 2031 | End | 1 May 2032".
func labelsBetween(row []string, years []int) bool {
	for _, text := range row[years[0]+1 : years[len(years)-1]] {
		if _, ok := rankOf(text); !ok && strings.ContainsFunc(text, unicode.IsLetter) {
			return dayOfYear.MatchString(row[years[0]]) && dayOfYear.MatchString(row[years[len(years)-1]])
		}
	}
	return false
}

// dayOfYear matches a date with its day.
var dayOfYear = lazyregexp.New(`\b\d{1,2}(?:st|nd|rd|th)?[.,]?[ /.-]+(?:\pL{3,10}|\d{1,2})?[ ,/.-]*(?:19|20)\d\d\b`)

// isDate reports whether a text is a date or a year, and so not an amount.
func isDate(text string) bool { return wholeDate.MatchString(text) }

var wholeDate = lazyregexp.New(`^\s*(?:(?:19|20)\d\d\s*$|\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})\b`)

// Rows chooses among the amounts of a column by the years in the first cells of the rows.
// The column is the first one with a header that wanted accepts or, if the caller knows
// that the table is about the amount, the first one with amounts.
func Rows(rows [][]string, wanted func(header string) bool, about bool) (Cell, bool) {
	if len(rows) < 2 || len(rows[0]) < 2 {
		return Cell{}, false
	}
	column := -1
	for j, text := range rows[0] {
		if j > 0 && wanted(text) {
			column = j
			break
		}
	}
	if column < 0 {
		if !about {
			return Cell{}, false
		}
		column = 1
	}
	best, bestRank, years := Cell{}, rank{}, 0
	for i, row := range rows {
		if column >= len(row) || !digits.MatchString(row[column]) {
			continue
		}
		r, ok := rankOf(row[0])
		if !ok || r.year == 0 && !r.recent {
			continue
		}
		if years++; years == 1 || r.better(bestRank) {
			best, bestRank = Cell{i, column}, r
		}
	}
	return best, years >= 2 || years == 1 && yearHead.MatchString(rows[0][0])
}
