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

// bareForms are the fields of the known headers by the form that bareForm returns. A form that
// belongs to several fields has none.
var bareForms = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, h := range vocabulary.Headers() {
		key := bareForm(words.Key(h.Term))
		if key == "" {
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
	var stems []string
	for w := range strings.SplitSeq(longForm(key), " ") {
		if w != "" && vocabulary.Qualifiers()[w] != "qualifier" {
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
var headerParts = lazyregexp.New(`\s*[/,&+;]\s*|\s+(?:and|und|et|y|en|e|or|incl\.?|including)\s+`)

// AnyHeader finds the field of a header that is known or similar to a known one.
func AnyHeader(text string) (Match, bool) {
	if m, ok := Header(text); ok {
		return m, true
	}
	return SimilarHeader(text)
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
		}
	}
	if len(found) == 0 {
		found = headWords(longForm(words.Key(bare)))
	}
	field := ""
	switch {
	case len(found) == 0:
		return Match{}, false
	case found["location_city"] && (found["location_state"] || found["location_postal_code"]):
		field = "~city_line"
		if found["location_address"] {
			field = "location_address"
		}
	case found["building_value"] && (found["contents_tiv"] || found["~equipment"] || found["stock_tiv"]):
		field = "location_pd"
	default:
		for _, f := range []string{"contents_tiv", "~equipment", "stock_tiv", "business_interruption_value", "~rents", "building_value", "construction_type"} {
			if found[f] {
				field = f
				break
			}
		}
	}
	return Match{Field: field, From: source.Fuzzy}, field != ""
}

func composedPart(text string) (Match, bool) {
	key := longForm(words.Key(text))
	if m, ok := HeaderForms()[key]; ok {
		return Match{Field: m.Field, From: source.Fuzzy}, true
	}
	field := bareForms()[bareForm(key)]
	return Match{Field: field, From: source.Fuzzy}, field != ""
}

// headWords returns the fields of sums that single words of a header name, if its other words
// do not name something else.
func headWords(key string) map[string]bool {
	found := map[string]bool{}
	for w := range strings.SplitSeq(key, " ") {
		if Foreign[w] || vocabulary.Qualifiers()[w] == "no sum" {
			return nil
		}
		m, ok := HeaderForms()[w]
		if !ok {
			m, ok = HeaderForms()[singularForm(w)]
		}
		if ok && (m.Field == "contents_tiv" || m.Field == "~equipment" || m.Field == "stock_tiv" || m.Field == "building_value") {
			found[m.Field] = true
		}
	}
	return found
}
