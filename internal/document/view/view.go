// Package view shows a parsed document: the lines, the labels with their
// values and the tables of each part, each with its place in the form of an extracted
// value's evidence. A view is a window of bounded size. The package knows neither
// formats nor insurance.
package view

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
)

// MaxBytes is the largest size of a window in bytes, by its texts and an allowance for
// the rest. One line or row more than that is always shown.
const MaxBytes = 256 << 10

// Query selects a window. Without a part, it begins with the first.
type Query struct {
	Part  int    `json:"part"`
	Page  int    `json:"page"`  // only this page of the part; 0 = all
	From  Cursor `json:"from"`  // where the window begins
	Place string `json:"place"` // the window that contains this place, whatever Part, Page and From are
	Text  string `json:"text"`  // if several blocks are at the place, the first with this text is meant
	Bytes int    `json:"bytes"` // size of the window, at most MaxBytes
}

// Cursor is a position in a part: a block, and a line or row of it, from 0.
type Cursor struct {
	Block int `json:"block"`
	Row   int `json:"row"`
}

// String returns the cursor in the form that ParseCursor parses.
func (c Cursor) String() string { return strconv.Itoa(c.Block) + "." + strconv.Itoa(c.Row) }

// ParseCursor parses a text that String returned, and reports whether it is valid.
func ParseCursor(text string) (Cursor, bool) {
	block, row, _ := strings.Cut(text, ".")
	var c Cursor
	var err1, err2 error
	c.Block, err1 = strconv.Atoi(block)
	c.Row, err2 = strconv.Atoi(row)
	return c, errors.Join(err1, err2) == nil && c.String() == text && c.Block >= 0 && c.Row >= 0
}

// Window is a piece of a document.
type Window struct {
	Parts  []Part  `json:"parts"`
	Part   int     `json:"part"`   // that the window shows, an index of Parts
	Page   int     `json:"page"`   // that the window shows; 0 = all
	Pages  []Page  `json:"pages"`  // the sizes of the pages that have text in the window
	Blocks []Block `json:"blocks"` // in reading order
	Next   string  `json:"next"`   // cursor of the next window; "" if this is the last
}

// Part is a file of the document: the submitted file itself, or one inside it.
type Part struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Note   string `json:"note"` // why it was skipped or only partly read
	Depth  int    `json:"depth"`
	Pages  int    `json:"pages"` // how many there are; 0 if the format has none
}

// Page is the size of a page in points.
type Page struct {
	Number int     `json:"number"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Block is a line, a label with its value, or rows of a table.
type Block struct {
	Place  string   `json:"place"`
	Text   string   `json:"text,omitempty"`
	Label  string   `json:"label,omitempty"`
	Value  string   `json:"value,omitempty"`
	Title  string   `json:"title,omitempty"` // of a table
	Row    int      `json:"row,omitempty"`   // number of the first row in Rows, from 0
	Rows   [][]Cell `json:"rows,omitempty"`
	Quoted bool     `json:"quoted,omitempty"` // text of an older mail
	Spans  []Span   `json:"spans,omitempty"`
}

// Cell is a cell of a table.
type Cell struct {
	Ref    string `json:"ref"`
	Place  string `json:"place"`
	Text   string `json:"text"`
	Merged bool   `json:"merged,omitempty"`
	Spans  []Span `json:"spans,omitempty"`
}

// Span is a piece of text on a page. X and Y are the distances of its upper left corner
// from that of the page, and all lengths are in points.
type Span struct {
	Text   string  `json:"text"`
	Page   int     `json:"page"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Turns  int     `json:"turns,omitempty"` // quarter turns of the writing direction, counter-clockwise
}

// Errors of Read.
var (
	ErrNoPart  = errors.New("part: the document has no part with this number")
	ErrNoPlace = errors.New("place: the document has no such place")
)

// Read reads a document of the given file name and size in bytes and returns the window
// that the query selects. Its error is a *content.Unreadable if the document is the
// cause, ErrNoPart or ErrNoPlace.
func Read(ctx context.Context, name string, data io.ReaderAt, size int64, q Query) (*Window, error) {
	parts, err := document.ReadPositions(ctx, name, data, size)
	if err != nil {
		return nil, err
	}
	if q.Bytes < 1 || q.Bytes > MaxBytes {
		q.Bytes = MaxBytes
	}
	if q.Place != "" {
		q, err = locate(parts, q)
		if err != nil {
			return nil, err
		}
	}
	if q.Part < 0 || q.Part >= len(parts) {
		return nil, ErrNoPart
	}
	w := windowOf(&parts[q.Part], q)
	w.Part = q.Part
	for i := range parts {
		w.Parts = append(w.Parts, Part{
			Name: cut(parts[i].Name, 255), Format: string(parts[i].Format), Note: cut(parts[i].Note, 500),
			Depth: parts[i].Depth, Pages: len(parts[i].Pages),
		})
	}
	return w, nil
}

// locate returns the query for the window that contains the place of the query.
func locate(parts []content.Part, q Query) (Query, error) {
	var found *Query
	for number := range parts {
		one := Query{Part: number, Bytes: q.Bytes}
		for unit := range unitsOf(&parts[number], Query{}) {
			if !unit.isAt(q.Place) {
				continue
			}
			exact := q.Text == "" || unit.contains(q.Place, q.Text)
			if found != nil && !exact {
				continue
			}
			at := one
			at.Page, at.From = unit.page(), unit.at
			if found = &at; exact {
				return withStart(&parts[number], *found), nil
			}
		}
	}
	if found == nil { // some values are read from a part as a whole
		for number := range parts {
			if storable(parts[number].Name) == q.Place {
				return Query{Part: number, Bytes: q.Bytes}, nil
			}
		}
		return q, ErrNoPlace
	}
	return withStart(&parts[found.Part], *found), nil
}

// withStart returns the query for the one of the part's consecutive windows that contains
// the cursor of the query.
func withStart(part *content.Part, q Query) Query {
	target := q.From
	q.From = Cursor{}
	for {
		next, ok := ParseCursor(windowOf(part, q).Next)
		if !ok || next.Block > target.Block || next.Block == target.Block && next.Row > target.Row {
			return q
		}
		q.From = next
	}
}

// windowOf returns the window of the part, without Parts and Part.
func windowOf(part *content.Part, q Query) *Window {
	w := &Window{Page: q.Page, Parts: []Part{}, Pages: []Page{}, Blocks: []Block{}}
	left, table := q.Bytes, -1 // table is the block whose rows are being added
	pages := map[int]bool{}
	for unit := range unitsOf(part, q) {
		block := unit.block(q.Bytes)
		size := block.size()
		if len(w.Blocks) > 0 && size > left {
			w.Next = unit.at.String()
			break
		}
		left -= size
		for _, span := range block.AllSpans() {
			if number := span.Page; !pages[number] && number >= 1 && number <= len(part.Pages) {
				pages[number] = true
				w.Pages = append(w.Pages, Page{number, part.Pages[number-1].Width, part.Pages[number-1].Height})
			}
		}
		if last := len(w.Blocks) - 1; block.Rows != nil && table == unit.at.Block {
			w.Blocks[last].Rows = append(w.Blocks[last].Rows, block.Rows...)
			continue
		}
		table = -1
		if block.Rows != nil {
			table = unit.at.Block
		}
		w.Blocks = append(w.Blocks, block)
	}
	if q.Page > 0 && len(w.Pages) == 0 && q.Page <= len(part.Pages) {
		w.Pages = append(w.Pages, Page{q.Page, part.Pages[q.Page-1].Width, part.Pages[q.Page-1].Height})
	}
	return w
}
