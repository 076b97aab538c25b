// Package schedule extracts the lists of a document, such as vehicles, claims, employees
// by class, policies and additional interests, from its tables, from blocks of labels
// that repeat, and from form fields. The vocabulary decides what a header or a label
// means, and the set of recognised columns decides the kind of a table. The package does
// not know how documents are read or how values are chosen.
package schedule

import (
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/list"
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
	maxEntries = 10_000 // vehicles, and claims
	maxOther   = 2_000  // entries of each other list
	maxRows    = 200_000
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
func Read(blocks []Block, types list.Types) Result {
	s := newScanner(blocks, types)
	s.readForms()
	s.readTables()
	s.readPairs()
	s.readCoverages()
	return Result{withoutRepeats(s.entries), s.withoutConflicts()}
}

// IsHeader reports whether rows begin with the header of a list, whatever stands above it.
func IsHeader(rows [][]content.Cell) bool {
	s := list.NewMatcher(list.Types{})
	k, _, _ := s.HeaderAt(rows, 0, false)
	return k != nil
}

func newScanner(blocks []Block, types list.Types) *scanner {
	return &scanner{
		Matcher: list.NewMatcher(types), blocks: blocks, counts: map[string]int{}, used: map[int]bool{}, listed: map[*content.Table]bool{},
	}
}

// scanner holds the state of one Read.
type scanner struct {
	*list.Matcher
	blocks  []Block
	entries []Entry
	values  []Value
	counts  map[string]int // entries by list
	groups  int

	carried    carried      // values that stand above a table
	last       *section     // the last table, which the next page can continue
	used       map[int]bool // blocks of text that are rows of tables
	textTables []*textTable
	rulers     [separators]int         // the first block after the last rulers for which textTable found no row
	listed     map[*content.Table]bool // tables that are lists
}

// textTable is lines of text that look like a table and are not a list.
type textTable struct {
	*content.Table
	blocks []int // index of the line of each row
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
