package vocabulary

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"understudy.example/internal/memo"
)

//go:embed schedules.tsv
var schedulesFile string

// List is the vocabulary of one class of schedules.tsv.
type List struct {
	terms      map[string][]listTerm      // by the meaning "title", …; "" for those of columns
	firsts     map[string]map[string]bool // the first words of the terms of each meaning
	exact      map[string]Header          // columns, by their words in order
	sorted     map[string]Header          // columns, by their words in alphabetical order
	joined     map[string]Header          // columns, by their letters without spaces
	known      map[string]bool            // all words of columns
	qualifiers map[string]bool            // words that can stand beside a term, although other terms contain them
	forms      map[string]string          // field of an entry, by the name of a form field
}

type listTerm struct {
	words []string
	Header
}

// Knows reports whether one of the words belongs to the header of a column.
func (l *List) Knows(words Phrase) bool {
	return slices.ContainsFunc(words, func(w string) bool { return l.known[w] })
}

// Header is what the header of a column means.
type Header struct {
	Meaning string
	General bool    // too general to decide the kind of a table
	Fit     float64 // from 0 to 1
}

// schedules holds the lists of schedules.tsv. It is filled at first use, because worker
// processes must start quickly.
var schedules = sync.OnceValue(func() *scheduleTable { return readSchedules(schedulesFile) })

type scheduleTable struct {
	lists   map[string]*List
	filler  map[string]bool
	abbrs   map[string]string
	symbols *strings.Replacer // abbreviations with other characters than letters
	none    map[string]bool
	totals  map[string]bool
}

// Phrase is the words of a text in the form in which they are compared: in lower case,
// without accents, plural endings and fillers, with abbreviations spelled out. It must not be changed.
type Phrase []string

// NewPhrase returns the phrase of a text; an empty one if the text is long.
func NewPhrase(text string) Phrase {
	if len(text) > 100 {
		return nil
	}
	return phrases.Of(text)
}

var phrases = memo.New(func(text string) Phrase { return schedules().words(text) })

// Schedule returns the vocabulary of a class of schedules.tsv.
func Schedule(class string) *List { return schedules().lists[class] }

// readSchedules reads the table. Lines of fillers and abbreviations come first.
func readSchedules(file string) *scheduleTable {
	t := &scheduleTable{lists: map[string]*List{}, filler: map[string]bool{}, abbrs: map[string]string{}, none: map[string]bool{}, totals: map[string]bool{}}
	var symbols []string
	for line := range strings.Lines(file) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 5 {
			panic("vocabulary: not five columns: " + line)
		}
		meaning, class := columns[0], columns[1]
		for text := range strings.SplitSeq(columns[4], "|") {
			switch meaning {
			case "filler":
				t.filler[text] = true
			case "abbreviation":
				if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
					symbols = append(symbols, text, " "+class+" ", strings.ToUpper(text), " "+class+" ")
					t.symbols = strings.NewReplacer(symbols...)
				} else {
					t.abbrs[singularOf(foldLetters(text))] = class
				}
			case "none":
				t.none[strings.Join(t.words(text), " ")] = true
			case "total":
				t.totals[strings.Join(t.words(text), "")] = true
			default:
				t.add(class, meaning, text)
			}
		}
	}
	return t
}

func (t *scheduleTable) add(class, meaning, text string) {
	l := t.lists[class]
	if l == nil {
		l = &List{map[string][]listTerm{}, map[string]map[string]bool{}, map[string]Header{}, map[string]Header{}, map[string]Header{}, map[string]bool{}, map[string]bool{}, map[string]string{}}
		t.lists[class] = l
	}
	if meaning == "form" {
		name, field, _ := strings.Cut(text, "=")
		l.forms[name] = field
		return
	}
	text, general := strings.CutSuffix(text, "?")
	term := listTerm{t.words(text), Header{meaning, general, 1}}
	switch meaning {
	case "qualifier":
		l.qualifiers[term.words[0]] = true
		return
	case "title", "label", "insured", "property", "trailer", "brand":
		l.terms[meaning] = append(l.terms[meaning], term)
		if l.firsts[meaning] == nil {
			l.firsts[meaning] = map[string]bool{}
		}
		l.firsts[meaning][term.words[0]] = true
		return
	}
	l.terms[""] = append(l.terms[""], term)
	for _, index := range []struct {
		terms map[string]Header
		key   string
	}{{l.exact, strings.Join(term.words, " ")}, {l.sorted, sortedKey(term.words)}} {
		if index.terms[index.key].Fit == 0 {
			index.terms[index.key] = term.Header
		}
	}
	if letters := strings.Join(term.words, ""); l.joined[letters].Fit == 0 {
		l.joined[letters] = Header{meaning, general, 0.9}
	}
	for _, w := range term.words {
		l.known[w] = true
	}
}

