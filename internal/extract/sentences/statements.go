package sentences

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// A statement is a sentence that answers a question.
type statement struct {
	field, answer string
	form          *lazyregexp.Regexp
}

// statements are the terms of statements.tsv.
var statements = sync.OnceValues(func() ([]statement, *lazyregexp.Set) {
	var list []statement
	var forms []*lazyregexp.Regexp
	for _, e := range vocabulary.Entries("statements") {
		parts := strings.Split(e.Term, " + ")
		for i, part := range parts {
			parts[i] = anyOf(part)
		}
		form := lazyregexp.New(`(?i)` + strings.Join(parts, `\b[^.\n]{0,80}`))
		list = append(list, statement{e.Meaning, e.Class, form})
		forms = append(forms, form)
	}
	return list, lazyregexp.NewSet(forms)
})

// anyOf returns a pattern for the alternatives of a part of a term.
func anyOf(part string) string {
	words := strings.Split(part, "/")
	for i, w := range words {
		words[i] = regexp.QuoteMeta(strings.TrimSuffix(w, "*"))
		if first, _ := utf8.DecodeRuneInString(w); unicode.IsLetter(first) {
			words[i] = `\b` + words[i]
		}
	}
	return "(?:" + strings.Join(words, "|") + ")"
}
