package passages

import (
	"slices"
	"strings"

	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

var (
	clauseEnd = lazyregexp.New(`[;\n|•]|[.!?](?:\s|$)|\s[-–—]\s|(?:^|\s)\([a-h]\)\s`)
	// countedUnit follows a number that is not an amount.
	countedUnit = vocabulary.Pattern(`(?i)^\s*(?:{{units.unit}}\b|{{units.unit begins}})`)
	grouped     = lazyregexp.New(`\d[.,' ]\d{3}\b`)
	sumPieces   = lazyregexp.New(`[,(:)]|\s[-–—/+]\s`)
)

// namedSum is an amount in a text with the column of a statement of values that it belongs to.
type namedSum struct {
	field  string
	amount parse.Amount
}

// propertySums returns the amounts in a text whose words say which property they are for.
func propertySums(text string) []namedSum {
	var sums []namedSum
	start := 0
	for _, end := range append(clauseEnd.FindAllStringIndex(text, 200), []int{len(text), len(text)}) {
		if clause := text[start:end[0]]; parse.HasDigit(clause) {
			sums = append(sums, clauseSums(clause)...)
		}
		start = end[1]
	}
	return sums
}

// amountsIn returns the amounts in a text, without dates, areas and other counts.
func amountsIn(text string) []parse.MoneyFound {
	var found []parse.MoneyFound
	for at := 0; at < len(text) && len(found) < 20; {
		f, ok := parse.FindMoney(text[at:])
		if !ok || f.End == 0 {
			break
		}
		f.Start, f.End = f.Start+at, f.End+at
		at = f.End
		written := text[f.Start:f.End]
		if f.Amount < 500_00 || !f.Currency && !(f.Amount >= 5_000_00 && grouped.MatchString(written)) && !strings.ContainsAny(written, "kKmM") || countedUnit.MatchString(text[f.End:]) {
			continue
		}
		found = append(found, f)
	}
	return found
}

// clauseSums returns the sums of a clause. The words for a sum stand before all amounts of the
// clause, or behind all.
func clauseSums(clause string) []namedSum {
	amounts := amountsIn(clause)
	if len(amounts) == 0 {
		return nil
	}
	gaps := make([]string, len(amounts)+1)
	from := 0
	for i, a := range amounts {
		gaps[i] = clause[from:max(from, a.Start)]
		from = a.End
	}
	gaps[len(amounts)] = clause[from:]
	behind := sumsFirst(gaps)
	var sums []namedSum
	for i, a := range amounts {
		field := ""
		if behind {
			field = propertyOf(gaps[i+1], false)
		} else {
			field = propertyOf(gaps[i], true)
		}
		if field != "" {
			sums = append(sums, namedSum{field, a.Amount})
		}
	}
	return sums
}

// sumsFirst reports whether the amounts of a clause precede their words: the first amount has no
// such word directly before it, and one directly after it. The gaps are the texts around them.
func sumsFirst(gaps []string) bool {
	names := func(text string) bool {
		return slices.ContainsFunc(vocabulary.Property().Find(text), func(m vocabulary.Match) bool { return m.Meaning != "weak" })
	}
	before, behind := sumPieces.Split(strings.TrimRight(gaps[0], " :="), -1), sumPieces.Split(gaps[1], 2)
	switch {
	case names(before[len(before)-1]):
		return false
	case names(behind[0]):
		// In "Glasopstanden EUR 4.750.000, inventaris EUR 900.000", the first amount follows an
		// unknown word.
		return names(gaps[len(gaps)-1]) || len(gaps) == 2 || !strings.ContainsFunc(before[len(before)-1], parse.IsLetter)
	}
	return !names(gaps[0])
}

// propertyRanks are the columns of property, the most general first.
var propertyRanks = []string{"business_interruption_value", "~rents", "100_pct_limit", "contents_tiv", "~equipment", "stock_tiv", "building_value"}

const maxPieces = 4 // beside an amount that are searched

// propertyOf returns the column of the property that a text names: in its last part with such
// a word, or in its first.
func propertyOf(text string, last bool) string {
	pieces := sumPieces.Split(text, -1)
	if last {
		slices.Reverse(pieces)
	}
	for _, p := range pieces[:min(len(pieces), maxPieces)] {
		found := vocabulary.Property().Find(p)
		if len(found) == 0 {
			continue
		}
		named := map[string]bool{}
		for _, m := range found {
			named[m.Meaning] = true
		}
		if end := found[len(found)-1].Meaning; named["other"] && (end == "other" || !last) {
			return ""
		}
		if named["building_value"] && (named["contents_tiv"] || named["stock_tiv"] || named["~equipment"]) {
			return "location_pd"
		}
		for _, f := range propertyRanks {
			if named[f] {
				return f
			}
		}
	}
	return ""
}
