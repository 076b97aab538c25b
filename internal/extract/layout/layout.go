// Package layout lists the lines and tables of a document in reading order.
package layout

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Document are the parts of a document, with their text in lines.
type Document struct {
	Parts   []content.Part
	Lines   []Line
	Text    string
	Order   parse.DateOrder
	Printed map[int]bool // parts that are printed forms

	units map[statedUnit]int64
}

// Read lists the lines of the parts of a document.
func Read(parts []content.Part) *Document {
	d := &Document{Parts: parts, Printed: map[int]bool{}}
	ShortenCells(d.Parts, maxTableText)
	d.flatten()
	d.Order = parse.OrderOf(d.Text)
	return d
}

// Line is a line of text, or a label with its value, in reading order.
type Line struct {
	Text         string
	Label, Value string // set instead of text
	Head         bool
	Table        *content.Table // set instead of text
	At           source.Place
}

// Quotes reports whether the document quotes older mails.
func (d *Document) Quotes() bool {
	return slices.ContainsFunc(d.Lines, func(l Line) bool { return l.At.Quoted })
}

// flatten lists the lines of all parts and joins them to form the running text.
func (d *Document) flatten() {
	var text strings.Builder
	searched, blocks := 0, 0
	for _, part := range d.Parts {
		blocks += len(part.Blocks)
	}
	d.Lines = make([]Line, 0, min(2*blocks+len(d.Parts), maxLines)) // a block is usually a line and the end of a paragraph
	write := func(s string) {
		if text.Len()+len(s) < maxText {
			text.WriteString(s)
			text.WriteByte('\n')
		}
	}
	for number, part := range d.Parts {
		start, skipped := text.Len(), false
		if part.Mail != nil {
			write(part.Mail.Subject)
		}
		spaced := slices.ContainsFunc(part.Blocks, func(b content.Block) bool {
			return b.Table == nil && b.Label == "" && (strings.TrimSpace(b.Text) == "" || b.Place.Line > 0 || b.Place.Page > 0) // a block is a line
		})
		forwarded := newForward(part.Mail)
		for _, block := range withoutPanels(part.Blocks) {
			block.Quoted = block.Quoted && !forwarded.first(block)
			at := source.Place{Part: number, Line: len(d.Lines), Quoted: block.Quoted, Evidence: block.Place}
			switch {
			case block.Table != nil:
				clearColons(block.Table)
				joinCurrencies(block.Table)
				write(tableText(block.Table))
				head, foot := aloneRows(block.Table)
				d.addAlone(block.Table.Rows[:head], at)
				at.Line = len(d.Lines)
				d.Lines = append(d.Lines, Line{Table: block.Table, At: at})
				d.addAlone(block.Table.Rows[len(block.Table.Rows)-foot:], at)
			case block.Label != "":
				block.Label, block.Value = words.Cut(block.Label, MaxLine), words.Cut(block.Value, MaxLine)
				write(block.Label + ": " + block.Value)
				searched += len(block.Label) + len(block.Value)
				if searched > MaxSearched {
					skipped = true
					continue
				}
				d.Lines = append(d.Lines, Line{Label: block.Label, Value: block.Value, At: at})
			default:
				write(block.Text)
				i := -1
				for t := range strings.SplitSeq(block.Text, "\n") {
					t = words.Cut(t, MaxLine)
					if searched += len(t); len(d.Lines) >= maxLines || searched > MaxSearched {
						skipped = true
						break
					}
					i++
					at := at
					at.Line = len(d.Lines)
					if at.Evidence.Line > 0 {
						at.Evidence.Line += i
					}
					if d.continues(t, at) {
						continue
					}
					t = d.withoutAnswerMark(t, number)
					d.Lines = append(d.Lines, Line{Text: withoutLeaders(strings.TrimRight(t, " \r")), Head: block.HeaderFooter, At: at})
				}
				// The end of a paragraph counts as an empty line if the reader does
				// not produce one.
				if !spaced || strings.Contains(block.Text, "\n") {
					d.Lines = append(d.Lines, Line{At: at})
				}
			}
		}
		if skipped {
			d.Parts[number].AddNote(content.Limit, fmt.Sprintf("more than %d bytes or %d lines of text: the rest was not searched", MaxSearched, maxLines))
		}
		d.Lines = append(d.Lines, Line{At: source.Place{Part: number, Line: len(d.Lines)}})
		written := text.String()[start:]
		d.Printed[number] = strings.Contains(strings.ToLower(written), "acord") && printedForm.MatchString(written)
	}
	d.Text = text.String()
}

