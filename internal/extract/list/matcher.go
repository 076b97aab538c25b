// Package list defines the kinds of lists that documents contain, such as vehicles and claims:
// the columns of their tables, and the types of the values of their entries.
package list

import (
	"understudy.example/internal/extract/vocabulary"
)

// Types parse values. They return false for a text that is not of the type.
type Types struct {
	Date    func(text string) (string, bool) // YYYY-MM-DD
	Money   func(text string) (string, bool) // "1,000.00", also zero
	Missing func(text string) bool           // whether the text is a placeholder
}

// Limits of one document.
const (
	MaxCell        = 300 // bytes of a value
	MaxColumns     = 200
	maxHeaderCells = 30_000 // of rows that look like headers and are examined
)

// Matcher finds the meanings of headers and labels in a document, and types their values.
type Matcher struct {
	Types
	headers map[string]map[string]match // of headers, by list and text

	headerCells int
	Title       string // list that the last heading names
	TitleAge    int    // lines since
}

// NewMatcher returns a matcher for one document.
func NewMatcher(types Types) *Matcher {
	return &Matcher{Types: types, headers: map[string]map[string]match{}}
}

type match struct {
	vocabulary.Header
	ok bool
}

// Column returns the meaning of a header for a list.
func (s *Matcher) Column(list, text string) (vocabulary.Header, bool) {
	known := s.headers[list]
	if known == nil {
		known = map[string]match{}
		s.headers[list] = known
	}
	m, ok := known[text]
	if !ok {
		m.Header, m.ok = vocabulary.Schedule(list).Column(vocabulary.NewPhrase(text))
		if len(known) < 10_000 {
			known[text] = m
		}
	}
	return m.Header, m.ok
}

// Is reports whether the text is a term of the list with a meaning that columns do not have.
func (s *Matcher) Is(list, meaning, text string) bool {
	return vocabulary.Schedule(list).Is(meaning, vocabulary.NewPhrase(text))
}
