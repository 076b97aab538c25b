package recognise

import (
	"slices"
	"strings"
	"sync"

	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Foreign are the headers of tables that are not about buildings, in the form that
// words.Key returns.
var Foreign = words.Set("vin", "make", "model", "vehicle", "claim", "claim number", "claims", "date of loss", "loss date", "dol", "paid", "reserve", "reserved", "reserves", "incurred", "total incurred", "outstanding", "claimant", "payroll", "class code", "driver", "drivers license", "cost new", "registration", "reg number", "make model", "vehicle type", "date of birth", "dob", "license number", "employees", "remuneration", "wages", "cause", "cause of loss", "amount paid", "date of claim", "claim type", "claim date", "status", "wageroll", "deductible", "rate", "serial number", "year make model", "gvw", "garaging address", "policy number", "layer", "insurer", "carrier", "expiring premium", "loss type", "loss description", "gross vehicle weight", "incident date", "incident", "number of employees", "headcount", "turnover", "job title", "hire date", "date reported", "salary", "number of claims", "settled", "loss amount", "paid losses", "invoice", "quantity", "qty", "unit price")

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
	slack     = words.Set("pa", "annum", "dv", "si", "tbd", "total", "amount", "amt", "estimated", "est", "current", "proposed", "declared", "the", "of", "at", "in", "per", "new", "annual", "insured", "approx", "for", "000", "000s", "s", "k", "rc", "cost", "100", "percent", "full", "renewal", "a", "or", "and", "y", "n", "yes", "no", "please", "enter", "if", "any", "limits", "required", "reported", "updated", "actual")
	alike     = map[string]string{"bldg": "building", "buildings": "building", "values": "value", "limits": "limit", "loc": "location", "locations": "location", "const": "construction", "constr": "construction", "sprinklers": "sprinkler", "sprinklered": "sprinkler", "detectors": "detector", "alarms": "alarm", "contents": "content", "addr": "address", "occ": "occupancy", "ft": "feet", "sq": "square", "stories": "story", "storeys": "story", "yr": "year", "rents": "rent", "percentage": "percent", "floors": "story", "premises": "location", "site": "location", "risk": "location", "inventory": "stock", "no": "number"}
	leads     = []string{"location ", "loc ", "risk ", "property ", "site ", "premises ", "limits ", "const ", "insured ", "building ", "bldg ", "physical "}
	Including = lazyregexp.New(` (?:incl|including|inclusive|inc)\b.*$`)
	MonthsIn  = lazyregexp.New(`(?i)\b\d{1,2}\s*-?\s*(?:m|mths?|mos?|months?)\b`)
	Units     = lazyregexp.New(`(?i)(?:^|[^\d,.'’\s])\s*['’]?000['’]?s?\b|\bthousands?\b|[$£€]k\b|[$£€]\s*m\b|\b(?:in|gbp|usd|eur)\s+(?:m\b|mm\b|millions?\b)` +
		`|\bteur\b|\bt€|\bk\s?(?:€|\$|£|eur\b|usd\b|gbp\b)|\bm\s?€|\b(?:tsd|mio|mln)\b\.?|\bmilliers\b|\btausend\b|\bduizend(?:en|tallen)?\b|\bmiles\s+(?:de\s+)?(?:€|eur)|\bx\s*(?:€|eur|chf)?\s*1[.,' ]?000\b`)
	unitHints = []string{"000", "thou", " m", "teur", "k eur", "keur", "usd", "gbp", "tsd", "mio", "mln", "millier", "tausend", "duizend", "miles"}
)

// Loose returns the significant words of a header in alphabetical order.
func Loose(key string) string {
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

// eitherHeader returns the one of two names that is a field of responses: "Tenant /
// Use".
func eitherHeader(text string) (Match, bool) {
	first, second, ok := strings.Cut(text, "/")
	if !ok {
		return Match{}, false
	}
	a, known := HeaderForms()[words.Key(first)]
	b, other := HeaderForms()[words.Key(second)]
	switch {
	case known && other && MoneyColumns[a.Field] && MoneyColumns[b.Field]:
		return composed(text)
	case known && other && strings.HasPrefix(a.Field, "~"):
		return Match{Field: b.Field, From: source.Fuzzy}, true
	case known && (other || len(words.Key(second)) < 12):
		return Match{Field: a.Field, From: source.Fuzzy}, true
	}
	return Match{}, false
}

func withoutSlack(key string) string {
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
	if !strings.ContainsAny(lower, "$£€\t\f\r") && !slices.ContainsFunc(unitHints, hinted) {
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
	if !strings.Contains(key, " inc") {
		return key
	}
	return Including.ReplaceAllString(key, "")
}

// Header finds the field that a header names.
func Header(text string) (Match, bool) {
	text = strings.ReplaceAll(text, "\n", " ")
	if len(text) > 100 || strings.TrimSpace(text) == "" {
		return Match{}, false
	}
	whole := words.Key(text)
	key := whole
	if m, ok := HeaderForms()[key]; ok {
		return m, true
	}
	if Foreign[key] {
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
	for _, lead := range leads {
		if rest, ok := strings.CutPrefix(key, lead); ok {
			if m, ok := HeaderForms()[rest]; ok && rest != "number" && rest != "total" && rest != "value" && rest != "limit" && rest != "name" && rest != "area" && rest != "type" && rest != "description" && rest != "class" && rest != "id" && rest != "premium" {
				return Match{Field: m.Field, From: source.Fuzzy}, true
			}
		}
	}
	return Match{}, false
}

// ScaleOf returns the unit of the values: 1, a thousand or a million.
func ScaleOf(text string) int64 {
	m := strings.ToLower(Units.FindString(text))
	switch {
	case m == "":
		return 1
	case strings.HasSuffix(m, "m"), strings.Contains(m, "million"), strings.HasPrefix(m, "m€"), strings.HasPrefix(m, "m €"), strings.HasPrefix(m, "mio"), strings.HasPrefix(m, "mln"):
		return 1_000_000
	}
	return 1000
}

// MoneyColumns are the columns of amounts.
var MoneyColumns = words.Set("building_value", "contents_tiv", "stock_tiv", "business_interruption_value", "location_pd", "100_pct_pd_limit", "100_pct_bi_limit", "100_pct_limit", "100_pct_coverage_limits", "location_application_limit", "location_charge_value", "~equipment", "~rents", "~other_value", "~building_other", "~bi_limit", "~total_limit")
