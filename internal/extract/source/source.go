// Package source describes where in a document a value was found.
package source

import "understudy.example/internal/document/content"

// Kind is the kind of place in which a value was found, from the least to the most explicit.
type Kind int

// The kinds.
const (
	Guess Kind = 1 + iota
	Subject
	Prose
	Sum
	Signature
	Fuzzy    // header of a table, similar
	Composed // label that is composed of known words
	Synonym
	Label
	Header // header of a table, exact
	Form
)

// Place is the place where a candidate was found.
type Place struct {
	Part     int
	Line     int // number of the line or cell, for order
	Quoted   bool
	Assumed  bool // no heading says whose it is
	Boxed    bool // the layout shows which label it belongs to
	Evidence content.Place
}
