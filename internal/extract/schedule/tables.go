package schedule

import (
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/list"
)

// section is the columns of a table that is being read.
type section struct {
	kind    *list.Kind
	columns []list.TableColumn
	width   int // of the header row
	part    int
	sheet   string
	group   int
	table   *content.Table

	typed, wrong int // cells of columns with a type, and those with another type
	entries      []Entry
}

// carried are values that stand above a table and hold for its entries.
type carried struct {
	part   int
	values map[string]string
	age    int // lines since the last of them
}

// readTables reads the tables, and the lines of text that look like tables.
func (s *scanner) readTables() {
	part := -1
	for i := 0; i < len(s.blocks); i++ {
		b := s.blocks[i]
		if b.Part != part {
			part, s.Title, s.TitleAge, s.last = b.Part, "", 0, nil
			s.carried = carried{part: part, values: map[string]string{}}
			s.Heading(baseName(b.Place.Part))
		}
		switch {
		case b.Table != nil:
			s.table(b.Table, b)
		case b.Label != "":
			s.carry(b.Label, b.Value)
		default:
			n, t := 0, (*textTable)(nil)
			if !b.Printed {
				n, t = s.textTable(i)
			}
			if n > 0 {
				before := len(s.entries)
				s.rows(t.Table, b, t.blocks)
				if len(s.entries) > before {
					for j := i; j < i+n; j++ {
						s.used[j] = true
					}
				} else {
					s.textTables = append(s.textTables, t)
				}
				i += n - 1
				continue
			}
			s.Heading(b.Text)
			s.carryLine(b.Text)
			if strings.TrimSpace(b.Text) != "" && len(b.Text) > 80 {
				s.last = nil // a long line separates tables
			}
		}
	}
}

// baseName returns the name of a file without its extension, with spaces.
func baseName(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		name = name[:dot]
	}
	return wordBreaks.Replace(name)
}

var wordBreaks = strings.NewReplacer("_", " ", "-", " ")

func (s *scanner) table(t *content.Table, b Block) {
	if t.Hidden {
		return
	}
	if b.Place.Sheet != "" {
		s.last = nil
		s.Title = ""
		s.carried.values = map[string]string{}
		s.Heading(b.Place.Sheet)
	}
	if t.Title != "" && t.Title != b.Place.Sheet {
		s.Heading(t.Title)
	}
	if s.rows(t, b, nil) {
		return
	}
	if turned := transposed(t); turned != nil && len(b.Taken) == 0 {
		b.Table = turned
		s.rows(turned, b, nil)
	}
}

// transposed returns the table with its columns as rows; nil if it is too large to be a
// table with one entry per column.
func transposed(t *content.Table) *content.Table {
	const most = 60
	width := 0
	for _, row := range t.Rows {
		width = max(width, len(row))
	}
	if len(t.Rows) < 3 || len(t.Rows) > most || width < 2 || width > most {
		return nil
	}
	turned := &content.Table{Title: t.Title, Rows: make([][]content.Cell, width)}
	for j := range turned.Rows {
		turned.Rows[j] = make([]content.Cell, len(t.Rows))
		for i, row := range t.Rows {
			if j < len(row) {
				turned.Rows[j][i] = row[j]
				turned.Rows[j][i].Text = strings.TrimRight(strings.TrimSpace(row[j].Text), ":")
			}
		}
	}
	return turned
}

// rows reads the sections of a table, and reports whether there was a header. lines holds
// the blocks of the rows of a table in text.
func (s *scanner) rows(t *content.Table, b Block, lines []int) (found bool) {
	var current *section
	for i := 0; i < len(t.Rows) && i < maxRows; i++ {
		row := t.Rows[i]
		if b.Taken[i] {
			continue
		}
		if lines != nil {
			b.Place = s.blocks[lines[i]].Place
		}
		if current == nil && i >= 200 {
			break
		}
		if current == nil || s.repeatsHeader(row) {
			if k, columns, height := s.HeaderAt(t.Rows, i, b.Table == nil); k != nil {
				s.finish(current)
				s.groups++
				current = &section{kind: k, columns: columns, width: len(row), part: b.Part, sheet: b.Place.Sheet, group: s.groups, table: b.Table}
				found = true
				i += height - 1
				continue
			}
		}
		if current == nil && i == 0 && b.Table != nil && s.last != nil && s.last.part == b.Part && s.last.width == len(row) && b.Place.Sheet == "" {
			current = s.last // the table goes on after a page break
			current.entries, current.typed, current.wrong = nil, 0, 0
		}
		if current == nil || b.Table == nil && len(row) != current.width || !s.row(current, row, b) {
			s.above(row)
		}
	}
	s.finish(current)
	return found
}

// repeatsHeader reports whether the first text of a row is the header of a column.
func (s *scanner) repeatsHeader(row []content.Cell) bool {
	for _, c := range row {
		if text := strings.TrimSpace(c.Text); text != "" {
			for _, k := range list.Kinds {
				if h, ok := s.Column(k.List, text); ok && h.Fit == 1 {
					return true
				}
			}
			return false
		}
	}
	return false
}

// above remembers what a row outside of a list states about the entries below it.
func (s *scanner) above(row []content.Cell) {
	var filled []string
	for _, c := range row[:min(len(row), 20)] {
		if text := list.Clean(c.Text); text != "" && !c.Merged {
			filled = append(filled, text)
		}
	}
	switch {
	case len(filled) == 1:
		s.Heading(filled[0])
		s.carryLine(filled[0])
	case len(filled) == 2 && !strings.Contains(filled[0], ": "):
		s.carry(strings.TrimRight(filled[0], ": "), filled[1])
	default:
		for _, text := range filled {
			s.carryLine(text)
		}
	}
}

func (s *scanner) carryLine(text string) {
	s.carried.age++
	for _, p := range pairsOf(text) {
		s.carry(p.label, p.value)
	}
}

// carry remembers the value of a label that can stand above a table.
func (s *scanner) carry(label, value string) {
	for _, k := range list.Kinds {
		if len(k.Carry) == 0 {
			continue
		}
		h, ok := s.Column(k.List, label)
		if !ok || h.Fit < 1 || h.General {
			continue
		}
		for _, name := range k.Carry {
			if h.Meaning != name {
				continue
			}
			f := list.FieldNamed(k.Fields, name)
			if text, fits := s.Value(f, content.Cell{Text: value}); fits && text != "" && len(text) <= 80 {
				s.carried.values[k.List+"."+name] = text
				s.carried.age = 0
			}
		}
	}
}
