// Package sov reads statements of values: tables whose rows are insured locations. Package column
// finds their columns.
package sov

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/column"
	"understudy.example/internal/extract/layout"
	"understudy.example/internal/extract/location"
	"understudy.example/internal/extract/parse"
	"understudy.example/internal/extract/recognise"
	"understudy.example/internal/extract/schedule"
	"understudy.example/internal/extract/source"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/extract/words"
)

// Segment is a header with the rows under it: one statement of values, or a part of
// one.
type Segment struct {
	Table   *content.Table
	At      source.Place
	Columns []location.Column
	width   int
	Rows    []location.Row
	hidden  bool
	prior   bool
	scale   parse.Amount
	sums    map[string]parse.Amount // of the rows read
	totals  int                     // rows of totals seen
	places  int                     // rows that state a place
	filled  int                     // cells of these rows
	valued  int                     // rows with values
	ended   bool                    // another table follows
	gap     bool                    // the last row was empty

	placeless bool                     // no column states a place
	site      map[string]location.Cell // place of the next buildings, if a line states it
}

var priorName = vocabulary.Pattern(`(?i)\b{{years.earlier}}\b`)

// Tables finds the statements of values among the tables of a document.
type Tables struct {
	*candidate.Set
	Segments    []*Segment
	Taken       map[*content.Table]map[int]bool // rows that belong to a statement of values
	unplaced    []location.Row                  // rows that state no place
	headerCells int                             // of the rows that looked like headers so far
	headerRows  int                             // rows that were examined as headers so far
	read        int                             // rows of statements read so far
	addresses   column.Addresses                // addresses in the cells below rows that may be headers
}

// New returns the statements of values of a document, of which none has been read.
func New(d *candidate.Set) *Tables {
	return &Tables{Set: d, Taken: map[*content.Table]map[int]bool{}, addresses: column.Addresses{}}
}

// Read reads the tables of the newest mail, or of the older ones.
func (d *Tables) Read(quoted bool) {
	for i := 0; i < len(d.Lines); i++ {
		switch l := d.Lines[i]; {
		case l.At.Quoted != quoted:
		case l.Table != nil:
			d.readSOV(l.Table, l.At, false)
		case l.Label == "":
			i += max(d.readLines(i)-1, 0)
		}
	}
}

// readSOV finds the headers in a table, which may be a transposed one, and reads the rows
// under each.
func (d *Tables) readSOV(t *content.Table, at source.Place, isTurned bool) {
	if isPairs(t) {
		return
	}
	d.completeTable(t, at)
	if turned := transposed(t); turned != nil && !isTurned {
		d.readSOV(turned, at, true)
		if d.Taken[turned] != nil {
			taken := map[int]bool{}
			for i, row := range t.Rows {
				taken[i] = layout.FilledCells(row) > 2 && !layout.Labelled(row) // others are labels with values
			}
			d.Taken[t] = taken
			return
		}
	}
	taken := map[int]bool{}
	var current *Segment
	before := []string{t.Title}
	for i := 0; i < len(t.Rows); i++ {
		columns, height := []location.Column(nil), 0
		if (i < 200 || current != nil && column.OpensHeader(t.Rows[i])) && d.examinesHeader(t.Rows[i]) {
			if columns, height = column.HeaderAt(t, i, d.addresses); height == 0 && len(d.Segments) == 0 {
				columns, height = column.HeaderByCells(t, i)
			}
		}
		if height > 0 && isSchedule(t, columns, i) {
			height = 0
		}
		if height > 0 {
			if current == nil {
				d.titleRows(append([]string{t.Title}, titles(t.Rows[:i])...), at)
			}
			current = d.segment(t, at, columns, i, height, before)
			for n := range height {
				taken[i+n] = true
			}
			i += height - 1
			continue
		}
		if current == nil && i == 0 {
			current = d.continued(t, at)
		}
		if current == nil {
			if i > maxRows {
				break
			}
			if len(before) < 30 {
				before = append(before, layout.RowText(t.Rows[i]))
			}
			continue
		}
		if d.sovRow(current, t.Rows[i], i) {
			taken[i] = true
			d.read++
		}
		if d.read > 3*location.MaxLocations || current.full() || i > maxRows {
			break
		}
	}
	if len(taken) == 0 {
		if s := d.withoutHeader(t, at); s != nil {
			for i := range t.Rows {
				taken[i] = d.sovRow(s, t.Rows[i], i)
			}
		}
	}
	if len(taken) > 0 {
		d.Taken[t] = taken
	}
}

// full reports whether a segment has rows for more locations than are kept. A location can
// have several rows only if they have categories.
func (s *Segment) full() bool {
	return s.places > location.MaxLocations && !slices.ContainsFunc(s.Columns, func(c location.Column) bool { return c.Field == "~category" })
}

// examinesHeader reports whether a row is examined as a header. A document in which all
// rows look like headers would take minutes, so the number of cells that are examined
// is limited.
func (d *Tables) examinesHeader(row []content.Cell) bool {
	if d.headerRows++; d.headerRows > maxHeaderRows || len(d.Segments) >= maxSegments {
		return false
	}
	if !column.LooksLikeHeader(row) {
		return true // quickly rejected, or accepted with the row below
	}
	d.headerCells += len(row)
	return d.headerCells <= MaxHeaderCells
}

