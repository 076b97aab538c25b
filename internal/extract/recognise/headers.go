package recognise

import (
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/memo"
)

// Foreign reports whether a header, in the form that words.Key returns, occurs only in tables that
// are not about buildings.
func Foreign(key string) bool { return vocabulary.Qualifiers("foreign")[key] }

// OfOtherTable reports whether a header, in the form that words.Key returns, shows that its table is
// a list of vehicles, claims, people or machines, even if other columns hold values.
func OfOtherTable(key string) bool { return vocabulary.Qualifiers("other table")[key] }

// HeaderForms are the headers of statements of values in the form that words.Key returns. The
// columns that begin with "~" are not shown in responses: they name the row, add to a sum,
// or show that a table is about buildings.
var HeaderForms = sync.OnceValue(func() map[string]Match {
	m := map[string]Match{}
	for _, h := range vocabulary.Headers() {
		if _, taken := m[words.Key(h.Term)]; !taken {
			m[words.Key(h.Term)] = Match{Field: h.Meaning, From: source.Header}
		}
	}
	return m
})

// looseForms are the headers as sets of their significant words.
var looseForms = sync.OnceValue(func() map[string]Match {
	m := map[string]Match{}
	for _, h := range vocabulary.Headers() {
		if key := Loose(words.Key(h.Term)); strings.Contains(key, " ") {
			if _, taken := m[key]; !taken {
				m[key] = Match{Field: h.Meaning, From: source.Fuzzy}
			}
		}
	}
	return m
})

// Including matches the end of a header, in the form that words.Key returns, that says what a value
// includes. MonthsIn matches a number of months, and Units the unit of amounts in thousands or
// millions.
var (
	Including = vocabulary.Pattern(` {{connectives.including header}}\b.*$`)
	MonthsIn  = vocabulary.Pattern(`(?i)\b\d{1,2}\s*-?\s*{{dates.unit/months|dates.short months}}\b`)
	Units     = vocabulary.Pattern(`(?i)(?:^|[^\d,.'’\s])\s*['’]?000['’]?s?\b|\b{{money.thousands|money.short thousands}}\b\.?|[$£€]k\b|[$£€]\s*m\b|\b(?:in|gbp|usd|eur)\s+(?:m\b|mm\b|millions?\b)` +
		`|\bt€|\bk\s?(?:€|\$|£|eur\b|usd\b|gbp\b)|\bm\s?€|\(\s*(?:in\s+)?(?-i:[A-Z]{3})\s*(?:mm?|k)\s*\)|\(k\)|\b{{money.code}}k\b|\b{{money.short millions}}\b\.?|\bmiles\s+(?:de\s+)?(?:€|eur)|\b(?:t|k\s?){{money.code}}\b|\bx\s*(?:€|eur|chf)?\s*1[.,' ]?000\b`)
	unitSigns = []string{"000", " m", " k", "(k)", "eurk", "cadk", "audk", "nzdk", "k eur", "keur", "usd", "gbp", "chf", "teur", "tcad", "taud", "tnzd", "kcad", "kaud", "knzd", "k cad", "k aud", "k nzd", "miles"}
)

// unitHints are parts of units. Every text that Units matches contains one of them, or the sign of a
// currency.
var unitHints = sync.OnceValue(func() []string {
	hints := slices.Clone(unitSigns)
	for _, name := range []string{"money.thousands", "money.short thousands", "money.short millions"} {
		hints = append(hints, vocabulary.Terms(name)...)
	}
	return hints
})

// Loose returns the significant words of a header in alphabetical order.
func Loose(key string) string {
	alike, slack := vocabulary.Alike(), vocabulary.Qualifiers("slack")
	var kept []string
	for w := range strings.SplitSeq(key, " ") {
		if other, ok := alike[w]; ok {
			w = other
		}
		if slack[w] || w == "" {
			continue
		}
		at := 0
		for at < len(kept) && kept[at] < w {
			at++
		}
		if at < len(kept) && kept[at] == w {
			continue
		}
		kept = append(kept[:at], append([]string{w}, kept[at:]...)...)
	}
	return strings.Join(kept, " ")
}

// eitherHeader returns the field of a header whose parts are separated by slashes. This is a field
// that includes all parts, as in "City / State / ZIP", or the field of one part, as in "Tenant / Use".
func eitherHeader(text string) (Match, bool) {
	parts := strings.Split(text, "/")
	if len(parts) < 2 || len(parts) > maxParts {
		return Match{}, false
	}
	var known []Match
	places := 0
	for _, p := range parts {
		if m, ok := HeaderForms()[words.Key(p)]; ok {
			known = append(known, m)
			if partsOfPlace[m.Field] {
				places++
			}
		}
	}
	_, first := HeaderForms()[words.Key(parts[0])]
	switch {
	case len(known) == 0:
	case len(known) == len(parts) && places == len(parts):
		return composed(text)
	case len(parts) > 2:
	case len(known) == 2 && MoneyColumns[known[0].Field] && MoneyColumns[known[1].Field]:
		return composed(text)
	case len(known) == 2 && strings.HasPrefix(known[0].Field, "~"):
		return Match{Field: known[1].Field, From: source.Fuzzy}, true
	case first && (len(known) == 2 || len(words.Key(parts[1])) < 12):
		return Match{Field: known[0].Field, From: source.Fuzzy}, true
	}
	return Match{}, false
}

const maxParts = 4 // parts of a header

// partsOfPlace are the fields in the last line of an address.
var partsOfPlace = words.Set("location_city", "location_state", "location_postal_code")

