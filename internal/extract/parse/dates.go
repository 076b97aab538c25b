package parse

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
	"understudy.example/internal/memo"
)

// DateOrder is the part of a date such as 03/04/2026 that comes first.
type DateOrder int

// The orders of the parts of a date.
const (
	UnknownOrder DateOrder = iota // read as month first, with a lower score
	DayFirst
	MonthFirst
)

var (
	yearFirst  = lazyregexp.New(`\b((?:19|20)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?:T|\b)`)
	slashed    = lazyregexp.New(`\b(\d{1,2}) ?([-/.]) ?(\d{1,2}) ?([-/.]) ?((?:19|20)\d\d|\d\d)\b`)
	dayMonth   = vocabulary.Pattern(`(?i)\b(\d{1,2})\s*(?:st|nd|rd|th|er|º|°)?(?:\s+(?:of|de))?[\s\-.,/]*({{dates.month}})(?:(?:\b|[^\pL\d])(?:\s*de[l]?\s)?[\s,\-./]*)?((?:19|20)\d\d|'?\d\d)\b`)
	monthDay   = vocabulary.Pattern(`(?i)\b({{dates.month}})\b[\s.\-]*(\d{1,2})(?:st|nd|rd|th)?[\s,\-]+((?:19|20)\d\d|'\d\d)\b`)
	yearTo     = lazyregexp.New(`^\s*(?:-|–|/|to)\s*((?:20)?\d\d)(?:\s|[,;)]|\.\s|\.?$)`)
	packedDate = lazyregexp.New(`^\s*((?:19|20)\d\d)(\d\d)(\d\d)\s*$`)
	serialDate = lazyregexp.New(`^\s*([2-6]\d{4})(?:\.\d+)?\s*$`)
	daysFirst  = vocabulary.Pattern(`(?i)[£€]|\+44|\bA\$|\b{{dates.day first}}(?:\b|[^\pL\d]|$)`)
	monthsLead = vocabulary.Pattern(`(?i)\$|\b{{dates.month first}}\b|\b[A-Z]{2} \d{5}\b`)
)

// DateFound is a date in a text, with its position in bytes.
type DateFound struct {
	Text       string // YYYY-MM-DD
	Fit        float64
	Start, End int
}

