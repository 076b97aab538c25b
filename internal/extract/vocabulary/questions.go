package vocabulary

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed questions.tsv
var questionsFile string

// questions holds the terms of questions.tsv.
type questions struct {
	byWord map[string][]question // by the alternatives of their first group of words
	asking map[string]bool
	others []string
}

// question is a term: at least one word of each group must occur.
type question struct {
	field  string
	groups [][]string
}

var questionTable = sync.OnceValue(func() *questions {
	t := &questions{byWord: map[string][]question{}, asking: map[string]bool{}}
	for _, e := range entries(questionsFile) {
		switch e.Meaning {
		case "asking":
			t.asking[alternatives(e.Term)[0]] = true
			continue
		case "other":
			t.others = append(t.others, alternatives(e.Term)...)
			continue
		}
		q := question{field: e.Meaning}
		for group := range strings.SplitSeq(e.Term, " ") {
			q.groups = append(q.groups, alternatives(group))
		}
		// The term is found by a group without prefixes.
		first := slices.IndexFunc(q.groups, func(group []string) bool { return !strings.Contains(strings.Join(group, ""), "*") })
		q.groups[0], q.groups[first] = q.groups[first], q.groups[0]
		for _, w := range q.groups[0] {
			t.byWord[w] = append(t.byWord[w], q)
		}
	}
	return t
})

// alternatives splits a group of words, in the form that Words returns.
func alternatives(group string) []string {
	words := strings.Split(group, "/")
	for i, w := range words {
		if !strings.HasSuffix(w, "*") {
			words[i] = singular(w)
		}
	}
	return words
}

// Limits of a question.
const (
	maxQuestion = 200 // bytes
	maxAsked    = 25  // words
)

// Question returns the field that a question asks for: "Where are you based?" asks for the
// address. The text is a question if it ends with a question mark or begins like one. It
// returns nothing if terms of different fields match equally well.
func Question(text string) (field string, ok bool) {
	if len(text) > maxQuestion {
		return "", false
	}
	t, words := questionTable(), Words(text)
	if len(words) < 2 || len(words) > maxAsked || !strings.HasSuffix(strings.TrimRight(text, " *_:"), "?") && !t.asking[words[0]] {
		return "", false
	}
	best := 0
	for i, w := range words {
		for _, q := range t.byWord[w] {
			score := q.matches(words, i, t.others)
			switch {
			case score > best:
				field, best = q.field, score
			case score == best && score > 0 && q.field != field:
				field = ""
			}
		}
	}
	return field, field != ""
}

// matches returns the number of different words of the question that the term covers; 0 if
// a group does not occur, or if another word says that the question is about something else.
func (q question) matches(words []string, first int, others []string) int {
	used := make([]bool, len(words))
	used[first] = true
	for _, group := range q.groups[1:] {
		found := false
		for i, w := range words {
			if !used[i] && anyWord(group, w) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			return 0
		}
	}
	for i, w := range words {
		if !used[i] && anyWord(others, w) {
			return 0
		}
	}
	return len(q.groups)
}

// anyWord reports whether a word is one of the alternatives.
func anyWord(alternatives []string, word string) bool {
	for _, a := range alternatives {
		if stem, open := strings.CutSuffix(a, "*"); a == word || open && strings.HasPrefix(word, stem) {
			return true
		}
	}
	return false
}
