package schedule

import (
	"slices"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/list"
	"understudy.example/internal/extract/vocabulary"
	"understudy.example/internal/lazyregexp"
)

// readCoverages reads the deductibles and the covered auto symbols in tables with one row
// for each coverage.
func (s *scanner) readCoverages() {
	for i, b := range s.blocks {
		if b.Table != nil && !s.listed[b.Table] && len(b.Taken) == 0 {
			s.coverageTable(b.Table.Rows, i, false)
		}
	}
	for _, t := range s.textTables {
		s.coverageTable(t.Rows, t.blocks[0], true)
	}
}

// coverageTable reads a table with one row for each coverage. If aligned is true,
// rows count only if they have as many cells as the header.
func (s *scanner) coverageTable(rows [][]content.Cell, line int, aligned bool) {
	for r := 0; r < len(rows) && r < 60; r++ {
		if !s.Examines(rows[r]) {
			continue
		}
		if columns := s.coverageColumns(rows[r]); columns != nil {
			below := rows[r+1:]
			if aligned {
				below = slices.DeleteFunc(slices.Clone(below), func(row []content.Cell) bool { return len(row) != len(rows[r]) })
			}
			s.coverageRows(below, columns, line)
			return
		}
	}
}

// coverageColumns returns the indexes of the columns "~coverage", "deductible" and
// "~symbols" of a header; nil if it has no coverage or none of the others.
func (s *scanner) coverageColumns(row []content.Cell) map[string]int {
	columns := map[string]int{}
	for j, c := range row[:min(len(row), list.MaxColumns)] {
		for _, list := range []string{"deductible", "symbols"} {
			if h, ok := s.Column(list, c.Text); ok && h.Fit >= 0.9 && (h.Meaning == "~coverage" || h.Meaning == "deductible" || h.Meaning == "~symbols") {
				if _, taken := columns[h.Meaning]; !taken {
					columns[h.Meaning] = j
				}
			}
		}
	}
	if _, ok := columns["~coverage"]; !ok || len(columns) < 2 {
		return nil
	}
	return columns
}

func (s *scanner) coverageRows(rows [][]content.Cell, columns map[string]int, line int) {
	for _, row := range rows[:min(len(rows), 200)] {
		cell := func(meaning string) string {
			if j, ok := columns[meaning]; ok && j < len(row) {
				return list.Clean(row[j].Text)
			}
			return ""
		}
		name := cell("~coverage")
		if name == "" || len(name) > 80 || isTotal(row) {
			continue
		}
		s.addDeductible(name, cell("deductible"), line)
		if text := cell("~symbols"); text != "" {
			s.addSymbols(name, text, line)
		}
	}
}

// alone matches a single amount, which words can follow.
var alone = vocabulary.Pattern(`^{{money.sign|money.code}}?\s*\d[\d.,' ]*{{money.scale}}?\s*{{money.sign|money.behind}}?(?:\s+\pL[^\d%]*)?$`)

// deductible proposes the deductible of a label that contains the word for one.
func (s *scanner) deductible(p pair, line int) {
	if len(p.label) > 80 || !vocabulary.Schedule("deductible").Knows(vocabulary.NewPhrase(p.label)) {
		return
	}
	words := strings.FieldsFunc(p.label, func(r rune) bool { return r == ' ' || r == '(' || r == ')' || r == '-' || r == '–' || r == ',' })
	if len(words) > 8 {
		return
	}
	for n := min(3, len(words)); n >= 1; n-- {
		for i := 0; i+n <= len(words); i++ {
			h, ok := s.Column("deductible", strings.Join(words[i:i+n], " "))
			if !ok || h.Meaning != "deductible" || h.Fit < 0.9 {
				continue
			}
			var rest []string
			for _, w := range append(slices.Clone(words[:i]), words[i+n:]...) {
				h, ok := s.Column("deductible", w)
				switch {
				case ok && h.Meaning == "~not":
					return // "Excess liability", "Deductible applies per …"
				case !ok || h.Meaning != "~plain":
					rest = append(rest, w)
				}
			}
			name := strings.Join(rest, " ")
			if name == "" {
				name = strings.Join(words[i:i+n], " ")
			}
			s.addDeductible(name, p.value, line)
			return
		}
	}
}

func (s *scanner) addDeductible(name, text string, line int) {
	text = list.Clean(text)
	if text == "" || !alone.MatchString(text) || s.Missing(text) {
		return
	}
	if list.Dotted.MatchString(text) {
		text = strings.ReplaceAll(text, ".", "")
	}
	if sum, ok := s.Money(text); ok && sum != "0.00" {
		s.propose("deductible", strings.Trim(list.Clean(name), " :")+": "+sum, line)
	}
}

var (
	symbolWord = lazyregexp.New(`(?i)\bsymbols?\b`)
	symbolForm = lazyregexp.New(`\d{1,2}`)
	symbolList = lazyregexp.New(`(?i)^(?:[\d\s,/&;().]|and|symbols?)*$`)
	otherDigit = lazyregexp.New(`[$£€%]|\d{3}|\d[.,]\d{3}`)
)

var withoutMarks = strings.NewReplacer("(", " ", ")", " ", ":", " ", "-", " ", "–", " ")

// symbols proposes the covered auto symbols in text such as "Liability: Symbols 7, 8".
func (s *scanner) symbols(text string, line int) {
	if !symbolWord.MatchString(text) {
		return
	}
	for segment := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '|' }) {
		at := symbolForm.FindStringIndex(segment)
		if at == nil {
			continue
		}
		name := withoutMarks.Replace(symbolWord.ReplaceAllString(segment[:at[0]], " "))
		s.addSymbols(name, segment[at[0]:], line)
	}
}

// addSymbols proposes the symbols of a coverage.
func (s *scanner) addSymbols(coverage, text string, line int) {
	h, ok := s.Column("symbols", coverage)
	if !ok || strings.HasPrefix(h.Meaning, "~") || otherDigit.MatchString(text) || !symbolList.MatchString(text) {
		return
	}
	for _, symbol := range symbolForm.FindAllString(text, -1) {
		if !validSymbol(symbol) {
			return
		}
	}
	for _, symbol := range symbolForm.FindAllString(text, -1) {
		s.propose(h.Meaning, symbol, line)
	}
}

// validSymbol reports whether a number is a symbol of the business auto, garage, truckers
// or motor carrier coverage form.
func validSymbol(text string) bool {
	n := 0
	for _, digit := range text {
		n = 10*n + int(digit-'0')
	}
	return n >= 1 && n <= 10 || n == 19 || n >= 21 && n <= 31 || n >= 41 && n <= 50 || n >= 61 && n <= 71
}