// continues appends a line to the line above if its text stands below the second of two columns,
// because it then continues the value of a label. It reports whether it did so.
func (d *Document) continues(text string, at source.Place) bool {
	text, ok := strings.CutPrefix(text, EmptyColumn+"\t")
	if !ok || len(d.Lines) == 0 || strings.ContainsAny(text, "\t:") {
		return false
	}
	above := &d.Lines[len(d.Lines)-1]
	if above.At.Part != at.Part || above.Table != nil || strings.Count(above.Text, "\t") != 1 || len(above.Text)+len(text) > MaxLine {
		return false
	}
	label, value, _ := strings.Cut(above.Text, "\t")
	if questionNumber.MatchString(label) {
		return false // the answer below a numbered question
	}
	separator := ", "
	if value = strings.TrimSpace(value); value == "" {
		separator = ""
	} else if len(value) > wrapsFrom || strings.ContainsAny(value[len(value)-1:], ",;&(-–/:") {
		separator = " "
	}
	above.Text += separator + strings.TrimSpace(text)
	return true
}

// questionNumber matches the number of a question in a column of its own.
var questionNumber = lazyregexp.New(`^\s*(?i:q|no\.?|nr\.?)?\s*\(?(?:\d{1,2}(?:\.\d{1,2})?|[a-zA-Z])[.)]$`)

const wrapsFrom = 40 // bytes of a value from which on a line break is taken for a wrap

// EmptyColumn stands for an empty column in a line that shares the columns of a line above.
const EmptyColumn = "\u00a0"

// leaders match the dots or lines that lead from a label to its value.
var leaders = lazyregexp.New(`([\pL\d)?])\s*(?:\.{3,}|…{2,}|_{4,}|(?:\. ){3,}\.?)\s*:?\s*(\S)`)

// setting matches a line of a configuration file: "BusinessName=Quill Ltd".
var setting = lazyregexp.New(`^\s*([\pL][\pL\d_.#-]{1,40})=(\S.*)$`)

// filledIn matches a value that stands on a line to fill in: "Applicant: __Quill Ltd____".
var filledIn = lazyregexp.New(`:\s*_+\s*([^_\s][^_]*?)\s*_{2,}`)

// farColon matches a colon in a column of its own: "Applicant        : Quill Ltd".
var farColon = lazyregexp.New(`([^\s:])(?: {2,}|[ \t]*\t):[ \t]+`)

// farAmount matches an amount in a different column from its currency: "$      6,218.00", "EUR    780,000".
var farAmount = vocabulary.Pattern(`([$£€]|\b{{money.code}})(?: {2,}|[ \t]*\t[ \t]*)(\d)`)

// withoutLeaders replaces leaders, and the equals sign of a setting, with colons. It moves a colon
// in a column of its own to its label, and removes the lines under values.
func withoutLeaders(text string) string {
	if strings.Contains(text, "  ") || strings.Contains(text, "\t") {
		text = farAmount.ReplaceAllString(text, "$1 $2")
	}
	if strings.Contains(text, "  :") || strings.Contains(text, "\t:") {
		text = farColon.ReplaceAllString(text, "$1: ")
	}
	if strings.Contains(text, "__") {
		text = strings.TrimRight(filledIn.ReplaceAllString(text, ": $1   "), " ")
	}
	if strings.Contains(text, "=") {
		text = setting.ReplaceAllString(text, "$1: $2")
	}
	if !strings.Contains(text, "...") && !strings.Contains(text, "……") && !strings.Contains(text, "____") && !strings.Contains(text, ". . .") {
		return text
	}
	return leaders.ReplaceAllString(text, "$1: $2")
}

