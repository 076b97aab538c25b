// Package schedule extracts the lists of a document, such as vehicles, claims, employees
// by class, policies and additional interests, from its tables, from blocks of labels
// that repeat, and from form fields. The vocabulary decides what a header or a label
// means, and the set of recognised columns decides the kind of a table. The package does
// not know how documents are read or how values are chosen.
package schedule

import (
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/vocabulary"
)

// Block is a piece of a document: one of Text, Label with Value, and Table.
type Block struct {
	Text         string // a line
	Label, Value string // a form field
	Table        *content.Table
	Taken        map[int]bool // rows of the table that belong to a statement of values
	Part         int
	Place        content.Place
	Printed      bool // the part is a printed form, whose labels are close to each other
}

// Types parse values. They return false for a text that is not of the type.
type Types struct {
	Date    func(text string) (string, bool) // YYYY-MM-DD
	Money   func(text string) (string, bool) // "1,000.00", also zero
	Missing func(text string) bool           // whether the text is a placeholder
}

// Entry is one entry of a list.
type Entry struct {
	List   string // a field of kind Objects, without "additional_insureds"
	Values map[string]string
	Source Source
	Doubts Doubts
	Place  content.Place

	group int // table or run of blocks in which it was found
}

// Value is a value of one field.
type Value struct {
	Field, Text string
	Fit         float64
	Block       int // index of its block
	Place       content.Place
}

// Result is what a document states.
type Result struct {
	Entries []Entry
	Values  []Value // deductibles, covered auto symbols, and labels with one value
}

// Limits of one document.
const (
	maxEntries     = 10_000 // vehicles, and claims
	maxOther       = 2_000  // entries of each other list
	maxCell        = 300    // bytes of a value
	maxRows        = 200_000
	maxColumns     = 200
	maxHeaderCells = 30_000 // of rows that look like headers and are examined
)

// Source is the kind of place in which an entry was found.
type Source int

const (
	FromForm Source = iota
	FromTable
	FromBlock
)

// Doubts says how badly the headers of an entry's columns, and its cells, fit: from 0 to 1.
type Doubts struct{ Header, Cells float64 }

// Read extracts the lists and values of a document.
func Read(blocks []Block, types Types) Result {
	s := newScanner(blocks, types)
	s.readForms()
	s.readTables()
	s.readPairs()
	s.readCoverages()
	return Result{withoutRepeats(s.entries), s.withoutConflicts()}
}

// IsHeader reports whether rows begin with the header of a list, whatever stands above it.
func IsHeader(rows [][]content.Cell) bool {
	s := newScanner(nil, Types{})
	k, _, _ := s.headerAt(rows, 0, Block{Table: &content.Table{}})
	return k != nil
}

func newScanner(blocks []Block, types Types) *scanner {
	return &scanner{
		blocks: blocks, types: types, headers: map[string]map[string]match{}, counts: map[string]int{},
		phrases: map[string]vocabulary.Phrase{}, used: map[int]bool{}, listed: map[*content.Table]bool{},
	}
}

// scanner holds the state of one Read.
type scanner struct {
	blocks  []Block
	types   Types
	headers map[string]map[string]match // of headers, by list and text
	phrases map[string]vocabulary.Phrase
	entries []Entry
	values  []Value
	counts  map[string]int // entries by list
	groups  int

	headerCells int
	title       string       // list that the last heading names
	titleAge    int          // lines since
	carried     carried      // values that stand above a table
	last        *section     // the last table, which the next page can continue
	used        map[int]bool // blocks of text that are rows of tables
	textTables  []*textTable
	listed      map[*content.Table]bool // tables that are lists
}

// textTable is lines of text that look like a table and are not a list.
type textTable struct {
	*content.Table
	blocks []int // index of the line of each row
}

type match struct {
	vocabulary.Header
	ok bool
}

// column returns the meaning of a header for a list.
func (s *scanner) column(list, text string) (vocabulary.Header, bool) {
	known := s.headers[list]
	if known == nil {
		known = map[string]match{}
		s.headers[list] = known
	}
	m, ok := known[text]
	if !ok {
		m.Header, m.ok = vocabulary.Schedule(list).Column(s.phrase(text))
		if len(known) < 10_000 {
			known[text] = m
		}
	}
	return m.Header, m.ok
}

// phrase returns the words of a text.
func (s *scanner) phrase(text string) vocabulary.Phrase {
	p, ok := s.phrases[text]
	if !ok {
		p = vocabulary.NewPhrase(text)
		if len(s.phrases) < 20_000 {
			s.phrases[text] = p
		}
	}
	return p
}

// is reports whether the text is a term of the list with a meaning that columns do not have.
func (s *scanner) is(list, meaning, text string) bool {
	return vocabulary.Schedule(list).Is(meaning, s.phrase(text))
}

// add adds an entry, unless the list is full.
func (s *scanner) add(e Entry) {
	most := maxOther
	if e.List == "vehicles" || e.List == "claim_history" {
		most = maxEntries
	}
	if s.counts[e.List] < most {
		s.counts[e.List]++
		s.entries = append(s.entries, e)
	}
}
