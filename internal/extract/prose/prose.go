// Package prose finds what sentences state about a policy and its insured: the field of an
// amount, a date or a year is the one that the nearest words in the same clause name. It is
// a pure function of a text and the places of its values; the words are in the table
// cues.tsv of package vocabulary.
package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/extract/vocabulary"
)

// Value is the place of a value in the text, in bytes.
type Value struct {
	Kind       vocabulary.ValueKind
	Start, End int
}

// Statement says which field a value has.
type Statement struct {
	Value
	Field string
	Fit   float64 // from 0 to 1: how near the words are
}

// Limits of the words between a value and the words that name its field.
const (
	maxBefore = 8
	maxAfter  = 4
	maxValues = 40 // of a text

	fitOfWish = 0.98
	fitWeak   = 0.5
)

// Text is a text whose words have been found.
type Text struct {
	text  string
	words []vocabulary.Word
	keys  []string
	cues  map[vocabulary.ValueKind][]vocabulary.Match // see cuesFor
	ends  []int                                       // indexes of the bytes at which clauses end
	terms map[string][]vocabulary.Match               // words of wishes, by their meaning
}

// New finds the words of a text.
func New(text string) Text {
	return Text{text: text, words: vocabulary.Split(text), keys: vocabulary.Words(text), cues: map[vocabulary.ValueKind][]vocabulary.Match{}}
}

// cuesFor returns the words that name fields for values of a kind.
func (t Text) cuesFor(kind vocabulary.ValueKind) []vocabulary.Match {
	cues, known := t.cues[kind]
	if !known {
		cues = slices.DeleteFunc(vocabulary.Cues(kind).FindWords(t.keys), func(m vocabulary.Match) bool {
			written := t.text[t.words[m.First].Start:t.words[m.Last].End]
			return m.Class == "^" && written != strings.ToUpper(written) || m.Class == ">*" && !t.aboutPremium()
		})
		t.cues[kind] = cues
	}
	return cues
}

// aboutPremium reports whether the text has a word for premiums or for the expiring policy.
func (t Text) aboutPremium() bool {
	premium := vocabulary.Set("compared.premium")
	return slices.ContainsFunc(t.keys, func(w string) bool { return premium[w] }) || len(vocabulary.TableOf("compared.held").FindWords(t.keys)) > 0
}

// isLimit reports whether an amount is one of several limits, or at least a million: "looking for 1M/2M/2M".
func (t Text) isLimit(v Value) bool {
	amount := t.text[v.Start:v.End]
	return strings.HasPrefix(t.text[v.End:], "/") || strings.ContainsAny(amount, "mM") || thousands.MatchString(amount)
}

// thousands matches an amount with two separators of thousands.
var thousands = vocabulary.Pattern(`\d[,.'’ ]\d{3}[,.'’ ]\d{3}`)

// Mentions reports whether the text contains words that name a field for values of the
// kind.
func (t Text) Mentions(kind vocabulary.ValueKind) bool {
	return slices.ContainsFunc(t.cuesFor(kind), func(m vocabulary.Match) bool { return names(m) }) ||
		kind == vocabulary.Sum && len(vocabulary.TableOf("wishes.wish").FindWords(t.keys)) > 0
}

// Names reports whether the text contains words that name a field of sums.
func (t Text) Names(field string) bool {
	return slices.ContainsFunc(t.cuesFor(vocabulary.Sum), func(m vocabulary.Match) bool { return m.Meaning == field })
}

// names reports whether words name a field.
func names(m vocabulary.Match) bool { return !strings.HasPrefix(m.Meaning, "~") }

// Read returns the fields of the values, which are in the order of the text. A value whose
// nearest words name no field has none.
func (t Text) Read(values []Value) []Statement {
	var found []Statement
	t.ends = clauseEnds(t.text)
	if slices.ContainsFunc(values, func(v Value) bool { return v.Kind == vocabulary.Sum }) {
		t.terms = map[string][]vocabulary.Match{}
	}
	for i, v := range values[:min(len(values), maxValues)] {
		best, nearest := vocabulary.Match{}, maxBefore+1
		weak := false
		for _, m := range t.cuesFor(v.Kind) {
			if m.Class == "!" {
				if t.sameClause(m, v) {
					nearest = maxBefore + 1
					break
				}
				continue
			}
			d, ok := t.distance(m, values, i)
			if m.Class == "<?" {
				weak = weak || ok
				continue
			}
			if ok && (d < nearest || d == 0 && nearest == 0 && m.Class == "<" && !names(m)) { // "maximum £5,000 any one claim"
				best, nearest = m, d
			}
		}
		switch {
		case nearest > 0 && t.wished(values, i):
			found = append(found, Statement{v, "estimated_premium", fitOfWish})
		case nearest > maxBefore && weak:
			found = append(found, Statement{v, "estimated_premium", fitWeak})
		case nearest <= maxBefore && best.Class == ">*" && t.isLimit(v):
		case nearest <= maxBefore && names(best):
			best.Meaning = t.fieldBefore(best, values, i)
			found = append(found, Statement{v, best.Meaning, 1 - 0.02*float64(nearest)})
		}
	}
	return found
}

