package pdf

import "understudy.example/internal/document/content"

// item is a line of text, a table, a box of a form, or a filled field on a page. One of
// them is set.
type item struct {
	top   float64 // where it starts
	line  *textLine
	table *content.Table
	xs    []float64       // borders of the columns of a ruled table
	box   []content.Block // what a box of a form contains
	field *content.Block
	left  float64 // of a field
}
