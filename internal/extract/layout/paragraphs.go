package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Limits of paragraphs.
const (
	fullLine     = 55    // bytes of a line after which a sentence can continue on the next line
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
		if len(last.Text) < fullLine && !wrapped(last.Text, next.Text) || strings.TrimSpace(next.Text) == "" || next.At.Part != last.At.Part || next.At.Quoted != last.At.Quoted ||
			pairs.Markup.MatchString(next.Text) || text.Len()+len(next.Text) > MaxParagraph {
			break
		}
		text.WriteByte(' ')
		starts = append(starts, text.Len())
		text.WriteString(next.Text)
	}
	return text.String(), starts
}

// RanOn appends the beginning of the next line to the text of line i, if a sentence
// can continue there.
func (d *Document) RanOn(i int, text string) string {
	if i+1 < len(d.Lines) && (len(text) > 60 || wrapped(text, d.Lines[i+1].Text)) && d.Lines[i+1].Text != "" && d.Lines[i+1].At.Part == d.Lines[i].At.Part {
		return text + " " + beginning(d.Lines[i+1].Text)
	}
	return text
}

// wrapped reports whether a sentence continues on the next line of a narrow column. That is so if the line ends
// neither a sentence nor a label, and the next line begins neither.
func wrapped(text, next string) bool {
	text = strings.TrimRight(text, " ")
	if len(text) < narrowLine || next == "" || strings.Contains(text, "\t") || strings.Contains(text, "   ") {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(next)
	switch {
	case unicode.IsLower(first):
		return unicode.IsLetter(last) || unicode.IsDigit(last) || last == ','
	case unicode.Is(unicode.Sc, first):
		return unicode.IsLower(last)
	case unicode.IsDigit(first):
		return unicode.IsLower(last) && parse.PhoneForm.FindString(next) != strings.Trim(next, " .") // not a telephone number
	}
	return unicode.IsUpper(first) && numberAtEnd.MatchString(text)
}

// numberAtEnd matches a number after a word in lowercase letters: "is located at 1450".
var numberAtEnd = lazyregexp.New(`\s\p{Ll}+ \d+$`)

const narrowLine = 35 // bytes of a line of a narrow column

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