// fieldBefore returns the field that the words of a match name. If they are a verb that any amount can follow and words
// for revenue precede it, it returns the revenue: "Sales for 2031 came in at $5m".
func (t Text) fieldBefore(m vocabulary.Match, values []Value, i int) string {
	if !vocabulary.Set("connectives.amounts to")[strings.Join(t.keys[m.First:m.Last+1], " ")] {
		return m.Meaning
	}
	for _, noun := range t.cuesFor(values[i].Kind) {
		if noun.Last >= m.First || !names(noun) || noun.Meaning == m.Meaning {
			continue
		}
		if _, ok := t.distance(noun, values, i); ok && noun.Meaning == "annual_revenue" {
			return noun.Meaning
		}
	}
	return m.Meaning
}

// distance returns the number of words between a value and the words of a match, if these
// can name its field: in the same clause, near enough, and with no other value of the kind
// between.
func (t Text) distance(m vocabulary.Match, values []Value, i int) (int, bool) {
	v := values[i]
	start, end := t.words[m.First].Start, t.words[m.Last].End
	from, to, limit := end, v.Start, maxBefore
	switch {
	case end <= v.Start && !strings.HasPrefix(m.Class, "<"):
	case start >= v.End && !strings.HasPrefix(m.Class, ">"):
		from, to, limit = v.End, start, maxAfter
	default:
		return 0, false
	}
	if !t.sameClause(m, v) || start >= v.End && t.ofNext(m, values, i) || end <= v.Start && t.ofLast(m, values, i) {
		return 0, false
	}
	for _, other := range values {
		if other.Kind == v.Kind && other.Start >= from && other.End <= to && other != v && names(m) {
			return 0, false
		}
	}
	first, _ := slices.BinarySearchFunc(t.words, from, func(w vocabulary.Word, at int) int { return w.Start - at })
	last, _ := slices.BinarySearchFunc(t.words, to, func(w vocabulary.Word, at int) int { return w.Start - at })
	return last - first, last-first <= limit
}

// ofLast reports whether the words before a value belong to the previous value: they directly follow it, and a slash,
// bar or comma separates them from the next: "$44,000 target / $48,000 expiring".
func (t Text) ofLast(m vocabulary.Match, values []Value, i int) bool {
	start, end := t.words[m.First].Start, t.words[m.Last].End
	return i > 0 && values[i-1].Kind == values[i].Kind && values[i-1].End <= start && strings.TrimSpace(t.text[values[i-1].End:start]) == "" &&
		strings.ContainsAny(t.text[end:values[i].Start], "/|,")
}

// ofNext reports whether the words after a value are in brackets with a later value: "$5m (prior year $4m)".
func (t Text) ofNext(m vocabulary.Match, values []Value, i int) bool {
	v, start, end := values[i], t.words[m.First].Start, t.words[m.Last].End
	open := strings.LastIndexByte(t.text[v.End:start], '(')
	if open < 0 || strings.ContainsRune(t.text[v.End+open:start], ')') {
		return false
	}
	closed := strings.IndexByte(t.text[end:], ')')
	return slices.ContainsFunc(values[i+1:], func(other Value) bool {
		return other.Kind == v.Kind && other.Start >= end && (closed < 0 || other.Start < end+closed)
	})
}

// sameClause reports whether no clause ends between the words of a match and a value.
func (t Text) sameClause(m vocabulary.Match, v Value) bool {
	from, to := t.words[m.Last].End, v.Start
	if to < from {
		from, to = v.End, t.words[m.First].Start
	}
	at, _ := slices.BinarySearch(t.ends, from)
	return at == len(t.ends) || t.ends[at] >= to
}

// clauseEnds returns the places of the marks that end a clause: a semicolon, and a mark that
// ends a sentence before a word with a capital letter.
func clauseEnds(text string) []int {
	var ends []int
	for i, r := range text {
		switch r {
		case ';', '\n', '•', '|':
			ends = append(ends, i)
		case '.', '!', '?':
			rest := text[i+1:]
			trimmed := strings.TrimLeft(rest, " \t")
			next, _ := utf8.DecodeRuneInString(trimmed)
			if len(trimmed) < len(rest) && !unicode.IsLower(next) && !unicode.IsDigit(next) && !abbreviated(text[:i]) {
				ends = append(ends, i)
			}
		}
	}
	return ends
}

// abbreviated reports whether a text ends with an abbreviation, without its full stop, such
// as "c", "i.e" or "approx".
func abbreviated(text string) bool {
	word := strings.ReplaceAll(text[strings.LastIndexAny(text, " \t(")+1:], ".", "")
	return len(word) <= 2 && !strings.ContainsAny(word, "0123456789") || strings.EqualFold(word, "approx") || strings.EqualFold(word, "circa")
}
