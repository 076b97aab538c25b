package products

import (
	"strings"

	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/vocabulary"
)

// subjectLine returns the index of the line with the subject of a letter: the line that
// stands alone above or below the salutation. It returns -1 if there is none.
func (d *Reader) subjectLine(number int) int {
	const head = 60 // lines within which a letter must begin
	alone := func(i, direction int) int {
		for i += direction; i >= 0 && i < len(d.Lines) && d.Lines[i].At.Part == number; i += direction {
			text := strings.TrimSpace(d.Lines[i].Text)
			switch {
			case d.Lines[i].Table != nil || d.Lines[i].Label != "":
				return -1
			case text == "":
			case len(text) < maxSubject && blankLine(d.Lines, i-1) && blankLine(d.Lines, i+1) && !strings.ContainsAny(text[len(text)-1:], ".,?!:;"):
				return i
			default:
				return -1
			}
		}
		return -1
	}
	seen := 0
	for i, l := range d.Lines {
		if l.At.Part != number && seen == 0 {
			continue
		}
		if seen++; seen > head || l.At.Part != number {
			break
		}
		if text := strings.TrimSpace(l.Text); len(text) < 60 && greeting.MatchString(text) {
			if n := alone(i, -1); n >= 0 {
				return n
			}
			return alone(i, 1)
		}
	}
	return -1
}

const maxSubject = 120 // bytes

// subjectBlock returns the lines from the label of a letter's subject to its salutation.
func (d *Reader) subjectBlock(number int) []layout.Line {
	const head, most = 60, 6 // lines within which the block must begin, and of the block
	var block []layout.Line
	for i, l := range d.Lines {
		if l.At.Part != number || strings.TrimSpace(l.Text+l.Value) == "" {
			continue
		}
		label, _, _ := strings.Cut(l.Text+":"+l.Label, ":")
		switch {
		case i > head || len(block) > most || l.Table != nil:
			return nil
		case len(block) > 0 && greeting.MatchString(strings.TrimSpace(l.Text)):
			return block
		case len(block) > 0 || covers.Subject(label, l.Text) != "" || covers.Subject(l.Label, l.Value) != "":
			block = append(block, l)
		}
	}
	return nil
}

// greeting matches the line that greets the reader of a letter.
var greeting = vocabulary.Pattern(`(?i)^{{letters.greeting}}\b`)

func blankLine(lines []layout.Line, i int) bool {
	return i < 0 || i >= len(lines) || lines[i].Text == "" && lines[i].Label == "" && lines[i].Table == nil
}
