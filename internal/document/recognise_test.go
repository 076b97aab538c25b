package document_test

import (
	"errors"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/documenttest/hostile"
)

func TestRecognise(t *testing.T) {
	tests := []struct {
		name, data string
		format     content.Format
		reason     string
	}{
		{"a.txt", "", "", "the file is empty"},
		{"a.txt", " \r\n\t\n", "", "the file is empty"},
		{"a.txt", "hello\nworld", content.Text, ""},
		{"a.txt", "a,b,c\n1,2,3\n4,5,6\n", content.CSV, ""},
		{"a.csv", "just,two\n", content.CSV, ""},
		{"a.txt", "Subject: risk\n\nDear Sirs", content.Text, ""},
		{"a.eml", "Subject: risk\n\nDear Sirs", content.EML, ""},
		{"a.txt", "From: a@b.c\nTo: d@e.f\nSubject: risk\n\nhello", content.EML, ""},
		{"a.xls", "<html><body><table><tr><td>a</td><td>b</td></tr></table></body></html>", content.HTML, ""},
		{"a.exe", "MZ" + strings.Repeat("\x00", 300), "", "unknown file type"},
		{"a.wav", "RIFF$\x00\x00\x00WAVEfmt ", "", "unknown file type"},
		{"a.ps", "%!PS-Adobe-3.0\n", "", "PostScript document: not supported"},
		{"a.bin", "\x00\x01\x02\x03\x04\x05\x06\x07\xff\xfe\x10\x11", "", "unknown file type"},
		{"a.pdf", "%PDF-1.4\nnothing of use", "", "damaged PDF document"},
		{"a.docx", "PK\x03\x04 cut short", "", "damaged Word document"},
		{"a.png", "\x89PNG\r\n\x1a\n0000", "", "image: not supported"},
		{"a.rtf", "{\\rtf1 hello}", content.RTF, ""},
		{"a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("x", 600), "", "damaged Office 97-2003 file"},
		{"a.xlsb", documenttest.Zip(t, "xl/workbook.bin", "x"), "", "Excel binary workbook (.xlsb): not supported"},
		{"a.zip", documenttest.Zip(t, "notes/.hidden", "x"), "", "no document in the zip archive"},
		{"a.docx", documenttest.Zip(t, "word/styles.xml", "x"), "", "damaged Word document"},
	}
	for _, tt := range tests {
		parts, err := documenttest.Read(t, tt.name, tt.data)
		var bad *content.Unreadable
		switch {
		case tt.reason != "":
			if !errors.As(err, &bad) || bad.Reason != tt.reason {
				t.Errorf("%s %.20q: got error %v, want %q", tt.name, tt.data, err, tt.reason)
			}
		case err != nil:
			t.Errorf("%s %.20q: %v", tt.name, tt.data, err)
		case parts[0].Format != tt.format:
			t.Errorf("%s %.20q: got format %q, want %q", tt.name, tt.data, parts[0].Format, tt.format)
		}
	}
}

// FuzzRecognise reads any text: as a page, a table, a mail or plain text,
// whatever it is recognised as.
func FuzzRecognise(f *testing.F) {
	f.Add("a.txt", "Loc   City       Value\n1     London     100\n2     Leeds      200\n| a | b |\n|---|---|\n| 1 | 2 |\n")
	f.Add("a.csv", "sep=;\na;\"b\n;c\"\n\n1;2\n")
	f.Add("a.html", "<table><tr><td rowspan=3>a<td colspan=9>b<tr><td>c</table><blockquote>d<br>e")
	f.Add("a.txt", "\xff\xfea\x00b\x00\r\x00\n\x00")
	for _, d := range hostile.Seeds() {
		f.Add(d.Filename, string(d.Content()))
	}
	f.Fuzz(func(t *testing.T, name, data string) { documenttest.Check(t, name, data) })
}
