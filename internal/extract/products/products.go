// Package products reads the covers that a document requests, and the line of business, in
// titles, subjects, lists, tables and sentences.
package products

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/covers"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/pairs"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/sov"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
	"understudy.example/internal/lazyregexp"
)

// Reader reads the covers and the line of business of a document.
type Reader struct {
	*candidate.Set
	tables *sov.Tables
}

// New returns a reader that proposes candidates for the set. tables are the statements of values.
func New(d *candidate.Set, tables *sov.Tables) *Reader {
	return &Reader{Set: d, tables: tables}
}

// Read extracts the covers that the document requests, and the line of business.
func (d *Reader) Read() {
	observations := d.Observations()
	requested := covers.Read(observations)
	for _, c := range requested {
		at := d.Lines[c.Line].At
		at.Boxed = c.Ticked
		at.Line *= 100 // entries of a line have the numbers line*100 + n
		d.Propose("coverage", c.Text, source.Synonym, c.Fit, at)
	}
	d.coverColumns()
	d.readProducts(observations)
	d.coversOfLines()
}

// coverColumns proposes the covers in those columns of statements of values that name a cover in each row.
func (d *Reader) coverColumns() {
	for _, s := range d.tables.Segments {
		for _, column := range s.Columns {
			if column.Field != "~category" {
				continue
			}
			var cells []content.Cell
			var texts []string
			for _, row := range s.Table.Rows[:min(len(s.Table.Rows), layout.MaxPairRows)] {
				if column.Index >= len(row) {
					continue
				}
				cell := row[column.Index]
				if covers.IsSection(cell.Text) {
					cells, texts = cells[:0], texts[:0]
				}
				cells, texts = append(cells, cell), append(texts, strings.TrimSpace(cell.Text))
			}
			for n, c := range covers.Column(texts) {
				at := layout.CellPlace(s.At, cells[c.Line])
				at.Line = at.Line*100 + n
				d.Propose("coverage", c.Text, source.Synonym, c.Fit, at)
			}
		}
	}
}

// coversOfLines derives requested covers from a line of business that consists of several covers. If
// the document requests no covers, those of several lines of business count too.
func (d *Reader) coversOfLines() {
	named := map[string]bool{}
	for _, c := range d.Ranked("coverage") {
		for _, m := range vocabulary.Covers().Find(c.Text) {
			named[m.Meaning] = true
		}
	}
	none, lines := len(named) == 0, d.Ranked("product")
	for _, p := range lines {
		entries := covers.Listed(p.Text)
		if len(entries) < 2 && (len(lines) < 2 || !none) {
			continue
		}
		for _, c := range entries {
			if !named[c.Meaning] {
				d.Derive("coverage", c.Text, p.Reading)
			}
		}
	}
}

// readProducts derives the line of business from the titles of the document, from the
// requested covers, and from the statement of values, in this order, unless a label states
// it.
func (d *Reader) readProducts(observations []observe.Observation) {
	stated := d.Ranked("product")
	lines, named := 0, 0 // values that name a line of business, and values that name any cover
	for _, c := range stated {
		found := vocabulary.Covers().Find(c.Text)
		if slices.ContainsFunc(found, func(m vocabulary.Match) bool { return m.Class == m.Meaning }) {
			lines++
		}
		named += min(len(found), 1)
	}
	if lines*2 > len(stated) {
		return
	}
	if named > 0 { // such as "Program requested: flood, spoilage"
		if d.readTitles(observations) {
			d.Drop("a title names the line of business, and this names only a cover", func(c resolve.Reading) bool {
				return c.Field == "product" && c.Features[resolve.Form]+c.Features[resolve.Subject] == 0
			})
		}
		return
	}
	d.Drop("it names no known line of business", func(c resolve.Reading) bool { return c.Field == "product" && c.Features[resolve.Form] == 0 })
	if d.readTitles(observations) {
		d.linesOfCovers(false)
		return
	}
	if d.linesOfCovers(true) {
		return
	}
	for _, s := range d.tables.Segments {
		if slices.ContainsFunc(s.Columns, func(c location.Column) bool { return location.ValueColumns[c.Field] }) {
			d.Propose("product", "Property", source.Subject, 0.9, s.At)
			return
		}
	}
}

