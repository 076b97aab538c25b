package captions

import (
	"strings"

	"understudy.example/internal/extract/assign"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

const (
	minNumbered = 4 // numbered captions of a form
	minAbove    = 3 // numbered captions with a fitting value above
)

// number matches the number of a caption.
var number = lazyregexp.New(`^\s*\d{1,2}[.)]\s+\S`)

// numbered returns the indexes, from start to before end, of the rows of captions in a form whose captions are numbered and
// stand below their values. A row between two numbered captions is also a caption if captions and values alternate there.
//
//	Quill Ltd
//	1. Full name of the proposer
//	April 1999
//	2. Date established
func numbered(r *assign.Assigner, rows []row, start, end int) []int {
	var all []int
	above, under := 0, 0
	for k := start; k < end; k++ {
		if !isNumbered(rows[k]) {
			continue
		}
		all = append(all, k)
		captions := unnumbered(rows[k])
		before, behind := 0, 0
		if k > start && !isNumbered(rows[k-1]) {
			before = fitting(r, captions, rows[k-1])
		}
		if k+1 < end && !isNumbered(rows[k+1]) {
			behind = fitting(r, captions, rows[k+1])
		}
		switch {
		case before > behind:
			above++
		case behind > before:
			under++
		}
	}
	if len(all) < minNumbered || above < minAbove || under > above/2 {
		return nil
	}
	var turned []int
	for n, k := range all {
		if n > 0 && k-all[n-1] == 4 && len(rows[k-2].cells) == len(rows[k-3].cells) {
			turned = append(turned, k-2)
			rows[k-2].numbered = true
		}
		if k > start && !isNumbered(rows[k-1]) && (n == 0 || k-all[n-1] > 1) && len(rows[k-1].cells) <= max(len(rows[k].cells), 1) {
			turned = append(turned, k)
			rows[k].numbered = true
		}
	}
	return turned
}

// isNumbered reports whether a row begins with the number of a caption.
func isNumbered(r row) bool {
	return len(r.cells) > 0 && len(r.cells) <= maxColumns && number.MatchString(r.cells[0].Text)
}

// unnumbered returns the row with the fields of its captions; the field of an unknown caption is empty.
func unnumbered(r row) row {
	r.labels = make([]recognise.Match, len(r.cells))
	for n, c := range r.cells {
		text := words.Unnumbered(strings.TrimSpace(c.Text))
		if m, ok := assign.ClearLabel(text); ok {
			r.labels[n] = m
		} else if m, ok := assign.ClearLabel(words.Bracketed.ReplaceAllString(text, "")); ok {
			r.labels[n] = m
		}
	}
	return r
}
