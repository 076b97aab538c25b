// Package vocabulary holds the words of insurance documents as data, and finds them in
// text or puts them into patterns. Each table is an embedded file, whose first lines
// describe its columns. The package knows nothing about documents.
package vocabulary

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Term is one of the texts that have a meaning.
type Term struct {
	Meaning string // the name that the service uses, such as "Business Interruption"
	Class   string // see the first lines of the table
	English bool
	words   []string
}

// Match is a place in a text where a term occurs.
type Match struct {
	*Term
	First, Last int // indexes of its first and last word in Words(text)
}

// Table is a set of terms.
type Table struct {
	heads  [buckets][]head     // by the shape of the first word of the terms
	shapes [shapes / 64]uint64 // a bit for the shape of each first word
	filler map[string]bool     // words that can stand beside a term without changing its meaning
}

// head is a word with the terms that begin with it.
type head struct {
	word  string
	terms []Term
}

const (
	shapes  = 8192
	buckets = 256
)

// shape returns a hash of a word, which is less than shapes.
func shape(word string) int {
	n := len(word)
	if n == 0 {
		return 0
	}
	const letters = 37
	return (((n*letters+int(word[n-1]))*letters+int(word[n/2]))*letters + int(word[0])) % shapes
}

// startingWith returns the terms whose first word is the given one. Most words of a text begin no
// term, and the shape of a word shows this quickly.
func (t *Table) startingWith(word string) []Term {
	if s := shape(word); t.begins(s) {
		return t.termsOf(word, s)
	}
	return nil
}

// begins reports whether a term can begin with a word of this shape.
func (t *Table) begins(shape int) bool { return t.shapes[shape/64]&(1<<(shape%64)) != 0 }

func (t *Table) termsOf(word string, s int) []Term {
	for i := range t.heads[s%buckets] {
		if h := &t.heads[s%buckets][i]; h.word == word {
			return h.terms
		}
	}
	return nil
}

//go:embed labels.tsv
var labelsFile string

//go:embed headers.tsv
var headersFile string

//go:embed columns.tsv
var columnsFile string

//go:embed abbreviations.tsv
var abbreviationsFile string

//go:embed qualifiers.tsv
var qualifiersFile string

//go:embed property.tsv
var propertyFile string

//go:embed protection.tsv
var protectionFile string

//go:embed sites.tsv
var sitesFile string

//go:embed covers.tsv
var coversFile string

//go:embed sections.tsv
var sectionsFile string

//go:embed closings.tsv
var closingsFile string

//go:embed totals.tsv
var totalsFile string

//go:embed titles.tsv
var titlesFile string

// The tables are read at first use, because worker processes must start quickly.
var (
	// Labels are the labels before values, by field, in the order of the file.
	Labels = sync.OnceValue(func() []Entry { return entries(labelsFile) })
	// Headers are the headers of statements of values, by field.
	Headers = sync.OnceValue(func() []Entry { return entries(headersFile) })
	// Abbreviations are the words that abbreviations in headers stand for, by abbreviation.
	// If the word is empty, the abbreviation is ignored.
	Abbreviations = sync.OnceValue(func() map[string]string { return abbreviations(abbreviationsFile) })
	// HeaderWords are the words that name a field in a header with unknown words. Words with the
	// meaning "other" name no field.
	HeaderWords = sync.OnceValue(func() *Table { return parse(columnsFile) })
	// qualifiers are the words of qualifiers.tsv, by meaning.
	qualifiers = sync.OnceValue(func() map[string]map[string]bool {
		words := map[string]map[string]bool{}
		for _, e := range entries(qualifiersFile) {
			if e.Class != alike {
				if words[e.Meaning] == nil {
					words[e.Meaning] = map[string]bool{}
				}
				words[e.Meaning][e.Term] = true
			}
		}
		return words
	})
	// Alike maps words in headers to another word with the same meaning.
	Alike = sync.OnceValue(func() map[string]string {
		words := map[string]string{}
		for _, e := range entries(qualifiersFile) {
			if e.Class == alike {
				words[e.Term] = e.Meaning
			}
		}
		return words
	})
	// Property are the words for insured property and other amounts in sentences.
	Property = sync.OnceValue(func() *Table { return parse(propertyFile) })
	// Protection are the words for construction and protection in sentences.
	Protection = sync.OnceValue(func() *Table { return parse(protectionFile) })
	// Sites are the headings and labels of insured places.
	Sites = sync.OnceValue(func() *Table { return parse(sitesFile) })
	// Covers are the names of insurance covers and lines of business. The class of a term
	// is the line of business to which it belongs.
	Covers = sync.OnceValue(func() *Table { return parse(coversFile) })
	// Sections are the headings below which covers are listed. The class is empty.
	Sections = sync.OnceValue(func() *Table { return parse(sectionsFile) })
	// Closings are the words that close a letter, before its signature.
	Closings = sync.OnceValue(func() *Table { return parse(closingsFile) })
	// Totals are the words with which rows of totals begin.
	Totals = sync.OnceValue(func() *Table { return parse(totalsFile) })
	// Titles are the words that name a document in its title. The class is empty.
	Titles = sync.OnceValue(func() *Table { return parse(titlesFile) })
)