// linesOfCovers derives the lines of business from the requested covers, and reports whether there are
// any. A cover that is a line of business itself counts in the words of the document. Short
// abbreviations and the lines that other covers belong to count only if all is true.
func (d *Reader) linesOfCovers(all bool) bool {
	named := map[string]bool{}
	for _, c := range d.Ranked("product") {
		for _, m := range vocabulary.Covers().Find(c.Text) {
			named[m.Meaning] = true
		}
	}
	if !all && named["Commercial Package"] {
		return false // it contains the requested covers
	}
	proposed := false
	requested := d.Ranked("coverage")
	isPackage := func(c resolve.Value) bool { return covers.IsPackage(c.Text) }
	if all && slices.ContainsFunc(requested, isPackage) {
		requested = slices.DeleteFunc(slices.Clone(requested), func(c resolve.Value) bool { return !isPackage(c) }) // it contains the others
	}
	for _, c := range requested {
		found := vocabulary.Covers().Whole(c.Text, 1)
		if len(found) == 1 && found[0].Class == found[0].Meaning {
			if m := found[0]; !named[m.Meaning] && (all || len(c.Text) > maxAbbreviation) {
				named[m.Meaning], proposed = true, true
				d.Derive("product", d.lineIn(c.Text, m.Term), c.Reading)
			}
			continue
		}
		found = vocabulary.Covers().Find(c.Text)
		for _, m := range found {
			if all && m.Class != "-" && !named[m.Class] {
				d.Derive("product", m.Class, c.Reading)
				proposed = true
			}
		}
	}
	return proposed
}

// readTitles proposes the lines of business that the subjects of mails and the titles of
// documents and tables name, and reports whether there are any.
func (d *Reader) readTitles(observations []observe.Observation) bool {
	proposed, attached := false, true // attached: only titles of attachments name lines of business
	company := d.Best("company_name")
	try := func(title string, at source.Place) {
		at.Boxed = true
		if company != "" {
			title = strings.ReplaceAll(title, company, " - ") // "Fleet Quill Ltd"
		}
		for _, line := range covers.Lines(title) {
			if isAddress(title) {
				return
			}
			d.Propose("product", d.inFull(line), source.Subject, 1, at)
			proposed, attached = true, attached && at.Part > 0
		}
	}
	for i, p := range d.Parts {
		if p.Mail != nil {
			try(p.Mail.Subject, source.Place{Part: i, Evidence: content.Place{Part: p.Name}})
		}
	}
	for n, o := range observations {
		if n+1 < len(observations) && wraps(o, observations[n+1]) {
			o.Text += " " + observations[n+1].Text
		}
		if head, rest, ok := strings.Cut(o.Text, ", "); o.Top && ok && o.Kind == observe.Text && words.Count(o.Text) > maxTitleWords && len(parse.Dates(rest, parse.UnknownOrder)) > 0 {
			o.Text = head // "Crime, proposed term May 1, 2031 to May 1, 2032"
		}
		if o.Top && !parse.JobTitle.MatchString(o.Text) && !ofPerson(o.Text) && (o.Kind == observe.Heading || o.Kind == observe.Text && words.Count(o.Text) <= maxTitleWords && !strings.HasSuffix(o.Text, ".")) {
			try(o.Text, d.Lines[o.Line].At)
		}
		if head, _, ok := pairs.CutAt(pairs.Dashed, d.Lines[o.Line].Text); ok && o.Top && o.Kind == observe.Text && covers.OnlyTitle(head) {
			try(head, d.Lines[o.Line].At) // a title that the next line seems to continue
		}
		if o.Top && o.Kind == observe.Pair {
			try(covers.Subject(o.Label, o.Text), d.Lines[o.Line].At)
			for _, text := range []string{o.Label, o.Text} {
				if covers.IsTitle(text) && words.Capital(text) {
					try(text, d.Lines[o.Line].At)
				}
			}
		}
	}
	for i := range d.Parts {
		if n := d.subjectLine(i); n >= 0 {
			try(d.Lines[n].Text, d.Lines[n].At)
		}
		for _, l := range d.subjectBlock(i) {
			try(l.Text+l.Value, l.At)
		}
	}
	for _, l := range d.Lines {
		if l.Table == nil || l.At.Quoted {
			continue
		}
		for _, row := range l.Table.Rows[:min(len(l.Table.Rows), 3)] {
			if layout.FilledCells(row) > maxTitleCells {
				continue
			}
			for _, c := range row {
				if !c.Merged && c.Text != "" && (layout.OnlyCell(row) != "" || covers.IsTitle(c.Text)) {
					try(c.Text, l.At)
				}
			}
		}
	}
	if !proposed || attached {
		return d.readRequests(observations, proposed) || proposed
	}
	return proposed
}

