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

// bareForms are the fields of the known headers by the form that bareForm returns. A form that
// belongs to several fields has none.
var bareForms = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, h := range vocabulary.Headers() {
		key := bareForm(words.Key(h.Term))
		if len(key) < 2 {
			continue
		}
		if held, taken := m[key]; taken && held != h.Meaning {
			if first, ok := HeaderForms()[key]; ok {
				m[key] = first.Field
			} else if MoneyColumns[held] != MoneyColumns[h.Meaning] {
				if MoneyColumns[h.Meaning] {
					m[key] = h.Meaning
				}
			} else {
				m[key] = ""
			}
			continue
		}
		m[key] = h.Meaning
	}
	return m
})

// longForm replaces the abbreviations in a header in the form that words.Key returns.
func longForm(key string) string {
	var long []string
	for w := range strings.SplitSeq(key, " ") {
		full, ok := vocabulary.Abbreviations()[w]
		switch {
		case !ok:
			long = append(long, w)
		case full != "":
			long = append(long, full)
		}
	}
	return strings.Join(long, " ")
}

// bareForm returns the stems of the words of a header that decide what its column holds.
func bareForm(key string) string {
	qualifiers := vocabulary.Qualifiers("qualifier")
	var stems []string
	for w := range strings.SplitSeq(longForm(key), " ") {
		if w != "" && !qualifiers[w] {
			stems = append(stems, singularForm(w))
		}
	}
	slices.Sort(stems)
	return strings.Join(slices.Compact(stems), " ")
}

// singularForm removes the ending of a plural.
func singularForm(word string) string {
	if len(word) > 4 && !strings.HasSuffix(word, "ss") {
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// headerParts separates the parts of a header: "Machinery, racking & fittings".
var headerParts = vocabulary.Pattern(`\s*[/,&+;]\s*|\s+(?:{{connectives.and}}|{{connectives.including}}|e|or)\s+`)

// AnyHeader finds the field of a header that is known or similar to a known one.
func AnyHeader(text string) (Match, bool) { return anyHeaders.Of(text).unpack() }

var anyHeaders = memo.New(func(text string) result { return resultOf(anyHeader(text)) })

func anyHeader(text string) (Match, bool) {
	if m, ok := Header(text); ok {
		return m, true
	}
	if m, ok := SimilarHeader(text); ok {
		return m, true
	}
	return withoutBrackets(text)
}

// withoutBrackets finds the field of a header without what it says in brackets: "Hard costs
// (completed value)".
func withoutBrackets(text string) (Match, bool) {
	bare := strings.TrimSpace(words.Bracketed.ReplaceAllString(text, " "))
	if bare == text || bare == "" {
		return Match{}, false
	}
	m, ok := Header(bare)
	m.From = min(m.From, source.Fuzzy)
	return m, ok
}

// composed finds the field of a header from the words that decide what its column holds.
func composed(text string) (Match, bool) {
	bare := WithoutMonths(WithoutUnits(text))
	if m, ok := composedPart(bare); ok {
		return m, true
	}
	parts := headerParts.Split(bare, 8)
	if len(parts) < 2 || len(parts) == 8 {
		parts = []string{bare}
	}
	found := map[string]bool{}
	for _, p := range parts {
		if m, ok := HeaderForms()[words.Key(p)]; ok {
			found[m.Field] = true
		} else if m, ok := composedPart(p); ok {
			found[m.Field] = true
		} else if namesOther(p) {
			return Match{}, false // "Ort, Datum": the second part is not about a location
		}
	}
	if len(found) == 0 {
		found = namedSums(vocabulary.Words(longForm(words.Key(bare))))
	}
	field := wholeField(found)
	return Match{Field: field, From: source.Fuzzy}, field != ""
}

// HeaderByWords finds the field of a header or a label from its single words. The caller must know
// that the text is a header or a label.
func HeaderByWords(text string) (Match, bool) {
	list := vocabulary.Words(longForm(words.Key(WithoutMonths(WithoutUnits(text)))))
	found := map[string]bool{}
	for _, m := range vocabulary.HeaderWords().FindWords(list) {
		if m.Meaning == "other" {
			return Match{}, false
		}
		found[m.Meaning] = true
	}
	if len(found) == 0 {
		found = namedSums(list)
	}
	field := wholeField(found)
	return Match{Field: field, From: source.Fuzzy}, field != ""
}

// namesOther reports whether a header has a word for something that no field holds.
func namesOther(text string) bool {
	return slices.ContainsFunc(vocabulary.HeaderWords().Find(text), func(m vocabulary.Match) bool { return m.Meaning == "other" })
}

// wholeField returns the field of a header from the fields of its parts: the field that includes
// them all if there is one, and otherwise the first of them in a fixed order.
func wholeField(found map[string]bool) string {
	switch {
	case found["location_city"] && (found["location_state"] || found["location_postal_code"]):
		if found["location_address"] {
			return "location_address"
		}
		return "~city_line"
	case (found["building_value"] || found["~building"] || found["total_buildings"]) && (found["contents_tiv"] || found["~equipment"] || found["stock_tiv"]):
		return "location_pd"
	case len(found) == 1:
		for f := range found {
			return f
		}
	}
	for _, f := range []string{"contents_tiv", "~equipment", "stock_tiv", "business_interruption_value", "~rents", "building_value", "construction_type"} {
		if found[f] {
			return f
		}
	}
	return ""
}

func composedPart(text string) (Match, bool) {
	key := longForm(words.Key(text))
	if m, ok := HeaderForms()[key]; ok {
		return Match{Field: m.Field, From: source.Fuzzy}, true
	}
	field := bareForms()[bareForm(key)]
	return Match{Field: field, From: source.Fuzzy}, field != ""
}

// namedSums returns the fields of sums that words of a header name. It returns nil if a word shows
// that the column holds something else.
func namedSums(list []string) map[string]bool {
	for _, w := range list {
		if vocabulary.Qualifiers("no sum")[w] || Foreign(w) {
			return nil
		}
	}
	found := map[string]bool{}
	for _, m := range vocabulary.Property().FindWords(list) {
		switch m.Meaning {
		case "other":
			return nil
		case "weak":
		default:
			found[m.Meaning] = true
		}
	}
	return found
}
