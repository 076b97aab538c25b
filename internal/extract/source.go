package extract

import "understudy.example/internal/document/content"

// source is the kind of place in which a value was found, from the least to the most explicit.
type source int

const (
	fromGuess source = 1 + iota
	fromSubject
	fromProse
	fromSum
	fromSignature
	fromFuzzy // header of a table, similar
	fromSynonym
	fromLabel
	fromHeader // header of a table, exact
	fromForm
)

// origin is the place where a candidate was found.
type origin struct {
	part     int
	place    int // number of the line or cell, for order
	quoted   bool
	assumed  bool // no heading says whose it is
	evidence content.Place
}

