package schedule

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/field"
)

// tableColumn is a column of a table with its meaning.
type tableColumn struct {
	index   int
	meaning string
	general bool
	fit     float64
}

// headerAt returns the kind of the table whose header starts at row i, its columns, and
// the height of the header in rows; a nil kind if there is none.
func (s *scanner) headerAt(rows [][]content.Cell, i int, b Block) (best *kind, columns []tableColumn, height int) {
	highest := 3
	if b.Table == nil {
		highest = 1 // the cells of lines of text cannot be aligned
	}
	for h := 1; h <= highest && i+h <= len(rows); h++ {
		if !s.examines(rows[i+h-1]) {
			break
		}
		k, found := s.classify(combined(rows[i : i+h]))
		if k != nil && k.list == "existing_insurance" && s.title != k.list && len(rows) <= i+h+1 {
			continue // one policy, which may be the one that the document is about
		}
		if k != nil && fields(found) > fields(columns) {
			best, columns, height = k, found, h
		}
	}
	if height > 1 {
		// A title above a complete header is not part of it.
		if k, lower := s.classify(combined(rows[i+1 : i+height])); k != nil && fields(lower) >= fields(columns) {
			return nil, nil, 0
		}
	}
	return best, withoutDoubts(best, columns), height
}

// withoutDoubts removes the columns of amounts and dates that have the same meaning, unless
// they belong to several entries side by side.
func withoutDoubts(k *kind, columns []tableColumn) []tableColumn {
	if k == nil || len(cycles(columns)) > 1 {
		return columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c tableColumn) bool {
		f := fieldNamed(k.fields, c.meaning)
		return (f.Kind == field.Money || f.Kind == field.Date) && !repeatable[c.meaning] &&
			slices.ContainsFunc(columns, func(other tableColumn) bool { return other.meaning == c.meaning && other.index != c.index })
	})
}

// examines reports whether a row can be a header, and limits how many are examined.
func (s *scanner) examines(row []content.Cell) bool {
	filled := 0
	for _, c := range row[:min(len(row), maxColumns)] {
		text := strings.TrimSpace(c.Text)
		if text == "" || c.Merged {
			continue
		}
		if c.Number != nil || c.Date != "" || len(text) > 80 || text[0] >= '0' && text[0] <= '9' && !strings.HasPrefix(text, "17") || strings.ContainsAny(text[:1], "$£€") {
			return false
		}
		filled++
	}
	if filled < 2 {
		return false
	}
	s.headerCells += filled
	return s.headerCells <= maxHeaderCells
}

// combined joins the rows of a header. A merged cell has its text in its first place.
func combined(rows [][]content.Cell) []string {
	width := 0
	for _, r := range rows {
		width = max(width, min(len(r), maxColumns))
	}
	texts := make([]string, width)
	for n, row := range rows {
		last := ""
		for j, c := range row[:min(len(row), width)] {
			text := strings.TrimSpace(c.Text)
			if c.Merged && n+1 < len(rows) {
				text = last
			}
			last = text
			texts[j] = strings.TrimSpace(texts[j] + " " + text)
		}
	}
	return texts
}

// classify returns the kind of table that has these headers, and its columns.
func (s *scanner) classify(headers []string) (best *kind, columns []tableColumn) {
	for i := range kinds {
		k := &kinds[i]
		found := s.match(k, headers)
		if len(found) > 0 && fields(found) > fields(columns) && s.isKind(k, found) {
			best, columns = k, found
		}
	}
	return best, columns
}

func (s *scanner) match(k *kind, headers []string) []tableColumn {
	var columns []tableColumn
	for j, text := range headers {
		if text == "" {
			continue
		}
		if h, ok := s.column(k.list, text); ok {
			columns = append(columns, tableColumn{j, h.Meaning, h.General, h.Fit})
		}
	}
	// If several headers have the same meaning, only those that fit best have it.
	return slices.DeleteFunc(slices.Clone(columns), func(c tableColumn) bool {
		return slices.ContainsFunc(columns, func(other tableColumn) bool { return other.meaning == c.meaning && other.fit > c.fit })
	})
}

// isKind reports whether the columns make a table of the kind.
func (s *scanner) isKind(k *kind, columns []tableColumn) bool {
	has := func(name string, general bool) bool {
		if name == "title" {
			return s.title == k.list
		}
		for _, c := range columns {
			if c.meaning == name && (general || !c.general) {
				return true
			}
		}
		return false
	}
	for _, name := range k.not {
		if has(name, false) && !(name == "~serial" && (has("vin", false) || has("~registration", false))) {
			return false
		}
	}
	return satisfied(k.table, has)
}

// fields returns a number by which kinds of tables are compared: twice the number of fields
// of the columns, minus one if several columns have the same field.
func fields(columns []tableColumn) int {
	seen := map[string]bool{}
	doubts := 0
	for _, c := range columns {
		if seen[c.meaning] && !repeatable[c.meaning] {
			doubts++
		}
		if c.meaning != "~other" && c.meaning != "~number" {
			seen[c.meaning] = true
		}
	}
	return 2*len(seen) - min(doubts, 1)
}

// cycles splits the columns of entries side by side, which repeat the same meanings, into
// the columns of each. Columns that do not repeat belong to all of them.
func cycles(columns []tableColumn) [][]tableColumn {
	count := map[string]int{}
	for _, c := range columns {
		if !repeatable[c.meaning] {
			count[c.meaning]++
		}
	}
	var common, repeated []tableColumn
	for _, c := range columns {
		if count[c.meaning] > 1 {
			repeated = append(repeated, c)
		} else {
			common = append(common, c)
		}
	}
	if len(repeated) == 0 {
		return [][]tableColumn{columns}
	}
	n := count[repeated[0].meaning]
	size := len(repeated) / n
	if size < 3 || size*n != len(repeated) {
		return [][]tableColumn{columns}
	}
	var groups [][]tableColumn
	for i := 0; i < len(repeated); i += size {
		for j := range size {
			if repeated[i+j].meaning != repeated[j].meaning {
				return [][]tableColumn{columns}
			}
		}
		groups = append(groups, append(slices.Clone(common), repeated[i:i+size]...))
	}
	return groups
}

// repeatable are the meanings that several columns of an entry can have.
var repeatable = map[string]bool{"~other": true, "~number": true, "~paid_part": true, "~reserved_part": true, "~limits": true, "~claimant": true, "~cause": true}

// heading remembers which list a heading names, and reports whether the text is a heading.
// A heading that names no list ends the section of the previous heading.
func (s *scanner) heading(text string) bool {
	text, _, _ = strings.Cut(strings.TrimLeft(strings.TrimSpace(text), "#*-•0123456789. "), "(")
	text = strings.Trim(text, "*: ")
	if text == "" || len(text) > 90 {
		s.titleAge++
		return false
	}
	named := ""
	for _, k := range kinds {
		if s.is(k.list, "title", text) {
			named = k.list
			break
		}
	}
	upper := text == strings.ToUpper(text) && len(strings.Fields(text)) <= 8 && !strings.ContainsAny(text, ":\t|$")
	heading := named != "" || upper && len(text) > 3 && strings.ContainsAny(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if s.titleAge++; heading || s.titleAge > 60 {
		s.title, s.titleAge = named, 0
	}
	return heading
}
