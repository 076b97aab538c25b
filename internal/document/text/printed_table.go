package text

import (
	"strings"
	"unicode"

	"understudy.example/internal/document/content"
	"understudy.example/internal/lazyregexp"
)

// Limits of a table in a printed report.
const (
	minPrinted    = 4   // columns
	maxPrintedRow = 400 // characters
)

// printed reads a table of a printed report. Its columns have fixed widths and are separated by at
// least one blank at the same position in all lines. Cells can be empty. The first line is the
// header; a line with an amount of money is not a header.
func (t *tables) printed(at int) (*content.Table, int) {
	lines := t.lines[at:]
	header := []rune(strings.TrimRight(lines[0], " "))
	if len(header) > maxPrintedRow || strings.Contains(lines[0], ":") || amount.MatchString(lines[0]) {
		return nil, 0
	}
	gaps := blanksOf(header)
	rows, n := [][]rune{header}, 1
	for ; n < len(lines) && strings.TrimSpace(lines[n]) != ""; n++ {
		if isRuler(lines[n]) {
			if len(rows) > 2 {
				break // a ruler ends the table
			}
			continue
		}
		row := []rune(strings.TrimRight(lines[n], " "))
		kept := blankIn(gaps, row)
		if len(kept) < len(gaps) && len(rows) > 2 && 2*columnsAtGaps(lines[n]) < len(gaps) {
			break // a line of totals, or text
		}
		if len(row) > maxPrintedRow || !strings.Contains(strings.TrimSpace(lines[n]), "  ") || len(kept)+1 < minPrinted || len(kept)*3 < len(gaps)*2 && len(rows) > 2 {
			break
		}
		gaps, rows = kept, append(rows, row)
	}
	if gaps = separating(gaps, rows[1:]); len(rows) < 3 || len(gaps)+1 < minPrinted {
		t.searchedInVain(at, n)
		return nil, 0
	}
	table := &content.Table{}
	for _, row := range rows {
		cells := make([]content.Cell, 0, len(gaps)+1)
		from := 0
		for _, end := range append(gaps[:len(gaps):len(gaps)], gap{len(row), len(row)}) {
			to := min(end.from, len(row))
			cells = append(cells, content.Cell{Text: strings.TrimSpace(string(row[min(from, to):to])), Ref: content.CellRef(len(table.Rows)+1, len(cells)+1)})
			from = end.from
		}
		table.Rows = append(table.Rows, cells)
	}
	return table, n
}

var amount = lazyregexp.New(`[$£€]\s*\d|\d\s*[€£]|\d,\d{3}\s*$`)

// gap is a range of positions that are blank in all lines of a table.
type gap struct{ from, to int }

// blanksOf returns the gaps between the words of a header.
func blanksOf(header []rune) (gaps []gap) {
	inWords := false // a word has begun
	for i := 1; i < len(header); i++ {
		inWords = inWords || !unicode.IsSpace(header[i-1])
		switch {
		case header[i] != ' ':
		case header[i-1] != ' ' && inWords:
			gaps = append(gaps, gap{i, i + 1})
		case len(gaps) > 0 && gaps[len(gaps)-1].to == i:
			gaps[len(gaps)-1].to++
		}
	}
	return gaps
}

// blankIn returns the parts of the gaps that are blank in a line. If a gap has several such
// parts, it returns the last one.
func blankIn(gaps []gap, line []rune) (kept []gap) {
	for _, g := range gaps {
		to := g.to
		for to > g.from && to <= len(line) && line[to-1] != ' ' {
			to--
		}
		from := to
		for from > g.from && (from > len(line) || line[from-1] == ' ') {
			from--
		}
		if from < to {
			kept = append(kept, gap{from, to})
		}
	}
	return kept
}

// separating returns the gaps between two columns that both have texts in the lines below the
// header.
func separating(gaps []gap, rows [][]rune) (kept []gap) {
	filled := func(from, to int) bool {
		for _, row := range rows {
			if part := row[min(from, len(row)):min(to, len(row))]; strings.TrimSpace(string(part)) != "" {
				return true
			}
		}
		return false
	}
	from := 0
	for i, g := range gaps {
		to := maxPrintedRow
		if i+1 < len(gaps) {
			to = gaps[i+1].from
		}
		if filled(g.to, to) && filled(from, g.from) {
			kept = append(kept, g)
			from = g.to
		}
	}
	return kept
}