// Column returns the meaning of the header of a column. The order of the words, plural
// endings and abbreviations do not matter. A header can have one or two more words that no
// known header of the list contains, and spaces within words, as in "Ye ar".
func (l *List) Column(words Phrase) (Header, bool) {
	if !l.Knows(words) {
		h, ok := l.joined[strings.Join(words, "")]
		return h, ok
	}
	// "Number of claims" is not "claim number".
	if h, ok := l.exact[strings.Join(words, " ")]; ok {
		return h, true
	}
	if h, ok := l.sorted[sortedKey(words)]; ok {
		return h, true
	}
	if h, ok := l.joined[strings.Join(words, "")]; ok {
		return h, true
	}
	bare := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return l.qualifiers[w] })
	if h, ok := l.sorted[sortedKey(bare)]; ok && len(bare) > 0 && !h.General {
		h.Fit = 0.85
		return h, true
	}
	unknown := 0
	for _, w := range words {
		if !l.known[w] {
			unknown++
		}
	}
	if unknown == 0 || unknown > 2 || unknown == len(words) {
		return Header{}, false
	}
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !l.known[w] })
	h, ok := l.sorted[sortedKey(kept)]
	if !ok || len(kept) == 1 && (unknown > 1 || h.General) {
		return Header{}, false
	}
	h.Fit = 0.85
	return h, true
}

// Is reports whether the text is a term with a meaning such as "title", which columns do
// not have. The text can have other words: one beside a term of one word, three beside a
// longer term.
func (l *List) Is(meaning string, words Phrase) bool {
	firsts := l.firsts[meaning]
	if !slices.ContainsFunc(words, func(w string) bool { return firsts[w] }) {
		return false
	}
	for _, term := range l.terms[meaning] {
		others := len(words) - len(term.words)
		if others < 0 || others > 3 || others > 1 && len(term.words) == 1 {
			continue
		}
		if containsRun(words, term.words) {
			return true
		}
	}
	return false
}

// Equals reports whether the text is a term with a meaning that columns do not have, with
// or without a number.
func (l *List) Equals(meaning string, words Phrase) bool {
	if n := len(words); n > 1 && strings.Trim(words[n-1], "0123456789") == "" {
		words = words[:n-1]
	}
	if n := len(words); n > 1 && words[n-1] == "number" {
		words = words[:n-1]
	}
	return slices.ContainsFunc(l.terms[meaning], func(t listTerm) bool { return slices.Equal(t.words, []string(words)) })
}

// Form returns the field of an entry that the name of a form field states. The second
// part of the name can be a line of business, which it returns too.
func (l *List) Form(name string) (field, line string, ok bool) {
	if field, ok = l.forms[name]; ok {
		return field, "", true
	}
	if parts := strings.Split(name, "_"); len(parts) == 3 {
		field, ok = l.forms[parts[0]+"_*_"+parts[2]]
		return field, parts[1], ok
	}
	return "", "", false
}

// IsTotal reports whether the text begins like a row of totals.
func IsTotal(text string) bool {
	t := schedules()
	words := t.words(text)
	if len(words) == 0 || len(text) > 100 {
		return false
	}
	letters := strings.Join(strings.Fields(foldLetters(text)), "") // of broken words: "TO TA L"
	return t.totals[words[0]] || len(words) > 1 && t.totals[words[0]+words[1]] || t.totals[letters]
}

// IsNone reports whether the text says that there is nothing.
func IsNone(text string) bool {
	return len(text) <= 60 && schedules().none[strings.Join(schedules().words(text), " ")]
}

// words returns the words of a phrase.
func (t *scheduleTable) words(text string) []string {
	if t.symbols != nil && (strings.Contains(text, "/") || strings.Contains(text, "°") || strings.Contains(text, "º")) {
		text = t.symbols.Replace(text)
	}
	var out strings.Builder
	previous := ' '
	for _, r := range text {
		switch {
		case r == '#':
			out.WriteString(" number ")
		case unicode.IsLetter(r):
			if unicode.IsUpper(r) && unicode.IsLower(previous) {
				out.WriteByte(' ')
			}
			out.WriteRune(r)
		case unicode.IsDigit(r):
			out.WriteRune(r)
		case r == '\'' || r == '’' || r == '.' && unicode.IsUpper(previous):
			// "insured's" and "S.I." remain one word.
		default:
			out.WriteByte(' ')
		}
		previous = r
	}
	fields := strings.Fields(foldLetters(out.String()))
	kept := make([]string, 0, len(fields))
	for _, w := range fields {
		w = singularOf(w)
		if full, ok := t.abbrs[w]; ok {
			w = full
		}
		if !t.filler[w] {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return fields
	}
	return kept
}

var accents = strings.NewReplacer("à", "a", "á", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ù", "u", "ú", "u", "û", "u", "ü", "u", "ß", "ss", "œ", "oe")

func foldLetters(text string) string {
	text = strings.ToLower(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		return accents.Replace(text)
	}
	return text
}

func singularOf(word string) string {
	if n := len(word); n > 3 && word[n-1] == 's' && word[n-2] != 's' && word[n-2] != 'u' && word[n-2] != 'i' {
		return word[:n-1]
	}
	return word
}

// sortedKey joins the words in alphabetical order, each once.
func sortedKey(words []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(words)))
	return strings.Join(sorted, " ")
}

// containsRun reports whether the words contain the others without a gap.
func containsRun(words, others []string) bool {
	for i := 0; i+len(others) <= len(words); i++ {
		if slices.Equal(words[i:i+len(others)], others) {
			return true
		}
	}
	return false
}
