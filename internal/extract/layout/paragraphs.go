package layout

import (
	"strings"

	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/words"
)

// Limits of paragraphs.
const (
	fullLine     = 55    // bytes of a line after which a sentence can continue on the next line
	narrowLine   = 34    // bytes of such a line in a narrow column, if it fills the column
	columnLines  = 8     // lines above and below that show how wide a column is
	MaxParagraph = 2_000 // bytes
)

// Paragraph joins line i with the lines on which its text continues, and returns the place
// of each in the text.
func (d *Document) Paragraph(i int) (string, []int) {
	var text strings.Builder
	starts := []int{0}
	text.WriteString(d.Lines[i].Text)
	for n := i + 1; n < len(d.Lines); n++ {
		last, next := d.Lines[n-1], d.Lines[n]
		if !d.isFull(n-1) || strings.TrimSpace(next.Text) == "" || next.At.Part != last.At.Part || next.At.Quoted != last.At.Quoted ||
			pairs.Markup.MatchString(next.Text) || text.Len()+len(next.Text) > MaxParagraph {
			break
		}
		text.WriteByte(' ')
		starts = append(starts, text.Len())
		text.WriteString(next.Text)
	}
	return text.String(), starts
}

// isFull reports whether a sentence can continue after line i: the line is long, or it is prose that fills a narrow
// column, so that the next word would not have fitted. A telephone number on a line of its own is not part of the
// sentence above.
func (d *Document) isFull(i int) bool {
	text := d.Lines[i].Text
	if len(text) >= fullLine || len(text) < narrowLine || i+1 == len(d.Lines) || !isProse(text) {
		return len(text) >= fullLine
	}
	next := d.Lines[i+1].Text
	word, _, _ := strings.Cut(next, " ")
	return parse.PhoneForm.FindString(next) != strings.Trim(next, " .") && len(text)+len(" ")+len(word) > d.columnWidth(i)*9/10 // letters differ in width
}

// columnWidth returns the length of the longest of the lines around line i, up to empty ones.
func (d *Document) columnWidth(i int) (width int) {
	for _, step := range []int{-1, 1} {
		for n := i; n >= 0 && n < len(d.Lines) && max(n-i, i-n) <= columnLines && d.Lines[n].Text != ""; n += step {
			width = max(width, len(d.Lines[n].Text))
		}
	}
	return width
}

// isProse reports whether a line has two words that begin with a small letter, one after the other.
func isProse(line string) bool {
	small := false
	for word := range strings.FieldsSeq(line) {
		is := word[0] >= 'a' && word[0] <= 'z'
		if is && small {
			return true
		}
		small = is
	}
	return false
}

// RanOn appends the beginning of the next line to the text of line i, if a sentence
// can continue there.
func (d *Document) RanOn(i int, text string) string {
	if i+1 < len(d.Lines) && (len(text) > 60 || d.isFull(i)) && d.Lines[i+1].Text != "" && d.Lines[i+1].At.Part == d.Lines[i].At.Part {
		return text + " " + beginning(d.Lines[i+1].Text)
	}
	return text
}

const maxRunOn = 60 // bytes of the next line

// beginning returns whole words at the beginning of a line, without a number at their end, whose unit may follow.
func beginning(line string) string {
	start := words.Cut(line, maxRunOn)
	if len(start) == len(line) {
		return line
	}
	kept := strings.Fields(start)
	if line[len(start)] != ' ' {
		kept = kept[:max(len(kept)-1, 0)]
	}
	for len(kept) > 0 && strings.ContainsAny(kept[len(kept)-1], "0123456789") {
		kept = kept[:len(kept)-1]
	}
	return strings.Join(kept, " ")
}

// Above returns the text of the nearest line above, at most four lines away.
func (d *Document) Above(line int) string {
	for n := line - 1; n >= 0 && n >= line-4 && d.Lines[n].At.Part == d.Lines[line].At.Part; n-- {
		if d.Lines[n].Table != nil {
			return ""
		}
		if text := strings.TrimSpace(d.Lines[n].Text); text != "" {
			return strings.Trim(pairs.WithoutMarkup(text), ": ")
		}
	}
	return ""
}
