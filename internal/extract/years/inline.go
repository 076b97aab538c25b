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
	if chosen, ok := Several(value); ok {
		return chosen
	}
	if rows := yearsIn(value); len(rows) == 2 && strings.HasPrefix(strings.TrimSpace(value), strings.TrimSpace(rows[1][0])) && !digits.MatchString(beforeYear(rows[1][0])) {
		return rows[1][1] // "2025: 1,905,000", but not "1,905,000 (2024: 1,720,000)"
	}
	return value
}

// Paired returns the amount of the latest year if a label names several years and the value states one amount for each:
// "Revenue 2024 / 2025" with "38.2m / 41.6m".
func Paired(label, value string) (string, bool) {
	names := year.FindAllString(label, maxInline)
	amounts := strings.Split(value, "/")
	if len(amounts) != len(names) {
		amounts = strings.Split(value, "|")
	}
	if len(names) < 2 || len(amounts) != len(names) {
		return "", false
	}
	rows := [][]string{{"Year", ""}}
	for i, name := range names {
		rows = append(rows, []string{name, strings.TrimSpace(amounts[i])})
	}
	cell, ok := Rows(rows, IsRevenue, true)
	if !ok || cell.Row == 0 {
		return "", false
	}
	return rows[cell.Row][1], true
}

// beforeYear returns the text before the first year.
func beforeYear(text string) string {
	if m := year.FindStringIndex(text); m != nil {
		return text[:m[0]]
	}
	return text
}

// Several returns the amount of the latest year in a text that states several years.
func Several(text string) (string, bool) {
	if chosen, ok := latestBehind(text); ok {
		return chosen, true
	}
	rows := yearsIn(text)
	if cell, ok := Rows(rows, IsRevenue, true); ok && len(rows) > 2 {
		return rows[cell.Row][1], true
	}
	return "", false
}

// yearsIn returns the years of a text with their amounts, as the rows of a table.
func yearsIn(value string) [][]string {
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
	return rows
}

// latestBehind returns the amount of the latest year in a value whose years stand behind their amounts:
// "GBP 8,100,000 (2026), GBP 7,400,000 (2025)", "7.4M in 2025 and 8.1M in 2026".
func latestBehind(value string) (string, bool) {
	if !strings.Contains(value, "(") && !strings.Contains(value, "n ") {
		return "", false
	}
	rows := [][]string{{"Year", ""}}
	for _, m := range yearBehind.FindAllStringSubmatch(value, maxInline) {
		rows = append(rows, []string{m[2] + m[3], strings.TrimSpace(m[1])})
	}
	cell, ok := Rows(rows, IsRevenue, true)
	if !ok || len(rows) <= 2 {
		return "", false
	}
	return rows[cell.Row][1], true
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

// yearBehind matches an amount with its year behind it.
var yearBehind = vocabulary.Pattern(`((?:\b[A-Z]{3} ?|[$£€])?\d[\d.,'’]*\s*(?:(?i:{{money.scale}})\b\.?)?(?:\s*(?:€|EUR))?)(?:\s*\(([^()\d]{0,20}(?:FYE? ?'?\d\d|(?:19|20)\d\d)[^()\d]{0,20})\)|\s(?:in|en) ((?:19|20)\d\d)\b)`)
