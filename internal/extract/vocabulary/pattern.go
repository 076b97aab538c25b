package vocabulary

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"understudy.example/internal/lazyregexp"
)

// wordFiles are the tables whose terms occur in patterns and sets.
//
//go:embed addresses.tsv answers.tsv buildings.tsv compared.tsv connectives.tsv contacts.tsv corrections.tsv countries.tsv cues.tsv dates.tsv domains.tsv fillers.tsv firms.tsv
//go:embed headings.tsv job_titles.tsv legal_forms.tsv letters.tsv limits.tsv money.tsv names.tsv other_labels.tsv placeholders.tsv phrases.tsv property.tsv running_text.tsv
//go:embed protection.tsv sites.tsv stated.tsv statements.tsv units.tsv wishes.tsv work.tsv years.tsv
var wordFiles embed.FS

// wordTables are the terms of the tables in wordFiles, by the name of the file and the meaning:
// "answers.yes".
var wordTables sync.Map

// terms returns the terms with a meaning, such as "answers.yes", or with a meaning and a class, such as
// "dates.unit/months".
func terms(name string) []Entry {
	file, meaning, _ := strings.Cut(name, ".")
	table, ok := wordTables.Load(file)
	if !ok {
		byMeaning := map[string][]Entry{}
		for _, e := range Entries(file) {
			byMeaning[e.Meaning] = append(byMeaning[e.Meaning], e)
		}
		table, _ = wordTables.LoadOrStore(file, byMeaning)
	}
	meaning, class, one := strings.Cut(meaning, "/")
	found := table.(map[string][]Entry)[meaning]
	if one {
		found = slices.DeleteFunc(slices.Clone(found), func(e Entry) bool { return e.Class != class })
	}
	if len(found) == 0 {
		panic("vocabulary: no terms " + name)
	}
	return found
}

// Pattern returns a regular expression with words of tables: {{answers.yes}} stands for the terms
// with the meaning "yes" in answers.tsv, as alternatives, and {{dates.unit/months}} for those that also have
// the class "months". {{answers.yes|answers.no}} stands for the terms of both. A term that ends with * stands for all
// words that begin with it, and an apostrophe for both of its forms.
func Pattern(expression string) *lazyregexp.Regexp {
	return lazyregexp.Build(func() string { return fill(expression) })
}

// fill replaces the names of terms in an expression.
func fill(expression string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(expression, "{{")
		if !found {
			out.WriteString(before)
			return out.String()
		}
		names, after, _ := strings.Cut(rest, "}}")
		var all []Entry
		for name := range strings.SplitSeq(names, "|") {
			all = append(all, terms(name)...)
		}
		before, begins := strings.CutSuffix(before, boundary)
		after, ends := strings.CutPrefix(after, boundary)
		out.WriteString(before)
		out.WriteString(alternation(all, begins, ends))
		expression = after
	}
}

// boundary is the pattern of a boundary of a word. It knows only ASCII letters, so it does not match
// between a space and "é".
const boundary = `\b`

// alternation returns a pattern for any of the terms, the longest first. If begins or ends is set, a
// match must begin or end at a boundary of a word.
func alternation(terms []Entry, begins, ends bool) string {
	texts := make([]string, len(terms))
	for i, e := range terms {
		texts[i] = e.Term
	}
	slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
	texts = slices.Compact(texts)
	if !begins {
		return anyOf(texts, ends)
	}
	// Matching is faster with one boundary before all terms than with one before each.
	isASCII := func(text string) bool { return text[0] < utf8.RuneSelf }
	other := slices.DeleteFunc(slices.Clone(texts), isASCII)
	texts = slices.DeleteFunc(texts, func(text string) bool { return !isASCII(text) })
	switch {
	case len(other) == 0:
		return boundary + anyOf(texts, ends)
	case len(texts) == 0:
		return anyOf(other, ends)
	}
	return "(?:" + boundary + anyOf(texts, ends) + "|" + anyOf(other, ends) + ")"
}

// anyOf returns a pattern for any of the texts.
func anyOf(texts []string, ends bool) string {
	isWord := func(text string) bool { last := text[len(text)-1]; return last < utf8.RuneSelf && last != '*' }
	after, each := "", ""
	if ends {
		each = boundary
		if !slices.ContainsFunc(texts, func(text string) bool { return !isWord(text) }) {
			after, each = boundary, ""
		}
	}
	patterns := make([]string, len(texts))
	for i, text := range texts {
		stem, open := strings.CutSuffix(text, "*")
		patterns[i] = strings.ReplaceAll(regexp.QuoteMeta(stem), "'", "['’]")
		switch {
		case open:
			patterns[i] += `\pL*`
		case isWord(text):
			patterns[i] += each
		}
	}
	return "(?:" + strings.Join(patterns, "|") + ")" + after
}

// Set returns the terms with a meaning in a table, such as "answers.yes".
func Set(name string) map[string]bool {
	set, ok := sets.Load(name)
	if !ok {
		words := map[string]bool{}
		for _, e := range terms(name) {
			words[e.Term] = true
		}
		set, _ = sets.LoadOrStore(name, words)
	}
	return set.(map[string]bool)
}

var sets sync.Map

// Classes returns the classes of the terms with a meaning in a table, such as "answers.alone", by
// term.
func Classes(name string) map[string]string {
	classes, ok := classesOf.Load(name)
	if !ok {
		byTerm := map[string]string{}
		for _, e := range terms(name) {
			byTerm[e.Term] = e.Class
		}
		classes, _ = classesOf.LoadOrStore(name, byTerm)
	}
	return classes.(map[string]string)
}

var classesOf sync.Map

// Terms returns the terms with a meaning in a table, such as "years.revenue", in the order of the
// file.
func Terms(name string) []string {
	var texts []string
	for _, e := range terms(name) {
		texts = append(texts, e.Term)
	}
	return texts
}

// TableOf returns the terms with a meaning in a table, such as "legal_forms.country", for the
// search in texts.
func TableOf(name string) *Table {
	table, ok := tables.Load(name)
	if !ok {
		t := newTable()
		for _, e := range terms(name) {
			t.add(e)
		}
		table, _ = tables.LoadOrStore(name, t)
	}
	return table.(*Table)
}

var tables sync.Map

// Entries returns the terms of a table such as "statements", in the order of the file.
func Entries(file string) []Entry {
	text, err := wordFiles.ReadFile(file + ".tsv")
	if err != nil {
		panic("vocabulary: no table " + file)
	}
	return entries(string(text))
}

// Meanings returns the meanings and classes of the terms of a table such as "phrases", each once, in the
// order of the file.
func Meanings(file string) []Entry {
	var list []Entry
	for _, e := range Entries(file) {
		if e = (Entry{Meaning: e.Meaning, Class: e.Class}); !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}
