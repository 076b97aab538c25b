package document

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// document reads a document from memory; it fails the test when that takes
// longer than any document may.
func document(t *testing.T, name, content string) ([]Part, error) {
	t.Helper()
	start := time.Now()
	parts, err := Read(context.Background(), name, strings.NewReader(content), int64(len(content)))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("%s took %v", name, took)
	}
	return parts, err
}

func mustRead(t *testing.T, name, content string) []Part {
	t.Helper()
	parts, err := document(t, name, content)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return parts
}

// reasonOf gives what is told of a document that is not read, or not whole.
func reasonOf(parts []Part, err error) (string, Cause) {
	var bad *Unreadable
	switch {
	case errors.As(err, &bad):
		return bad.Reason, bad.Cause
	case err != nil:
		return err.Error(), ""
	}
	return parts[0].Note, parts[0].Cause
}

// zipped makes a zip container of name and content pairs.
func zipped(t testing.TB, pairs ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil {
			_, err = w.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// show writes the blocks of a part one a line, for comparing.
func show(part Part) string {
	var b strings.Builder
	for _, block := range part.Blocks {
		if block.Quoted {
			b.WriteString("> ")
		}
		if block.Head {
			b.WriteString("^ ")
		}
		switch {
		case block.Table != nil:
			b.WriteString("[" + block.Table.Title + "]")
			for _, row := range block.Table.Rows {
				b.WriteString("\n  ")
				for _, c := range row {
					text := strings.ReplaceAll(c.Text, "\n", "/")
					if c.Merged {
						text = "<"
					}
					b.WriteString(text + "|")
				}
			}
		case block.Label != "":
			b.WriteString(block.Label + " = " + block.Value)
		default:
			b.WriteString(block.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestSniff(t *testing.T) {
	tests := []struct {
		name, content string
		format        Format
		reason        string
	}{
		{"a.txt", "", "", "the file is empty"},
		{"a.txt", " \r\n\t\n", "", "the file is empty"},
		{"a.txt", "hello\nworld", Text, ""},
		{"a.txt", "a,b,c\n1,2,3\n4,5,6\n", CSV, ""},
		{"a.csv", "just,two\n", CSV, ""},
		{"a.txt", "Subject: risk\n\nDear Sirs", Text, ""},
		{"a.eml", "Subject: risk\n\nDear Sirs", EML, ""},
		{"a.txt", "From: a@b.c\nTo: d@e.f\nSubject: risk\n\nhello", EML, ""},
		{"a.xls", "<html><body><table><tr><td>a</td><td>b</td></tr></table></body></html>", HTML, ""},
		{"a.bin", "\x00\x01\x02\x03\x04\x05\x06\x07\xff\xfe\x10\x11", "", "unknown file type"},
		{"a.pdf", "%PDF-1.4\nnothing of use", "", "damaged PDF document"},
		{"a.docx", "PK\x03\x04 cut short", "", "damaged Word document"},
		{"a.png", "\x89PNG\r\n\x1a\n0000", "", "image: not supported"},
		{"a.rtf", "{\\rtf1 hello}", RTF, ""},
		{"a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("x", 600), "", "damaged Office 97-2003 file"},
		{"a.xlsb", zipped(t, "xl/workbook.bin", "x"), "", "Excel binary workbook (.xlsb): not supported"},
		{"a.zip", zipped(t, "notes/.hidden", "x"), "", "no document in the zip archive"},
		{"a.docx", zipped(t, "word/styles.xml", "x"), "", "damaged Word document"},
	}
	for _, tt := range tests {
		parts, err := document(t, tt.name, tt.content)
		var bad *Unreadable
		switch {
		case tt.reason != "":
			if !errors.As(err, &bad) || bad.Reason != tt.reason {
				t.Errorf("%s %.20q: error %v, want %q", tt.name, tt.content, err, tt.reason)
			}
		case err != nil:
			t.Errorf("%s %.20q: %v", tt.name, tt.content, err)
		case parts[0].Format != tt.format:
			t.Errorf("%s %.20q: format %q, want %q", tt.name, tt.content, parts[0].Format, tt.format)
		}
	}
}

func TestText(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"lines", "Insured:\tAcme\r\n\r\nBroker: B", "Insured:\tAcme\n\nBroker: B\n"},
		{"windows charset", "Caf\xe9 \xa3100", "Café £100\n"},
		{"utf-16", "\xff\xfeH\x00i\x00", "Hi\n"},
		{"markdown table", "Intro\n| A | B |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\nafter", "Intro\n[]\n  A|B|\n  1|2|\n  3|4|\nafter\n"},
		{"aligned table", "Loc   City       Value\n1     London     100\n2     Leeds      200\n", "[]\n  Loc|City|Value|\n  1|London|100|\n  2|Leeds|200|\n"},
		{"prose is no table", "This is   spaced   oddly\nand here   it goes on   and on\nwith more   text of that   kind", "This is   spaced   oddly\nand here   it goes on   and on\nwith more   text of that   kind\n"},
		{"quoted", "new\n> old\n\nOn Mon, 1 Jan 2026, A B\n<a@b.c> wrote:\nolder", "new\n> old\n\n> On Mon, 1 Jan 2026, A B\n> <a@b.c> wrote:\n> older\n"},
		{"first head is its own", "Note\nFrom: A\nSent: today\nSubject: x\ntext\nFrom: B\nSent: before\nSubject: y\nold", "Note\nFrom: A\nSent: today\nSubject: x\ntext\n> From: B\n> Sent: before\n> Subject: y\n> old\n"},
	}
	for _, tt := range tests {
		if got := show(mustRead(t, "a.txt", tt.content)[0]); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestCSV(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"semicolon", "a;b\n1,5;\"x;y\"\n", "[]\n  a|b|\n  1,5|x;y|\n"},
		{"tab", "a\tb,c\n1\t2\n", "[]\n  a|b,c|\n  1|2|\n"},
		{"unequal and blank", "Title\n\na,b,c\n1,,\n1,2,3\n", "[]\n  Title|\n  \n  a|b|c|\n  1|\n  1|2|3|\n"},
		{"stray quote", "a,b\n5\" pipe,2\n", "[]\n  a|b|\n  5\" pipe|2|\n"},
		{"sep line", "sep=|\na|b\n1|2\n", "[]\n  a|b|\n  1|2|\n"},
		{"mark", "\xef\xbb\xbfa,b\n1,2\n", "[]\n  a|b|\n  1|2|\n"},
	}
	for _, tt := range tests {
		if got := show(mustRead(t, "a.csv", tt.content)[0]); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

func TestHTML(t *testing.T) {
	page := `<html><head><title>no</title><style>p{}</style></head><body><p>One <b>two</b></p><div style="display:none">hidden</div>
		<table><tr><th>A</th><th colspan=2>B</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5<br>6</td></tr></table>
		<table><tr><td>layout</td><td>cell</td></tr></table>
		<blockquote>older</blockquote></body></html>`
	want := "One two\n\n[]\n  A|B|<|\n  1|2|3|\n  <|4|5/6|\nlayout\tcell\n> older\n> \n"
	if got := show(mustRead(t, "a.html", page)[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	text := strings.Repeat("line\n", 5000)
	if _, err := Read(ctx, "a.txt", strings.NewReader(text), int64(len(text))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