// isPairs reports whether a table is a form: most rows contain a header with its value
// beside a second header with its value.
func isPairs(t *content.Table) bool {
	if len(t.Rows) < 2 || len(t.Rows) > 60 {
		return false
	}
	pairs, rows := 0, 0
	for _, row := range t.Rows {
		var heads []bool
		for _, c := range row {
			if !c.Merged && strings.TrimSpace(c.Text) != "" {
				_, ok := recognise.Header(strings.TrimRight(c.Text, ": ?"))
				if _, answer := location.YesWords[words.Key(c.Text)]; answer {
					ok = false
				}
				heads = append(heads, ok)
			}
		}
		if len(heads) < 2 {
			continue
		}
		if rows++; len(heads) >= 3 && heads[0] && !heads[1] && heads[2] && (len(heads) < 4 || !heads[3]) {
			pairs++
		}
	}
	return pairs >= 2 && pairs*2 > rows
}

func (d *Tables) segment(t *content.Table, at source.Place, columns []location.Column, head, height int, before []string) *Segment {
	title := strings.Join(before, " ")
	s := &Segment{Table: t, At: at, Columns: columns, width: len(t.Rows[head]), hidden: t.Hidden, scale: 1, sums: map[string]parse.Amount{}}
	s.prior = priorName.MatchString(at.Evidence.Sheet) || priorName.MatchString(t.Title) || priorName.MatchString(d.Parts[at.Part].Name)
	if len(title) < 3000 {
		s.scale = parse.Amount(recognise.ScaleOf(title))
	}
	columns = column.WithIDs(t, columns, head+height)
	if column.IsStatement(columns) {
		columns = column.WithSimilar(columns, column.CombinedHeaders(t.Rows[head:head+height])) // a field may have become free
	}
	whole := column.StackedHeaders(t.Rows[head : head+height])
	for i := range columns {
		columns[i].Name = location.CoverageName(columns[i].Header)
		columns[i].Scale = max(s.scale, parse.Amount(recognise.ScaleOf(columns[i].Header)), parse.Amount(recognise.ScaleOf(whole[columns[i].Index])))
		columns[i].Euro = euroUnit.MatchString(columns[i].Header)
	}
	d.withStatedScale(t, columns, head+height, at.Part)
	// If a header can have two meanings, the values show the content of the column.
	columns = column.Halved(t, columns, head+height)
	column.Settle(t, columns, head+height)
	columns = column.WithConstruction(t, columns, s.width, head+height)
	columns = column.WithBuilding(t, columns, whole, head+height, s.scale)
	s.Columns = columns
	if s.placeless = placeless(columns); s.placeless {
		s.site = d.siteAbove(t, head, s)
	}
	for _, c := range columns {
		if c.Field == "business_interruption_value" {
			d.Propose("business_interruption_period", recognise.MonthsIn.FindString(c.Header), source.Synonym, 0.9, at)
		}
		if c.Field == "~category" {
			d.periodInCategories(t.Rows[head+height:], c.Index, at)
		}
	}
	d.Segments = append(d.Segments, s)
	return s
}

// periodInCategories proposes the indemnity period that a kind of property states: "Business
// interruption (12m)".
func (d *Tables) periodInCategories(rows [][]content.Cell, index int, at source.Place) {
	for _, row := range rows[:min(len(rows), maxCategories)] {
		if index >= len(row) || location.CategoryOf(row[index].Text) != "business_interruption_value" {
			continue
		}
		if months := recognise.MonthsIn.FindString(row[index].Text); months != "" {
			d.Propose("business_interruption_period", months, source.Synonym, 0.9, layout.CellPlace(at, row[index]))
			return
		}
	}
}

const maxCategories = 100 // rows that are searched for a period

// continued returns a copy of the last segment for a table that continues it on the
// next page.
func (d *Tables) continued(t *content.Table, at source.Place) *Segment {
	if len(d.Segments) == 0 || len(t.Rows) == 0 {
		return nil
	}
	last := d.Segments[len(d.Segments)-1]
	if last.At.Part != at.Part || last.At.Evidence.Sheet != at.Evidence.Sheet || last.width != len(t.Rows[0]) || last.width < 4 || len(last.Rows) == 0 {
		return nil
	}
	if column.LooksLikeHeader(t.Rows[0]) {
		return nil
	}
	for _, l := range d.Lines[last.At.Line+1:] {
		if l.At.Line >= at.Line {
			break
		}
		if l.Table != nil || len(l.Text) > 80 {
			return nil
		}
	}
	s := *last
	s.Table, s.At, s.Rows, s.sums, s.places = t, at, nil, map[string]parse.Amount{}, 0
	d.Segments = append(d.Segments, &s)
	return &s
}

// isSchedule reports whether the header of a table with addresses is that of a list of
// vehicles, claims, or additional interests, and not that of a statement of values. Such a list
// can have a column of totals.
func isSchedule(t *content.Table, columns []location.Column, head int) bool {
	for _, c := range columns {
		if location.ValueColumns[c.Field] && c.Field != "100_pct_limit" || location.BuildingColumns[c.Field] && c.Field != "~building_fact" {
			return false
		}
	}
	return schedule.IsHeader(t.Rows[head:])
}

const (
	maxRows = 200_000 // of a table that are searched

	// Of the whole document.
	maxHeaderRows = 30_000 // rows that are examined as headers
	maxSegments   = 2_000

	// MaxHeaderCells is the number of cells examined in rows that look like headers, per document.
	MaxHeaderCells = 30_000
)
