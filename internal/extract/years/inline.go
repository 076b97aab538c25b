package years

import (
	"strings"

	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// Latest returns the amount of the latest year in a value that states several years, or
// the value.
func Latest(value string) string {
	rows := [][]string{{"Year", ""}}
	last := 0
	for from := 0; len(rows) <= maxInline; {
		m := yearInline.FindStringSubmatchIndex(value[from:])
		if m == nil {
			break
		}
		start, amount, end := from+m[2], from+m[4], from+m[5]
		if bareYear.MatchString(value[amount:end]) {
			from = amount // the number is another year, which can have its own amount
			continue
		}
		before := value[max(last, start-contextBytes):start] // says whether the amount is projected
		rows = append(rows, []string{strings.ToValidUTF8(before, "") + value[start:amount], value[amount:end]})
		from, last = end, end
	}
	if cell, ok := Rows(rows, IsRevenue, true); ok && len(rows) > 2 {
		return rows[cell.Row][1]
	}
	if len(rows) == 2 && strings.HasPrefix(strings.TrimSpace(value), strings.TrimSpace(rows[1][0])) {
		return rows[1][1] // "2025: 1,905,000"
	}
	return value
}

const maxInline = 10 // years in a value

// bareYear matches a year, which looks like an amount.
var bareYear = lazyregexp.New(`^(?:19|20)\d\d[.,\s]*$`)

// contextBytes is the length of the text before a year that can say what kind of year it is.
const contextBytes = 30

// IsRevenue reports whether a text names the revenue of a company.
func IsRevenue(text string) bool {
	if text == "" || len(text) > 80 {
		return false
	}
	m, ok := recognise.Label(text)
	return ok && m.Field == "annual_revenue"
}

// yearInline matches a year with its amount within a line.
var yearInline = vocabulary.Pattern(`\b((?:FYE? ?)?(?:19|20)\d\d)[^.;\d$£€]{0,20}?((?:\b[A-Z]{3} ?|[$£€])?(?:\d{1,3}(?:['’ \x{a0}\x{202f}]\d{3})+|\d)[\d.,]*\s*(?:(?i:{{money.scale}})\b\.?)?(?:\s*(?:€|EUR))?)`)