func withoutSlack(key string) string {
	slack := vocabulary.Qualifiers("slack")
	var kept []string
	for w := range strings.SplitSeq(key, " ") {
		if !slack[w] {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// The checks of single characters and words in these functions are faster than the
// patterns, which most headers do not match.

// WithoutUnits removes the unit of amounts.
func WithoutUnits(text string) string {
	lower := strings.ToLower(text)
	hinted := func(hint string) bool { return strings.Contains(lower, hint) }
	if !strings.ContainsAny(lower, "$£€\t\f\r") && !slices.ContainsFunc(unitHints(), hinted) {
		return text
	}
	return Units.ReplaceAllString(text, " ")
}

// WithoutMonths removes numbers of months.
func WithoutMonths(text string) string {
	if !strings.ContainsAny(text, "mM") || !strings.ContainsAny(text, "0123456789") {
		return text
	}
	return MonthsIn.ReplaceAllString(text, " ")
}

// WithoutIncluded removes what a value includes.
func WithoutIncluded(key string) string {
	if !strings.Contains(key, " inc") && !strings.Contains(key, " ink") && !strings.Contains(key, " y c") {
		return key
	}
	return Including.ReplaceAllString(key, "")
}

// Header finds the field that a header names.
func Header(text string) (Match, bool) { return headers.Of(text).unpack() }

var headers = memo.New(func(text string) result { return resultOf(header(text)) })

func header(text string) (Match, bool) {
	text = strings.ReplaceAll(text, "\n", " ")
	if len(text) > 100 || strings.TrimSpace(text) == "" {
		return Match{}, false
	}
	whole := words.Key(text)
	key := whole
	if m, ok := HeaderForms()[key]; ok {
		return m, true
	}
	if Foreign(key) {
		return Match{}, false
	}
	if bare := WithoutUnits(text); bare != text {
		if key = words.Key(bare); key != "" {
			if m, ok := HeaderForms()[key]; ok {
				return m, true
			}
		}
	}
	if short := strings.TrimSuffix(strings.TrimPrefix(key, "100 percent "), " 100 percent"); short != key {
		if m, ok := HeaderForms()[short]; ok {
			return m, true
		}
	}
	if m, ok := eitherHeader(text); ok {
		return m, true
	}
	// "BI 24m", "Gross profit (18 months)"
	short := whole
	if bare := WithoutMonths(text); bare != text {
		short = words.Key(bare)
	}
	if short != key && short != "" {
		if m, ok := HeaderForms()[short]; ok {
			return m, true
		}
		key = short
	}
	// "Business income incl. extra expense"
	if short := WithoutIncluded(key); short != key {
		if m, ok := HeaderForms()[short]; ok {
			return Match{Field: m.Field, From: source.Fuzzy}, true
		}
	}
	if m, ok := looseForms()[Loose(key)]; ok {
		return m, true
	}
	if m, ok := HeaderForms()[withoutSlack(key)]; ok && MoneyColumns[m.Field] && !strings.Contains(key, "percent") {
		return Match{Field: m.Field, From: source.Fuzzy}, true // "Buildings DV"
	}
	if strings.Count(text, ",") >= 2 {
		if m, ok := composed(text); ok && (m.Field == "location_address" || m.Field == "~city_line") {
			return m, true // "Street, City, State, ZIP"
		}
	}
	if m, ok := cutForms()[strings.ReplaceAll(whole, " ", "")]; ok && isCut(whole) {
		return Match{Field: m.Field, From: source.Fuzzy}, true
	}
	if lead, rest, ok := strings.Cut(key, " "); ok && vocabulary.Qualifiers("lead")[lead] && !vocabulary.Qualifiers("too short")[rest] {
		if m, ok := HeaderForms()[rest]; ok {
			return Match{Field: m.Field, From: source.Fuzzy}, true
		}
	}
	return Match{}, false
}

// cutForms are the headers without spaces: the words of a header in a narrow column of a page can be
// cut into several lines, as in "C on st".
var cutForms = sync.OnceValue(func() map[string]Match {
	m := map[string]Match{}
	for form, match := range HeaderForms() {
		if key := strings.ReplaceAll(form, " ", ""); len(key) >= minCut {
			m[key] = match
		}
	}
	return m
})

// isCut reports whether a header, in the form that words.Key returns, has a part that is too short to be
// a word.
func isCut(key string) bool {
	for part := range strings.SplitSeq(key, " ") {
		if len(part) <= maxCutPart {
			return strings.Contains(key, " ")
		}
	}
	return false
}

// Limits of headers whose words are cut.
const (
	minCut     = 3 // letters of the whole header
	maxCutPart = 3 // letters of its shortest part
)

// ScaleOf returns the unit of the values: 1, a thousand or a million.
func ScaleOf(text string) int64 {
	m := strings.ToLower(Units.FindString(text))
	switch {
	case m == "":
		return 1
	case strings.HasSuffix(strings.TrimRight(m, " )"), "m"), strings.Contains(m, "million"), strings.HasPrefix(m, "m€"), strings.HasPrefix(m, "m €"), slices.Contains(vocabulary.Terms("money.short millions"), strings.TrimRight(m, ".")):
		return 1_000_000
	}
	return 1000
}

// MoneyColumns are the columns of amounts.
var MoneyColumns = words.Set("building_value", "contents_tiv", "stock_tiv", "business_interruption_value", "location_pd", "100_pct_pd_limit", "100_pct_bi_limit", "100_pct_limit", "100_pct_coverage_limits", "location_application_limit", "location_charge_value", "~equipment", "~rents", "~other_value", "~building_other", "~bi_limit", "~total_limit")
