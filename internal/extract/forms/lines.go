package forms

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/source"
)

const maxBesides = 12 // lines of a cell with several labels

// linesBeside reads a cell with a label on each line, and their values from the lines of the cell beside
// it:
//
//	Staff          | 3
//	  Directors    | 47
//	  Full time    |
//
// The first line can be the question above the labels. At least one of the other lines must be a known
// label.
func (r *Reader) linesBeside(labels, values content.Cell, at source.Place) bool {
	left, right := textLines(labels.Text), textLines(values.Text)
	lead := len(left) - len(right)
	if len(right) < 2 || len(left) > maxBesides || lead < 0 || lead > 1 {
		return false
	}
	known := 0
	for _, text := range left[lead:] {
		if _, ok := recognise.Label(text); ok {
			known++
		}
	}
	if known == 0 || lead == 0 && known*2 < len(left) {
		return false
	}
	for n, text := range left[lead:] {
		if _, ok := recognise.Label(text); ok {
			r.Pair(text, right[n], source.Label, at)
		}
	}
	return true
}

// textLines returns the lines of a text that are not empty.
func textLines(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