// ShortenCells cuts the cells of all tables to the same size if they have more than limit
// bytes of text together. Cells can share a text, so a small file can have very much.
func ShortenCells(parts []content.Part, limit int) {
	cells, size := 0, 0
	for c := range eachCell(parts) {
		cells++
		size += len(c.Text)
	}
	if size <= limit {
		return
	}
	longest := max(limit/cells, minCellText)
	for c := range eachCell(parts) {
		c.Text = words.Cut(c.Text, longest)
	}
	parts[0].AddNote(content.Limit, fmt.Sprintf("more than %d bytes of text in tables: the rest of each cell after %d bytes was not searched", limit, longest))
}

// eachCell yields the cells of all tables.
func eachCell(parts []content.Part) iter.Seq[*content.Cell] {
	return func(yield func(*content.Cell) bool) {
		for _, part := range parts {
			for _, block := range part.Blocks {
				if block.Table == nil {
					continue
				}
				for _, row := range block.Table.Rows {
					for i := range row {
						if !yield(&row[i]) {
							return
						}
					}
				}
			}
		}
	}
}

// printedForm matches the imprint of a form whose questions are close to each other,
// so that the next question is easily mistaken for an answer.
var printedForm = lazyregexp.New(`(?i)(©|\(c\)|copyright).{0,40}ACORD CORPORATION|ACORD \d{2,3} \(\d{4}/\d{1,2}\)`)

// tableText returns the first rows of a table as running text.
func tableText(t *content.Table) string {
	var text strings.Builder
	for i, row := range t.Rows {
		if i == 300 {
			break
		}
		for _, cell := range row {
			if !cell.Merged && cell.Text != "" {
				text.WriteString(cell.Text)
				text.WriteString(" \t")
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// forward finds the message that a mail forwards among the older mails that it quotes. The
// mail is about this message.
type forward struct {
	forwards bool
	messages int
}

func newForward(m *content.Mail) *forward {
	return &forward{forwards: m != nil && forwardMark.MatchString(m.Subject)}
}

var (
	forwardMark = vocabulary.Pattern(`(?i)^\s*(?:\[[^\]]*\]\s*)?{{letters.forward}}\s*:`)
	olderReply  = vocabulary.Pattern(`(?i)\b{{letters.wrote}}\s*:\s*$`)
)

// first reports whether a quoted block is in the first message below.
func (f *forward) first(b content.Block) bool {
	if !f.forwards {
		return false
	}
	for text := range strings.SplitSeq(b.Text, "\n") {
		if QuotedFrom.MatchString(text) || f.messages > 0 && olderReply.MatchString(text) {
			f.messages++
		}
	}
	return f.messages <= 1
}

// QuotedFrom matches the sender's line above an older mail in the text; the group is the sender.
var QuotedFrom = vocabulary.Pattern(`(?i)^[>*\s]*{{letters.from}}\s*:[*\s]*(.+)$`)

const maxText = 200_000 // bytes of running text kept

const maxLines = 50_000 // lines of text that are searched

// MaxSearched is the number of bytes in lines of text that are searched.
const MaxSearched = 400_000

// MaxLine is the number of bytes of a line that are searched.
const MaxLine = 2_000

const maxTableText = 16 << 20 // bytes of text in tables that are searched

const minCellText = 40 // bytes of each cell that are searched in any case

// CutShort reports whether the part was only partly read: the missing rest may state
// something else.
func CutShort(part content.Part) bool {
	return part.Cause == content.Limit || part.Cause == content.Damaged
}

// IsClosing reports whether a line is the closing of a letter, which the signature follows.
func IsClosing(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) > maxClosing || strings.ContainsAny(text, "0123456789@?") {
		return false
	}
	found := vocabulary.Closings().Whole(text, 0)
	return slices.ContainsFunc(found, func(m vocabulary.Match) bool { return m.Meaning == "closing" })
}

const maxClosing = 150 // bytes