// isAddress reports whether a title is an address, in which a province's code can look like an abbreviated cover.
func isAddress(text string) bool {
	a, ok := parse.Arranged(text)
	return ok && parse.HasDigit(a.Street)
}

// readRequests proposes the lines of business in the first sentence that asks for any, and reports whether
// there is one. If only the first part counts, as in a mail with attachments, the other parts are left out.
func (d *Reader) readRequests(observations []observe.Observation, onlyFirst bool) bool {
	for _, o := range observations {
		at := d.Lines[o.Line].At
		if onlyFirst && at.Part > 0 {
			return false
		}
		text := d.RanOn(o.Line, d.Lines[o.Line].Text)
		switch {
		case o.Kind == observe.Pair && words.Count(o.Text) >= minSentence:
			text = o.Text // "New business: Quill Ltd, from 1 May. Property and GL please."
		case o.Kind != observe.Text:
			continue
		}
		lines := covers.Asked(text)
		for n, line := range lines {
			place := at
			place.Line = at.Line*100 + n
			d.Propose("product", d.inFull(line), source.Subject, 0.95, place)
		}
		if len(lines) > 0 {
			return true
		}
	}
	return false
}

// minSentence is the number of words of a sentence after a label that can ask for covers.
const minSentence = 4

// ofPerson reports whether a line begins with the name and the job title of a person, as the line of a
// signature does: "Ada Quill - VP, Financial Lines - Quill Brokers".
func ofPerson(text string) bool {
	first, rest, ok := pairs.CutAt(detailMark, text)
	return ok && parse.TitleAndArea.MatchString(rest) && parse.IsPerson(first)
}

var detailMark = lazyregexp.New(`,\s+|\s+[|·•–—-]\s+`)

// wraps reports whether a title continues on the next line: both lines are titles in capitals, and the
// next one alone names no line of business.
func wraps(o, next observe.Observation) bool {
	return o.Top && next.Top && next.Line == o.Line+1 && o.Kind == observe.Heading && next.Kind == observe.Heading &&
		strings.ToUpper(o.Text) == o.Text && strings.ToUpper(next.Text) == next.Text && len(covers.Lines(o.Text)) == 1 && len(covers.Lines(next.Text)) == 0 &&
		len(covers.Lines(o.Text+" "+next.Text)) == 1
}

// lineIn returns the line of business that a cover names, in the words of the document. An English
// text must have the words of the line's usual name.
func (d *Reader) lineIn(text string, line *vocabulary.Term) string {
	if full := d.inFull(text); full != text || strings.ToUpper(text) == text {
		return full
	}
	if names := covers.Lines(text); len(names) == 1 && strings.EqualFold(names[0], text) && vocabulary.Titles().Means(vocabulary.Words(text)[0], "trade") {
		return text // "Retail Shop Package"
	}
	for _, w := range vocabulary.Words(line.Meaning) {
		if line.English && !slices.Contains(vocabulary.Words(text), w) {
			return line.Meaning
		}
	}
	return text
}

// inFull returns the usual name of a line of business for its abbreviation, if the document uses
// that name too. A name that contains the usual one, such as "COMMERCIAL PROPERTY", is returned unchanged.
func (d *Reader) inFull(line string) string {
	if strings.ToUpper(line) != line {
		return line
	}
	found := vocabulary.Covers().Whole(line, 0)
	if len(found) != 1 || len(line) > len(found[0].Meaning) && strings.Contains(strings.ToLower(line), strings.ToLower(found[0].Meaning)) {
		return line
	}
	if bare := withoutJoiners.Replace; strings.Contains(bare(strings.ToLower(d.Text)), bare(strings.ToLower(found[0].Meaning))) {
		return found[0].Meaning
	}
	return line
}

// withoutJoiners removes the signs and words that join the words of a name.
var withoutJoiners = strings.NewReplacer(",", "", " &", "", " and ", " ")

const maxAbbreviation = 4 // bytes of an abbreviation, such as "GL", which can be part of a package

const maxTitleCells = 2 // cells of a row that is the title of a table

// maxTitleWords is the maximum number of words of a line that counts as a title although
// its layout is not that of a heading.
const maxTitleWords = 10
