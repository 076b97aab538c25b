// Package extract extracts the data that a submitted document states: the insured,
// the broker, the policy and the statement of values. Each value has a score and its
// evidence: where in the document it was found. The package has one function, Extract,
// and does not know requests, rows or tenants.
package extract

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/field"
	"understudy.example/internal/lazyregexp"
)

// Extraction is the data extracted from a document.
type Extraction struct {
	// Facts are values of the insured, for fields of field.Facts, for fields of
	// field.Report that only the version 1 inquiry returns (phone_number, email_id,
	// contact_name, dba_aka, fein, …), and for fields of field.MoreFacts. `address` is the insured's whole address on
	// one line.
	Facts []field.Value `json:"facts"`
	// Options are values of the policy and the broker, for fields of field.Options
	// and field.MoreOptions.
	Options []field.Value `json:"options"`
	// Locations are the rows of the statement of values, with values for fields of
	// field.LocationFacts, field.LocationOptions and field.MoreLocation.
	Locations [][]field.Value `json:"locations"`
	// Parts are the file itself and its attachments, with a note on each part that was
	// skipped or only partly read.
	Parts []Part `json:"parts"`
	// Text is the running text of all parts, limited to 200,000 bytes.
	Text string `json:"-"`
}

// Part is one document of a submission: the file itself or an attachment.
type Part struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Note   string `json:"note"` // why the part was skipped or only partly read; empty if it was read completely
}

// Unreadable is the error of a document that cannot be read at all because of the
// document itself, for example because it needs a password. Its text is the reason
// and can be shown to users.
type Unreadable = content.Unreadable

// Cause is the class of the reason why a document or a part of it was not read.
type Cause = content.Cause

const (
	maxText      = 200_000 // bytes of running text kept
	maxLines     = 50_000  // lines of text that are searched
	maxSearched  = 400_000 // bytes of them
	maxLine      = 2_000   // bytes of one line that are searched
	maxLocations = 10_000
	maxRows      = 200_000  // of a table that are searched
	maxReadings  = 400      // of one field
	maxTableText = 16 << 20 // bytes of text in tables that are searched
	minCellText  = 40       // bytes of each cell that are searched in any case

	maxHeaderCells = 30_000 // of table rows that look like headers and are examined
	maxFormCells   = 100    // of a row of a form or of a list of values by label
)

// Extract extracts the data from a document with the given file name and size in
// bytes. Its error is an *Unreadable if the document is the cause.
func Extract(ctx context.Context, name string, data io.ReaderAt, size int64) (*Extraction, error) {
	parts, err := document.Read(ctx, name, data, size)
	if err != nil {
		return nil, err
	}
	return interpret(ctx, parts)
}

// extractor holds the state of one extraction.
type extractor struct {
	parts      []content.Part
	lines      []line
	text       string
	order      parse.DateOrder
	candidates []resolve.Reading
	decided    map[string][]resolve.Value // of the candidates; nil if they have changed
	trace      *Trace                     // nil if no explanation is wanted
	segments   []*segment
	sovRows    map[*content.Table]map[int]bool // rows that belong to a statement of values
	printed    map[int]bool                    // parts that are printed forms
	readings   map[string]int                  // of each field

	headerCells int // of the rows that looked like headers so far
	boxCells    int // that were examined as boxes of forms so far
}

// line is a line of text, or a label with its value, in reading order.
type line struct {
	text         string
	label, value string // set instead of text
	head         bool
	table        *content.Table // set instead of text
	at           source.Place
}

func interpret(ctx context.Context, parts []content.Part) (*Extraction, error) {
	return newExtractor(parts).extract(ctx)
}

func newExtractor(parts []content.Part) *extractor {
	return &extractor{parts: parts, printed: map[int]bool{}, readings: map[string]int{}}
}

func (d *extractor) extract(ctx context.Context) (*Extraction, error) {
	shortenCells(d.parts, maxTableText)
	d.flatten()
	d.order = parse.OrderOf(d.text)

	steps := []func(){d.readForms, d.readTables, d.readLines, d.readCovers, d.readYears, d.readMails, d.readProse}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	locations := d.readLocations(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.settleParties()
	d.settlePlaces(locations)
	facts, options := d.readSchedules(locations)

	given, policy := Resolve(resolve.Fitted, d.candidates)
	e := &Extraction{
		Facts:     append(given, facts...),
		Options:   append(policy, options...),
		Locations: locations,
		Parts:     make([]Part, len(d.parts)),
		Text:      d.text,
	}
	for i, p := range d.parts {
		e.Parts[i] = Part{Name: p.Name, Format: string(p.Format), Note: p.Note}
	}
	return e, nil
}

// flatten lists the lines of all parts and joins them to form the running text.
func (d *extractor) flatten() {
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