// datedLines returns the lines of a text that can show the order of dates.
func datedLines(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if HasDigit(line) || daysFirst.MatchString(line) || monthsLead.MatchString(line) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// OrderOf decides for a whole document whether the day or the month comes first. It
// uses any date that can be read in only one way, otherwise country, currency and
// spelling.
func OrderOf(text string) DateOrder {
	days, months := 0, 0
	text = datedLines(text)
	for _, m := range slashed.FindAllStringSubmatch(text, 2000) {
		first, _ := strconv.Atoi(m[1])
		second, _ := strconv.Atoi(m[3])
		if m[2] != m[4] {
			continue
		}
		if first > 12 && first <= 31 && second <= 12 {
			days++
		}
		if second > 12 && second <= 31 && first <= 12 {
			months++
		}
	}
	if days == months {
		for line := range strings.Lines(text) {
			days += len(daysFirst.FindAllString(line, -1))
			months += len(monthsLead.FindAllString(line, -1))
		}
	}
	switch {
	case days > months:
		return DayFirst
	case months > days:
		return MonthFirst
	}
	return UnknownOrder
}

// Dates finds the dates in text, in order. The caller must not change the list.
func Dates(text string, o DateOrder) []DateFound {
	if !HasDigit(text) {
		return nil // this check is faster than the patterns
	}
	return datesIn[o].Of(text)
}

// datesIn holds the dates in texts, by the order of the parts of a date.
var datesIn = [...]*memo.Table[[]DateFound]{
	UnknownOrder: memo.New(func(text string) []DateFound { return dates(text, UnknownOrder) }),
	DayFirst:     memo.New(func(text string) []DateFound { return dates(text, DayFirst) }),
	MonthFirst:   memo.New(func(text string) []DateFound { return dates(text, MonthFirst) }),
}

func dates(text string, o DateOrder) []DateFound {
	var found []DateFound
	add := func(m []int, year, month, day string, fit float64) {
		for _, f := range found {
			if m[0] < f.End && f.Start < m[1] {
				return
			}
		}
		if iso, ok := calendarDate(year, month, day); ok {
			found = append(found, DateFound{iso, fit, m[0], m[1]})
		}
	}
	for _, m := range yearFirst.FindAllStringSubmatchIndex(text, 200) {
		if text[m[3]] == text[m[5]] { // not the middle of "12/01/2027-12/01/2028"
			add(m, text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]], 1)
		}
	}
	for _, m := range slashed.FindAllStringSubmatchIndex(text, 200) {
		if text[m[4]:m[5]] != text[m[8]:m[9]] {
			continue
		}
		first, second, year := text[m[2]:m[3]], text[m[6]:m[7]], text[m[10]:m[11]]
		a, _ := strconv.Atoi(first)
		b, _ := strconv.Atoi(second)
		switch {
		case a > 12, o == DayFirst && b <= 12:
			add(m, year, second, first, 1)
		case b > 12, o == MonthFirst, a == b:
			add(m, year, first, second, 1)
		default:
			add(m, year, first, second, 0.85)
		}
		// "4/15/26-27" is a year that begins on that day.
		if next := yearTo.FindStringSubmatchIndex(text[m[1]:]); next != nil {
			until := text[m[1]+next[2] : m[1]+next[3]]
			at := []int{m[1] + next[2], m[1] + next[3]}
			if o == DayFirst && b <= 12 || a > 12 {
				add(at, until, second, first, 0.95)
			} else {
				add(at, until, first, second, 0.95)
			}
		}
	}
	for _, m := range dayMonth.FindAllStringSubmatchIndex(text, 200) {
		add(m, text[m[6]:m[7]], text[m[4]:m[5]], text[m[2]:m[3]], 1)
	}
	for _, m := range monthDay.FindAllStringSubmatchIndex(text, 200) {
		add(m, text[m[6]:m[7]], text[m[2]:m[3]], text[m[4]:m[5]], 1)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	return found
}

// DateValue reads a value that should be a date: the first date in it, a date without
// separators, or the number of a day in a spreadsheet.
func DateValue(text string, o DateOrder) (string, float64, bool) {
	if found := Dates(text, o); len(found) > 0 {
		f := found[0]
		if rest := len(strings.TrimSpace(text)) - (f.End - f.Start); rest > 30 {
			f.Fit *= 0.8
		}
		return f.Text, f.Fit, true
	}
	if m := packedDate.FindStringSubmatch(text); m != nil {
		iso, ok := calendarDate(m[1], m[2], m[3])
		return iso, 1, ok
	}
	if m := serialDate.FindStringSubmatch(text); m != nil {
		days, _ := strconv.Atoi(m[1])
		return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days).Format(time.DateOnly), 0.85, true
	}
	return "", 0, false
}

// calendarDate returns the parts as YYYY-MM-DD if they are a day of the calendar.
// Years of two digits are from 1950 to 2049.
func calendarDate(year, month, day string) (string, bool) {
	year = strings.TrimPrefix(year, "'")
	y, _ := strconv.Atoi(year)
	if len(year) == 2 {
		if y += 2000; y > 2049 {
			y -= 100
		}
	}
	m, err := strconv.Atoi(month)
	if err != nil {
		m, _ = strconv.Atoi(vocabulary.Classes("dates.month")[strings.ToLower(month)])
	}
	d, _ := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t.Format(time.DateOnly), t.Day() == d && int(t.Month()) == m
}

// OneYearApart reports whether the second date is a year after the first, give or take a day.
func OneYearApart(first, last string) bool {
	from, err := time.Parse(time.DateOnly, first)
	to, wrong := time.Parse(time.DateOnly, last)
	return err == nil && wrong == nil && !to.Before(from.AddDate(1, 0, -1)) && !to.After(from.AddDate(1, 0, 1))
}
