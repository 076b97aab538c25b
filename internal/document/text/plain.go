// Package text reads the formats that are a stream of text: plain text, CSV,
// HTML and RTF, as files and as the body of a mail. It also finds the parts of a
// text that are quoted from older mails.
package text

import (
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

const (
	maxBytes = 32 << 20 // of a plain text or a CSV table that are read
	maxCell  = 64 << 10 // bytes of one cell of a CSV table
)

// ReadPlain reads plain text into one block per line. Empty lines stay: they
// separate paragraphs.
func ReadPlain(f *content.File) error {
	if f.Room() == 0 {
		f.NoteFull()
		return nil
	}
	data, err := firstBytes(f)
	if err != nil {
		return err
	}
	lines := decode.Lines(decode.Text(data, ""))
	if len(lines) == 0 {
		return content.Errorf(content.Empty, "the file is empty")
	}
	return AddLines(f, lines, false)
}

func firstBytes(f *content.File) ([]byte, error) {
	if f.Size > maxBytes {
		f.AddNote(content.Limit, "more than 32 MiB: the rest was skipped")
	}
	return f.FirstBytes(maxBytes)
}

// AddLines adds lines of plain text as blocks. They may be the body of a mail,
// without its header.
func AddLines(f *content.File, lines []string, isMail bool) error {
	lines = upToLimit(f, lines)
	return addMarkedLines(f, lines, quotedLines(lines, isMail))
}

// upToLimit returns the lines up to the limit on text, so that no time is spent on
// the others.
func upToLimit(f *content.File, lines []string) []string {
	room := min(content.MaxText, 2*f.Room()+1000) // lines of tables count less
	for i, line := range lines {
		if room -= len(line) + 1; room < 0 {
			f.NoteFull()
			return lines[:max(i, 1)]
		}
	}
	return lines
}

// addMarkedLines adds lines as blocks, given which of them are quoted. Lines that
// look like a table become a table.
func addMarkedLines(f *content.File, lines []string, quoted []bool) error {
	clean := make([]string, len(lines))
	for i, line := range lines {
		if clean[i] = line; quoted[i] {
			clean[i] = unquote(line)
		}
	}
	f.Expect(len(lines))
	t := tables{lines: clean, left: f.Budget("lines searched for tables in vain", maxVain)}
	for i := 0; i < len(lines); {
		if i%1000 == 0 && f.Err() != nil {
			return f.Err()
		}
		place := content.Place{Line: i + 1}
		t.cells = min(content.MaxCells, f.Cells())
		if table, n := t.tableAt(i); table != nil {
			if !f.Add(content.Block{Table: table, Quoted: quoted[i], Place: place}) {
				return nil
			}
			i += n
			continue
		}
		if !f.Add(content.Block{Text: clean[i], Quoted: quoted[i], Place: place}) {
			return nil
		}
		i++
	}
	return nil
}
