package document

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readCSV reads a table of separated values. Empty lines are kept as empty
// rows, so that tables under each other stay apart.
func readCSV(r *reading, part *Part, src source) error {
	data, err := src.start(part)
	if err != nil {
		return err
	}
	text := decode(data, "")
	if strings.TrimSpace(text) == "" {
		return unreadable(Empty, "the file is empty")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	comma := delimiter(text)
	if first, rest, ok := strings.Cut(text, "\n"); ok && len(first) == 5 && strings.HasPrefix(strings.ToLower(first), "sep=") {
		comma, text = rune(first[4]), "\n"+rest
	}
	in := csv.NewReader(strings.NewReader(text))
	in.Comma, in.LazyQuotes, in.FieldsPerRecord, in.ReuseRecord = comma, true, -1, true
	table := &Table{}
	cells := 0
	for line := 1; ; {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			part.note(Damaged, "damaged table: read in part")
			break
		}
		at, _ := in.FieldPos(0)
		for ; line < at && len(table.Rows) > 0 && len(table.Rows) < maxRows; line++ {
			table.Rows = append(table.Rows, nil)
		}
		line = at + 1 + strings.Count(strings.Join(record, ""), "\n")
		if len(table.Rows) >= maxRows || cells+len(record) > maxCells {
			part.note(Limit, fmt.Sprintf("more than %d rows: the rest left out", len(table.Rows)))
			break
		}
		row := csvRow(record, at)
		cells += len(row)
		table.Rows = append(table.Rows, row)
		if len(table.Rows)%1000 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
	}
	if len(table.Rows) > 0 {
		r.keep(part, Block{Table: table, Place: Place{Line: 1}})
	}
	return nil
}

func csvRow(record []string, line int) []Cell {
	record = record[:min(len(record), maxColumns)]
	for len(record) > 0 && strings.TrimSpace(record[len(record)-1]) == "" {
		record = record[:len(record)-1]
	}
	if len(record) == 0 {
		return nil
	}
	row := make([]Cell, len(record))
	for c, text := range record {
		if text = strings.TrimSpace(text); text != "" {
			row[c] = Cell{Text: strings.Clone(text), Ref: "row " + strconv.Itoa(line) + ", column " + strconv.Itoa(c+1)}
		}
	}
	return row
}

const delimiters = ",;\t|"

// delimiter finds what parts the fields: that which parts most lines among the
// first into the same number of fields, and into more of them.
func delimiter(text string) rune {
	best, comma := 0, ','
	for _, d := range delimiters {
		counts := map[int]int{}
		for _, n := range fieldCounts(text, d, 20) {
			counts[n]++
		}
		for n, lines := range counts {
			if score := lines*1000 + n; n > 0 && score > best {
				best, comma = score, d
			}
		}
	}
	return comma
}

// fieldCounts counts a delimiter outside of quotes in each of the first lines.
func fieldCounts(text string, d rune, lines int) []int {
	var counts []int
	n, quoted, blank := 0, false, true
	for _, c := range text {
		switch {
		case c == '\n' && !quoted:
			if !blank {
				counts = append(counts, n)
			}
			if len(counts) == lines {
				return counts
			}
			n, blank = 0, true
			continue
		case c == '"':
			quoted = !quoted
		case c == d && !quoted:
			n++
		}
		blank = blank && c == ' '
	}
	if !blank && n > 0 {
		counts = append(counts, n)
	}
	return counts
}

// looksLikeCSV reports whether text without a telling name is a table: every
// one of its first lines has the same number of fields, at least three.
func looksLikeCSV(text string) bool {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for _, d := range delimiters {
		counts := fieldCounts(text, d, 20)
		if len(counts) < 3 || counts[0] < 2 {
			continue
		}
		same := true
		for _, n := range counts[:len(counts)-1] { // the last may be cut
			same = same && n == counts[0]
		}
		if same {
			return true
		}
	}
	return false
}