// alike is the class of words in qualifiers.tsv that mean the same as another word.
const alike = "alike"

// Qualifiers returns the words with a meaning in qualifiers.tsv.
func Qualifiers(meaning string) map[string]bool { return qualifiers()[meaning] }

// Entry is a term of a table whose terms are compared as a whole.
type Entry struct{ Meaning, Class, Language, Term string }

// entries reads a table: columns separated by tabs (meaning, class, language, source,
// terms), terms separated by bars. Lines that begin with # are comments.
func entries(file string) []Entry {
	list := make([]Entry, 0, strings.Count(file, "\n")+strings.Count(file, "|"))
	for line := range strings.Lines(file) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 5 {
			panic("vocabulary: not five columns: " + line)
		}
		for term := range strings.SplitSeq(columns[4], "|") {
			list = append(list, Entry{columns[0], columns[1], columns[2], term})
		}
	}
	return list
}

// abbreviations returns the words by their abbreviations. Long words are also abbreviated by leaving
// out their vowels: "sprnklrs", "cnstrctn".
func abbreviations(file string) map[string]string {
	words := map[string]string{}
	for _, e := range entries(file) {
		words[e.Term] = e.Meaning
	}
	for _, e := range entries(file) {
		if len(e.Meaning) < minSpelledOut {
			continue
		}
		stem := strings.TrimSuffix(e.Meaning, "s")
		for _, form := range []string{stem, stem + "s", stem + "ed"} {
			if short := withoutVowels(form); words[short] == "" && short != form {
				words[short] = e.Meaning
			}
		}
	}
	return words
}

const minSpelledOut = 7 // bytes of a word whose vowels can be left out

// withoutVowels returns a word without its vowels, except the first letter.
func withoutVowels(word string) string {
	return word[:1] + strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiou", r) {
			return -1
		}
		return r
	}, word[1:])
}

// parse reads a table whose terms are searched for in text. The meaning "filler" lists the
// filler words. Terms of the class "pattern" are only parts of patterns.
func parse(file string) *Table {
	t := newTable()
	for _, e := range entries(file) {
		if e.Class != "pattern" {
			t.add(e)
		}
	}
	return t
}

func newTable() *Table { return &Table{filler: map[string]bool{}} }

func (t *Table) add(e Entry) {
	words := Words(e.Term)
	if e.Meaning == "filler" {
		t.filler[words[0]] = true
		return
	}
	t.addTerm(Term{e.Meaning, e.Class, e.Language == "en", words})
}

func (t *Table) addTerm(term Term) {
	first := term.words[0]
	s := shape(first)
	t.shapes[s/64] |= 1 << (s % 64)
	bucket := &t.heads[s%buckets]
	at := slices.IndexFunc(*bucket, func(h head) bool { return h.word == first })
	if at < 0 {
		at = len(*bucket)
		*bucket = append(*bucket, head{word: first})
	}
	(*bucket)[at].terms = append((*bucket)[at].terms, term)
}

const usualMatches = 4 // in a text

// Find returns the terms in the text from left to right, at each place the longest one.
// Case, punctuation and plural endings do not matter.
func (t *Table) Find(text string) []Match { return t.FindWords(Words(text)) }

// FindWords is Find for a text that has been split by Words.
func (t *Table) FindWords(words []string) []Match {
	var found []Match
	for i := 0; i < len(words); i++ {
		best := Match{Last: -1}
		s := shape(words[i])
		if !t.begins(s) {
			continue
		}
		terms := t.termsOf(words[i], s)
		for k := range terms {
			term := &terms[k]
			if n := len(term.words); i+n <= len(words) && i+n-1 > best.Last && equal(term.words, words[i:i+n]) {
				best = Match{term, i, i + n - 1}
			}
		}
		if best.Last >= 0 {
			if found == nil {
				found = make([]Match, 0, usualMatches)
			}
			found = append(found, best)
			i = best.Last
		}
	}
	return found
}

// Whole returns the terms of which a text consists, apart from filler words and at most
// the given number of other words. It returns nothing if the text consists of something
// else.
func (t *Table) Whole(text string, others int) []Match {
	words := Words(text)
	found := t.FindWords(words)
	if len(found) == 0 {
		return nil
	}
	next := 0
	for i, w := range words {
		for next < len(found) && found[next].Last < i {
			next++
		}
		if next < len(found) && found[next].First <= i || t.Filler(w) {
			continue
		}
		if others--; others < 0 {
			return nil
		}
	}
	return found
}

// Filler reports whether a word, as Words returns it, can stand beside a term without
// changing its meaning.
func (t *Table) Filler(word string) bool { return t.filler[word] }

// Means reports whether a word, as Words returns it, is a term with the meaning.
func (t *Table) Means(word, meaning string) bool {
	return slices.ContainsFunc(t.startingWith(word), func(term Term) bool { return len(term.words) == 1 && term.Meaning == meaning })
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
