// Package document turns a document of any supported format into one neutral
// model: parts (the mail, each attachment), each a list of blocks in reading
// order. It knows formats and nothing of insurance.
package document

import "fmt"

// Format names what a part was recognised as, by content first.
type Format string

const (
	EML  Format = "eml"
	MSG  Format = "msg"
	Text Format = "txt"
	RTF  Format = "rtf"
	CSV  Format = "csv"
	XLSX Format = "xlsx"
	XLS  Format = "xls"
	DOCX Format = "docx"
	DOC  Format = "doc"
	PDF  Format = "pdf"
	HTML Format = "html"
	ZIP  Format = "zip"
)

// Cause says why a document or a part of it was not read, or not whole.
type Cause string

const (
	Empty       Cause = "empty"       // no bytes, or nothing but blanks
	Unsupported Cause = "unsupported" // an unknown type, or one without a reader
	Password    Cause = "password"    // opens with a password only
	Damaged     Cause = "damaged"     // broken; what could be saved is in the blocks
	Limit       Cause = "limit"       // a limit was hit; the blocks hold what came before
	NoText      Cause = "no text"     // read whole, and nothing is written in it: a scan
	Repeated    Cause = "repeated"    // the same content as an earlier part
)

// Part is one document read: the submitted file itself, or a mail or file
// inside it. Parts come in reading order, the outermost first.
type Part struct {
	Name   string // file name, or the subject for a mail without one
	Format Format // empty when it was not recognised
	Depth  int    // 0 = the submitted file, 1 = attached to it, …
	Mail   *Mail  // the head, when the part is a mail
	Blocks []Block
	Note   string // why it was left out or cut short; empty when read whole
	Cause  Cause  // the same as a kind; empty when read whole
}

// Mail is the head of a message. Addresses are in the form `Name <a@b.c>`.
type Mail struct {
	From, To, Cc, Subject string
	Date                  string // as written in the head
}

// Block is a piece of a part: exactly one of its contents is set.
type Block struct {
	Text   string // a paragraph or line of text; lines within are split by \n
	Label  string // with Value: a form field or a label cell beside its value
	Value  string
	Table  *Table
	Quoted bool // text of an older mail, quoted in a newer one
	Head   bool // page header or footer
	Place  Place
}

// Place says where a block or a cell was found, in words that a person can
// follow.
type Place struct {
	Part  string // name of the part
	Page  int    // from 1; 0 = no pages
	Sheet string
	Cell  string // "B7"
	Line  int    // from 1; 0 = no lines
}

// Table is a grid of cells; rows may be of unequal length.
type Table struct {
	Title  string // caption or sheet name, when there is one
	Hidden bool   // a hidden sheet
	Rows   [][]Cell
}

// Cell is one cell of a table. A merged cell holds its text in the first of
// its places and has Merged set in the others.
type Cell struct {
	Text   string   // as shown to a reader, trimmed
	Number *float64 // when the file holds a number, not text
	Date   string   // YYYY-MM-DD, when the file holds a date
	Merged bool
	Ref    string // "B7", or "row 3, column 2" where cells have no names
}

// String gives the place as a person would say it.
func (p Place) String() string {
	s := p.Part
	if p.Sheet != "" {
		s += fmt.Sprintf(", sheet %s", p.Sheet)
	}
	if p.Page > 0 {
		s += fmt.Sprintf(", page %d", p.Page)
	}
	if p.Cell != "" {
		s += fmt.Sprintf(", cell %s", p.Cell)
	}
	if p.Line > 0 {
		s += fmt.Sprintf(", line %d", p.Line)
	}
	return s
}
