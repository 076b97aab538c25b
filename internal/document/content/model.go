// Package content is the neutral model of a document: parts (the submitted
// file, and each mail or file inside it), each a list of blocks in reading
// order. It also contains what the readers of all formats share: the file being
// read, the limits, and a builder of blocks for running text with tables. It
// knows no format and nothing of insurance.
package content

import (
	"fmt"
	"strconv"
	"strings"
)

// Format is the format that a part was recognised as.
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

// Cause says why a document or a part of it was not read, or only partly.
type Cause string

const (
	Empty       Cause = "empty"       // no bytes, or only whitespace
	Unsupported Cause = "unsupported" // an unknown file type, or one without a reader
	Password    Cause = "password"    // a password is needed to open it
	Damaged     Cause = "damaged"     // the blocks hold what could be recovered
	Limit       Cause = "limit"       // a limit was reached; the blocks hold what came before it
	NoText      Cause = "no text"     // read completely, but it contains no text: a scan
	Repeated    Cause = "repeated"    // the same content as an earlier part
)

// Unreadable is the error of a document that cannot be read because of the
// document itself, such as one that requires a password. Its text is the reason,
// in words for a user.
type Unreadable struct {
	Cause  Cause
	Reason string
}

func (e *Unreadable) Error() string { return e.Reason }

// Errorf returns an *Unreadable whose reason is formatted as by fmt.Sprintf.
func Errorf(cause Cause, format string, args ...any) error {
	return &Unreadable{Cause: cause, Reason: fmt.Sprintf(format, args...)}
}

// Part is one file that was read: the submitted file itself, or a mail or file
// inside it. Parts come in reading order, the outermost first.
type Part struct {
	Name   string // file name, or the subject of a mail that has no file name
	Format Format // empty when it was not recognised
	Depth  int    // 0 for the submitted file, 1 for a file attached to it, …
	Mail   *Mail  // the header fields, when the part is a mail
	Blocks []Block
	Pages  []Page // size of each page, if the positions of the text were asked for
	Note   string // why it was skipped or only partly read; empty if it was read completely
	Cause  Cause  // the cause behind the first note; empty when read completely
}

// WasRead reports whether the part was read at all, even if it contains no
// text.
func (p *Part) WasRead() bool { return len(p.Blocks) > 0 || p.Cause == NoText || p.Mail != nil }

// AddNote appends a note to the part unless it has the note already. The cause of
// the first note stays.
func (p *Part) AddNote(cause Cause, note string) {
	if p.Cause == "" {
		p.Cause = cause
	}
	switch {
	case p.Note == "":
		p.Note = note
	case !strings.Contains(p.Note, note):
		p.Note += "; " + note
	}
}

// Mail is the header of a message. Addresses have the form `Name <a@b.c>`.
type Mail struct {
	From, To, Cc, Subject string
	Date                  string // as written in the header
}

// Block is a piece of a part. It holds exactly one of Text, Label with Value,
// and Table.
type Block struct {
	Text   string // a paragraph or a line of text; \n separates lines
	Label  string // with Value: a form field, or a label beside its value
	Value  string
	Table  *Table
	Quoted bool // text of an older mail, quoted in a newer one
	Place  Place
	Spans  []Span // of Text, or of Label and Value, if the positions of the text were asked for

	HeaderFooter bool // part of a page header or footer
}

// Place says where a block or a cell was found, in words that a person can
// follow.
type Place struct {
	Part  string // name of the part
	Page  int    // from 1; 0 when there are no pages
	Sheet string
	Cell  Ref
	Line  int // from 1; 0 when there are no lines
}

// maxPlaceName is the maximum size in bytes of the name of a part within a place.
const maxPlaceName = 100

// String returns the place as a person would write it.
func (p Place) String() string {
	s := make([]byte, 0, 64)        // a statement of values has many places
	if len(p.Part) > maxPlaceName { // it is repeated for each value
		s = append(append(s, strings.ToValidUTF8(p.Part[:maxPlaceName], "")...), "…"...)
	} else {
		s = append(s, p.Part...)
	}
	if p.Sheet != "" {
		s = append(append(s, ", sheet "...), p.Sheet...)
	}
	if p.Page > 0 {
		s = strconv.AppendInt(append(s, ", page "...), int64(p.Page), 10)
	}
	if p.Cell != (Ref{}) {
		s = p.Cell.append(append(s, ", cell "...))
	}
	if p.Line > 0 {
		s = strconv.AppendInt(append(s, ", line "...), int64(p.Line), 10)
	}
	return string(s)
}

// Page is the size of a page in points.
type Page struct{ Width, Height float64 }

// Span is a piece of text on a page. X and Y are the distances of its upper left corner
// from that of the page, and all lengths are in points.
type Span struct {
	Text                string
	Page                int // from 1
	X, Y, Width, Height float64
	Turns               int // quarter turns of the writing direction, counter-clockwise
}

// Table is a grid of cells. Rows may differ in length.
type Table struct {
	Title  string // caption or sheet name, when there is one
	Hidden bool   // it is a hidden sheet
	Rows   [][]Cell
}

// HasText reports whether any cell of the table has text.
func (t *Table) HasText() bool {
	for _, row := range t.Rows {
		for _, c := range row {
			if c.Text != "" {
				return true
			}
		}
	}
	return false
}

// Cell is one cell of a table. A cell that is merged over several places has its
// text in the first of them and Merged set in the others.
type Cell struct {
	Text   string   // as shown to a reader, trimmed
	Number *float64 // when the file holds a number rather than text
	Date   string   // YYYY-MM-DD, when the file holds a date
	Spans  []Span   // of Text, if the positions of the text were asked for
	Ref    Ref
	Merged bool
}
