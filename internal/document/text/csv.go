package text

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/lazyregexp"
)

// ReadCSV reads a table of separated values. Empty lines become empty rows, so
// that tables below each other stay apart.
func ReadCSV(f *content.File) error {
	if f.Cells() == 0 {
		f.AddNote(content.Limit, "too many cells in all tables: not read")
		return nil
	}
	data, err := firstBytes(f)
	if err != nil {
		return err
	}
	text := decode.Text(data, "")
	if strings.TrimSpace(text) == "" {
		return content.Errorf(content.Empty, "the file is empty")
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	comma := delimiter(text)
	if first, rest, ok := strings.Cut(text, "\n"); ok && len(first) == 5 && strings.HasPrefix(strings.ToLower(first), "sep=") {
		comma, text = rune(first[4]), "\n"+rest
	}
	in := csv.NewReader(strings.NewReader(cutLines(text, comma)))
	in.Comma, in.LazyQuotes, in.FieldsPerRecord, in.ReuseRecord = comma, true, -1, true
	table, err := csvTable(f, in)
	if err != nil {
		return err
	}
	if len(table.Rows) > 0 {
		f.Add(content.Block{Table: table, Place: content.Place{Line: 1}})
	}
	return nil
}

// cutLines cuts lines after maxDelimiters delimiters. The standard library's reader
// keeps all fields of a line in memory, with forty bytes for each empty field.
func cutLines(text string, comma rune) string {
	const maxDelimiters = 100_000
	delimiter := string(comma)
	var kept strings.Builder
	at, copied := 0, 0 // offsets in text
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		if len(line) <= maxDelimiters || strings.Count(line, delimiter) <= maxDelimiters {
			continue
		}
		n := 0
		end := strings.IndexFunc(line, func(c rune) bool {
			if c == comma {
				n++
			}
			return n > maxDelimiters
		})
		kept.WriteString(text[copied:start] + line[:end] + "\n")
		copied = at
	}
	if copied == 0 {
		return text
	}
	return kept.String() + text[copied:]
}

// csvTable reads the records of a file into a table.
func csvTable(f *content.File, in *csv.Reader) (*content.Table, error) {
	table, cells, maxCells := &content.Table{}, 0, min(content.MaxCells, f.Cells())
	for line := 1; ; {
		record, err := in.Read()
		if err == io.EOF {
			return table, nil
		}
		if err != nil {
			f.AddNote(content.Damaged, "damaged table: only partly read")
			return table, nil
		}
		at, _ := in.FieldPos(0)
		for ; line < at && len(table.Rows) > 0 && len(table.Rows) < content.MaxRows; line++ {
			table.Rows = append(table.Rows, nil)
		}
		line = at + 1
		for _, cell := range record {
			line += strings.Count(cell, "\n")
		}
		if len(table.Rows) >= content.MaxRows || cells+len(record) > maxCells {
			f.AddNote(content.Limit, fmt.Sprintf("more than %d rows: the rest was skipped", len(table.Rows)))
			return table, nil
		}
		row := csvRow(record, at)
		cells += len(row)
		table.Rows = append(table.Rows, row)
		if len(table.Rows)%1000 == 0 && f.Err() != nil {
			return nil, f.Err()
		}
	}
}

// csvRow returns the cells of a record, without the empty ones at its end. The texts of the
// cells share its memory: a table can have hundreds of thousands of cells.
func csvRow(record []string, line int) []content.Cell {
	record = record[:min(len(record), content.MaxColumns)]
	for len(record) > 0 && strings.TrimSpace(record[len(record)-1]) == "" {
		record = record[:len(record)-1]
	}
	if len(record) == 0 {
		return nil
	}
	row := make([]content.Cell, len(record))
	for c, text := range record {
		if text = strings.TrimSpace(text); text != "" {
			row[c] = content.Cell{Text: cut(text), Ref: content.CellRef(line, c+1)}
		}
	}
	return row
}

// cut returns the text up to maxCell bytes.
func cut(text string) string {
	if len(text) <= maxCell {
		return text
	}
	return strings.ToValidUTF8(text[:maxCell], "")
}

const delimiters = ",;\t|"

// maxSample is the size in bytes of the beginning of a text that determines its
// delimiter.
const maxSample = 1 << 20

// delimiter returns the character that separates the fields: the one that
// splits most of the first lines into the same number of fields, and among
// equals the one that yields more fields.
func delimiter(text string) rune {
	text = text[:min(len(text), maxSample)]
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

// fieldCounts counts how often a delimiter occurs outside of quotes in each of
// the first lines that are not blank.
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

// LooksLikeCSV reports whether each of the first lines of a text has the same
// number of fields, at least three. A text whose first line is a label with its value is not CSV; its commas can be those
// between thousands.
func LooksLikeCSV(text string) bool {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if areLabelled(text) {
		return false
	}
	for _, d := range delimiters {
		counts := fieldCounts(text, d, sampledLines)
		if len(counts) < 3 || counts[0] < 2 {
			continue
		}
		same := true
		for _, n := range counts[:len(counts)-1] { // the last line may be cut
			same = same && n == counts[0]
		}
		if same {
			return true
		}
	}
	return false
}

// areLabelled reports whether most of the first lines are labels with their values, in which commas can stand: "Annual
// revenue: $4,500,000".
func areLabelled(text string) bool {
	lines, labelled := 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if labelledLine.MatchString(line) {
			labelled++
		}
		if lines++; lines == sampledLines {
			break
		}
	}
	return labelled*2 > lines
}

const sampledLines = 20 // of a text that may be CSV

var labelledLine = lazyregexp.New(`^\s*[\pL][^,:;"|\n\t]{0,60}: `)
