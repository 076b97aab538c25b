package extract

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// pages are the parts of a document, with their text in lines.
type pages struct {
	parts   []content.Part
	lines   []line
	text    string
	order   parse.DateOrder
	printed map[int]bool // parts that are printed forms
}

// readLayout lists the lines of the parts of a document.
func readLayout(parts []content.Part) *pages {
	d := &pages{parts: parts, printed: map[int]bool{}}
	shortenCells(d.parts, maxTableText)
	d.flatten()
	d.order = parse.OrderOf(d.text)
	return d
}

// line is a line of text, or a label with its value, in reading order.
type line struct {
	text         string
	label, value string // set instead of text
	head         bool
	table        *content.Table // set instead of text
	at           source.Place
}

// flatten lists the lines of all parts and joins them to form the running text.
func (d *pages) flatten() {
	var text strings.Builder
	searched := 0
	write := func(s string) {
		if text.Len()+len(s) < maxText {
			text.WriteString(s)
			text.WriteByte('\n')
		}
	}
	for number, part := range d.parts {
		start, skipped := text.Len(), false
		if part.Mail != nil {
			write(part.Mail.Subject)
		}
		spaced := slices.ContainsFunc(part.Blocks, func(b content.Block) bool {
			return b.Table == nil && b.Label == "" && strings.TrimSpace(b.Text) == ""
		})
		forwarded := newForward(part.Mail)
		for _, block := range part.Blocks {
			block.Quoted = block.Quoted && !forwarded.first(block)
			at := source.Place{Part: number, Line: len(d.lines), Quoted: block.Quoted, Evidence: block.Place}
			switch {
			case block.Table != nil:
				write(tableText(block.Table))
				d.lines = append(d.lines, line{table: block.Table, at: at})
			case block.Label != "":
				block.Label, block.Value = words.Cut(block.Label, maxLine), words.Cut(block.Value, maxLine)
				write(block.Label + ": " + block.Value)
				searched += len(block.Label) + len(block.Value)
				if searched > maxSearched {
					skipped = true
					continue
				}
				d.lines = append(d.lines, line{label: block.Label, value: block.Value, at: at})
			default:
				write(block.Text)
				i := -1
				for t := range strings.SplitSeq(block.Text, "\n") {
					t = words.Cut(t, maxLine)
					if searched += len(t); len(d.lines) >= maxLines || searched > maxSearched {
						skipped = true
						break
					}
					i++
					at := at
					at.Line = len(d.lines)
					if at.Evidence.Line > 0 {
						at.Evidence.Line += i
					}
					d.lines = append(d.lines, line{text: withoutLeaders(strings.TrimRight(t, " \r")), head: block.HeaderFooter, at: at})
				}
				// The end of a paragraph counts as an empty line if the reader does
				// not produce one.
				if !spaced || strings.Contains(block.Text, "\n") {
					d.lines = append(d.lines, line{at: at})
				}
			}
		}
		if skipped {
			d.parts[number].AddNote(content.Limit, fmt.Sprintf("more than %d bytes or %d lines of text: the rest was not searched", maxSearched, maxLines))
		}
		d.lines = append(d.lines, line{at: source.Place{Part: number, Line: len(d.lines)}})
		written := text.String()[start:]
		d.printed[number] = strings.Contains(strings.ToLower(written), "acord") && printedForm.MatchString(written)
	}
	d.text = text.String()
}

// leaders match the dots or lines that lead from a label to its value.
var leaders = lazyregexp.New(`([\pL\d)?])\s*(?:\.{3,}|…{2,}|_{4,}|(?:\. ){3,}\.?)\s*(\S)`)

// withoutLeaders replaces leaders by colons.
func withoutLeaders(text string) string {
	if !strings.Contains(text, "...") && !strings.Contains(text, "……") && !strings.Contains(text, "____") && !strings.Contains(text, ". . .") {
		return text
	}
	return leaders.ReplaceAllString(text, "$1: $2")
}

// shortenCells cuts the cells of all tables to the same size if they have more than limit
// bytes of text together. Cells can share a text, so a small file can have very much.
func shortenCells(parts []content.Part, limit int) {
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
	forwardMark = lazyregexp.New(`(?i)^\s*(?:\[[^\]]*\]\s*)?(?:fwd?|wg|tr|rv|enc|doorst)\s*:`)
	olderReply  = lazyregexp.New(`(?i)\b(?:wrote|schrieb|a écrit|escribió|schreef)\s*:\s*$`)
)

// first reports whether a quoted block is in the first message below.
func (f *forward) first(b content.Block) bool {
	if !f.forwards {
		return false
	}
	for text := range strings.SplitSeq(b.Text, "\n") {
		if quotedFrom.MatchString(text) || f.messages > 0 && olderReply.MatchString(text) {
			f.messages++
		}
	}
	return f.messages <= 1
}

var quotedFrom = lazyregexp.New(`(?i)^[>*\s]*(?:from|von|de)\s*:[*\s]*(.+)$`)

const maxText = 200_000 // bytes of running text kept

const maxLines = 50_000 // lines of text that are searched

const maxSearched = 400_000 // bytes of them

const maxLine = 2_000 // bytes of one line that are searched

const maxTableText = 16 << 20 // bytes of text in tables that are searched

const minCellText = 40 // bytes of each cell that are searched in any case

// cutShort reports whether the part was only partly read: the missing rest may state
// something else.
func cutShort(part content.Part) bool {
	return part.Cause == content.Limit || part.Cause == content.Damaged
}
