package list

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/field"
	"understudy.example/internal/memo"
)

// TableColumn is a column of a table with its meaning.
type TableColumn struct {
	Index   int
	Meaning string
	general bool
	Fit     float64
}

// HeaderAt returns the kind of the table whose header starts at row i, its columns, and
// the height of the header in rows; a nil kind if there is none. text says that the rows are lines
// of text.
func (s *Matcher) HeaderAt(rows [][]content.Cell, i int, text bool) (best *Kind, columns []TableColumn, height int) {
	highest := 3
	if text {
		highest = 1 // the cells of lines of text cannot be aligned
	}
	for h := 1; h <= highest && i+h <= len(rows); h++ {
		if !s.Examines(rows[i+h-1]) {
			break
		}
		k, found := s.classify(combined(rows[i : i+h]))
		if k != nil && k.List == "existing_insurance" && s.Title != k.List && len(rows) <= i+h+1 {
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
func withoutDoubts(k *Kind, columns []TableColumn) []TableColumn {
	if k == nil || len(Cycles(columns)) > 1 {
		return columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool {
		f := FieldNamed(k.Fields, c.Meaning)
		return (f.Kind == field.Money || f.Kind == field.Date) && !repeatable[c.Meaning] &&
			slices.ContainsFunc(columns, func(other TableColumn) bool { return other.Meaning == c.Meaning && other.Index != c.Index })
	})
}

// Examines reports whether a row can be a header, and limits how many are examined.
func (s *Matcher) Examines(row []content.Cell) bool {
	filled := 0
	for _, c := range row[:min(len(row), MaxColumns)] {
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
		width = max(width, min(len(r), MaxColumns))
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
func (s *Matcher) classify(headers []string) (best *Kind, columns []TableColumn) {
	for i := range Kinds {
		k := &Kinds[i]
		found := s.match(k, headers)
		if len(found) > 0 && fields(found) > fields(columns) && s.isKind(k, found) {
			best, columns = k, found
		}
	}
	return best, columns
}

func (s *Matcher) match(k *Kind, headers []string) []TableColumn {
	var columns []TableColumn
	for j, text := range headers {
		if text == "" {
			continue
		}
		if h, ok := s.Column(k.List, text); ok {
			columns = append(columns, TableColumn{j, h.Meaning, h.General, h.Fit})
		}
	}
	// If several headers have the same meaning, only those that fit best have it.
	return slices.DeleteFunc(slices.Clone(columns), func(c TableColumn) bool {
		return slices.ContainsFunc(columns, func(other TableColumn) bool { return other.Meaning == c.Meaning && other.Fit > c.Fit })
	})
}

// isKind reports whether the columns make a table of the kind.
func (s *Matcher) isKind(k *Kind, columns []TableColumn) bool {
	has := func(name string, general bool) bool {
		if name == "title" {
			return s.Title == k.List
		}
		for _, c := range columns {
			if c.Meaning == name && (general || !c.general) {
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
	return Satisfied(k.table, has)
}

// fields returns a number by which kinds of tables are compared: twice the number of fields
// of the columns, minus one if several columns have the same field.
func fields(columns []TableColumn) int {
	seen := map[string]bool{}
	doubts := 0
	for _, c := range columns {
		if seen[c.Meaning] && !repeatable[c.Meaning] {
			doubts++
		}
		if c.Meaning != "~other" && c.Meaning != "~number" {
			seen[c.Meaning] = true
		}
	}
	return 2*len(seen) - min(doubts, 1)
}

// Cycles splits the columns of entries side by side, which repeat the same meanings, into
// the columns of each. Columns that do not repeat belong to all of them.
func Cycles(columns []TableColumn) [][]TableColumn {
	count := map[string]int{}
	for _, c := range columns {
		if !repeatable[c.Meaning] {
			count[c.Meaning]++
		}
	}
	var common, repeated []TableColumn
	for _, c := range columns {
		if count[c.Meaning] > 1 {
			repeated = append(repeated, c)
		} else {
			common = append(common, c)
		}
	}
	if len(repeated) == 0 {
		return [][]TableColumn{columns}
	}
	n := count[repeated[0].Meaning]
	size := len(repeated) / n
	if size < 3 || size*n != len(repeated) {
		return [][]TableColumn{columns}
	}
	var groups [][]TableColumn
	for i := 0; i < len(repeated); i += size {
		for j := range size {
			if repeated[i+j].Meaning != repeated[j].Meaning {
				return [][]TableColumn{columns}
			}
		}
		groups = append(groups, append(slices.Clone(common), repeated[i:i+size]...))
	}
	return groups
}

// repeatable are the meanings that several columns of an entry can have.
var repeatable = map[string]bool{"~other": true, "~number": true, "~paid_part": true, "~reserved_part": true, "~limits": true, "~claimant": true, "~cause": true}

// Heading remembers which list a heading names, and reports whether the text is a heading.
// A heading that names no list ends the section of the previous heading.
func (s *Matcher) Heading(text string) bool {
	text, _, _ = strings.Cut(strings.TrimLeft(strings.TrimSpace(text), "#*-•0123456789. "), "(")
	text = strings.Trim(text, "*: ")
	if text == "" || len(text) > 90 {
		s.TitleAge++
		return false
	}
	named := titles.Of(text)
	upper := text == strings.ToUpper(text) && len(strings.Fields(text)) <= 8 && !strings.ContainsAny(text, ":\t|$")
	heading := named != "" || upper && len(text) > 3 && strings.ContainsAny(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if s.TitleAge++; heading || s.TitleAge > 60 {
		s.Title, s.TitleAge = named, 0
	}
	return heading
}

// titles holds the lists that headings name, or "".
var titles = memo.New(func(heading string) string {
	words := vocabulary.NewPhrase(heading)
	for i := range Kinds {
		if vocabulary.Schedule(Kinds[i].List).Is("title", words) {
			return Kinds[i].List
		}
	}
	return ""
})
