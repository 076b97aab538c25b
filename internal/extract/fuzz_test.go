package extract

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
)

// FuzzInterpret reads blocks made of any text: lines, labels, tables, quoted or
// not. Whatever they hold, reading ends, quickly, with values in their bounds.
func FuzzInterpret(f *testing.F) {
	f.Add("Named Insured: A Ltd\nLoc 1: 5 Dock Road, Portland, ME 04101\nBuildings £4m; Stock 2m\nRegards\nA B", "Loc|Address|Building|1|5 Dock Road|1,000,000", uint8(3))
	f.Add("RE: A Ltd\nFrom: a@b.example\nSubject: x\nLoc 2 building value is $5, not $6", "Yes|No|x|Airports|x|", uint8(2))
	f.Add("Effective 4/15/26-27\n( ) Yes (X) No\nA   B   C   D", "Address|5 Dock Road|9 Mill Road|City|Leeds|York", uint8(3))
	f.Fuzz(func(t *testing.T, lines, cells string, width uint8) {
		if len(lines)+len(cells) > 20_000 {
			return
		}
		start := time.Now()
		table := &content.Table{Title: strings.SplitN(lines, "\n", 2)[0]}
		row := []content.Cell{}
		for text := range strings.SplitSeq(cells, "|") {
			if row = append(row, content.Cell{Text: text, Merged: text == "<"}); len(row) >= int(width%12)+1 {
				table.Rows, row = append(table.Rows, row), nil
			}
		}
		label, value, _ := strings.Cut(lines, ":")
		at := content.Place{Part: "any"}
		parts := []content.Part{{Name: "any", Mail: &content.Mail{From: label, To: value, Subject: lines, Date: cells}, Blocks: []content.Block{
			{Text: lines, Place: at}, {Table: table, Place: at}, {Label: label, Value: value, Place: at}, {Text: cells, Quoted: true, Place: at},
		}}, {Name: lines, Note: "cut", Cause: content.Limit, Blocks: []content.Block{{Table: table, Place: at}, {Text: lines}}}}
		e, err := interpret(context.Background(), parts)
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range append(e.Locations, e.Facts, e.Options) {
			for _, v := range values {
				if v.Text == "" || v.Score < 0.05 || v.Score > 0.99 {
					t.Errorf("%+v", v)
				}
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%v for %d bytes", took, len(lines)+len(cells))
		}
	})
}

// TestLinesOfMarks reads texts and tables in which marks, words and labels are combined in titles, labels, values and
// cells.
func TestLinesOfMarks(t *testing.T) {
	t.Parallel()
	marks := []string{
		".", "...", ",", ";", ":", "|", "-", "–", "—", "_", "*", "•", "&", "'", "’", "\"", "(", ")", "()", "[", "]", "[]", "#", "/", "\\", "%", "@", "$", "€",
		"$ ,", "1", "1.", "(1)", "a)", "a@", "@b.example", "+1", "and", "of", "Ltd", "Ltd.", "N.A.", "c/o", "Dr", "x", "\u00a0", "\u200b", "\u0301", "\xff", "ﬁ", "İ", "🏢",
		"Named Insured", "Broker", "Address", "Revenue", "Premium", "From", "RE:", "To", "Dear", "Regards", "Effective", "12/", "2026", "Location 1", "Building", "Total", "Yes", "TOTAL |", "Class:",
	}
	for i, first := range marks {
		for j := i % 3; j < len(marks); j += 3 {
			second := marks[j]
			text := strings.Join([]string{first, second, first + second, first + " " + second, first + ": " + second, second + "\t" + first, first + "  " + second + "  " + first, "", second}, "\n")
			table := &content.Table{Title: first}
			for _, row := range [][]string{{first, second}, {second, first, first + second}, {first, "", second}, {"", second}} {
				var cells []content.Cell
				for _, c := range row {
					cells = append(cells, content.Cell{Text: c})
				}
				table.Rows = append(table.Rows, cells)
			}
			parts := []content.Part{{Name: first, Mail: &content.Mail{From: first, To: second, Subject: second, Date: first}, Blocks: []content.Block{
				{Text: text}, {Table: table}, {Label: first, Value: second}, {Text: second, Quoted: true}, {Text: "Regards\n" + first + "\n" + second},
			}}}
			if _, err := interpret(t.Context(), parts); err != nil {
				t.Fatalf("%q and %q: %v", first, second, err)
			}
		}
	}
}

var mutilations = flag.Int("mutilations", 0, "how often TestMutilatedDocuments changes each document; 0 = every seventh document, once")

// TestMutilatedDocuments extracts the documents of testdata/makers after parts of their texts were removed, repeated or
// replaced by marks.
func TestMutilatedDocuments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/makers/*")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	step, rounds := 1, *mutilations
	if rounds == 0 {
		step, rounds = 7, 1
	}
	for i := 0; i < len(files); i += step {
		file, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		parts, err := document.Read(t.Context(), filepath.Base(files[i]), bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for round := range rounds {
			random := rand.New(rand.NewPCG(uint64(i), uint64(round)))
			changed := mutilated(random, parts)
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s, round %d: %v", files[i], round, r)
						if *mutilations > 0 {
							panic(r)
						}
					}
				}()
				if _, err := interpret(t.Context(), changed); err != nil {
					t.Errorf("%s, round %d: %v", files[i], round, err)
				}
			}()
		}
	}
}

// mutilated returns the parts with changed texts.
func mutilated(random *rand.Rand, parts []content.Part) []content.Part {
	marks := []string{".", "...", "", " ", ":", "|", "\t", "-", "•", "(", ")", "1", "$", "&", ",", "\n", "\u00a0", "Ltd", "@", "'", "12/", "%", "é", "\xff", "\t\n\u00a0\t", "\n\u00a0\t", "\t\t", ":\t", "\n\n", "\r\n", " | ", "\u200b", "\u2028", "[x] ", "☐", "____", "?", "2027", "EUR "}
	rate := 0.02 + random.Float64()*0.2
	change := func(text string) string {
		if text == "" || random.Float64() > rate*3 {
			return text
		}
		words := strings.SplitAfter(text, " ")
		for n := range words {
			switch r := random.Float64(); {
			case r < rate/4:
				words[n] = marks[random.IntN(len(marks))]
			case r < rate/2:
				words[n] = words[n][:random.IntN(len(words[n])+1)]
			case r < rate*3/4:
				words[n] = words[n] + words[random.IntN(len(words))]
			case r < rate:
				words[n] = strings.TrimSpace(words[n]) + marks[random.IntN(len(marks))]
			}
		}
		return strings.Join(words, "")
	}
	changed := make([]content.Part, len(parts))
	for i, p := range parts {
		changed[i] = p
		if p.Mail != nil {
			mail := *p.Mail
			mail.From, mail.To, mail.Subject, mail.Date = change(mail.From), change(mail.To), change(mail.Subject), change(mail.Date)
			changed[i].Mail = &mail
		}
		changed[i].Blocks = nil
		for _, b := range p.Blocks {
			b.Text, b.Label, b.Value = change(b.Text), change(b.Label), change(b.Value)
			if b.Table != nil {
				table := *b.Table
				table.Title, table.Rows = change(table.Title), nil
				for _, row := range b.Table.Rows {
					if random.Float64() < rate/4 {
						continue
					}
					row = append([]content.Cell(nil), row...)
					for n := range row {
						row[n].Text = change(row[n].Text)
					}
					if random.Float64() < rate/4 {
						row = row[:random.IntN(len(row)+1)]
					}
					table.Rows = append(table.Rows, row)
				}
				b.Table = &table
			}
			if random.Float64() > rate/8 {
				changed[i].Blocks = append(changed[i].Blocks, b)
			}
		}
	}
	return changed
}
