package document

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// check reads a document and fails on what no input may cause.
func check(t *testing.T, name, content string) {
	t.Helper()
	parts, err := Read(context.Background(), name, strings.NewReader(content), int64(len(content)))
	var bad *Unreadable
	if err != nil && (!errors.As(err, &bad) || bad.Reason == "") {
		t.Fatalf("error without a reason: %v", err)
	}
	if err == nil && len(parts) == 0 || len(parts) > maxParts+1 {
		t.Fatalf("%d parts", len(parts))
	}
	text := 0
	for _, p := range parts {
		if p.Depth > maxDepth {
			t.Fatalf("depth %d", p.Depth)
		}
		for _, b := range p.Blocks {
			text += len(b.Text) + len(b.Label) + len(b.Value)
		}
	}
	if text > maxText {
		t.Fatalf("%d bytes of text", text)
	}
}

func FuzzMail(f *testing.F) {
	f.Add("From: a@b.c\nSubject: s\n\ntext\n> quoted\n")
	f.Add(multipart("alternative", "text/plain\n\na", "text/html\n\n<p>b</p>"))
	f.Add(multipart("mixed", "text/csv; name=a.csv\nContent-Transfer-Encoding: base64\n\nYSxiCjEsMg==", "message/rfc822\n\nFrom: x@y.z\n\ninner"))
	f.Add("From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/mixed; boundary=x\n\n--x\n--x--")
	f.Fuzz(func(t *testing.T, content string) {
		check(t, "a.eml", content)
		e := (&mimeWalk{}).entity(splitHeadOf(content))
		if n := count(e); n > maxMIMEParts+1 {
			t.Fatalf("%d entities", n)
		}
	})
}

func splitHeadOf(content string) (header, []byte, int) {
	head, body := splitHead([]byte(content))
	return head, body, 0
}

func count(e *entity) int {
	n := 1
	for _, child := range e.children {
		n += count(child)
	}
	return n
}

// FuzzPDFText puts the fuzzer's bytes where a page's content is: the rest of
// the file is the library's.
func FuzzPDFText(f *testing.F) {
	f.Add(at(50, 700, "text") + "0 0 m 100 0 l S")
	f.Add("BT /F1 10 Tf [(a) -300 <4142>] TJ T* (b) ' ET q 1 0 0 1 0 0 cm Q /X Do BI ID x EI")
	f.Add("60 600 200 20 re 60 580 100 20 re 160 580 100 20 re S " + at(65, 585, "a") + at(165, 585, "1"))
	f.Fuzz(func(t *testing.T, content string) {
		check(t, "a.pdf", pdfPageOf("", content))
		_ = readCMap([]byte(content))
	})
}

func FuzzDOCX(f *testing.F) {
	f.Add(para("text") + `<w:tbl><w:tr>` + cell(`<w:gridSpan w:val="2"/>`, para("a")) + `</w:tr></w:tbl>`)
	f.Add(`<w:p><w:txbxContent></w:p></w:txbxContent><w:tbl></w:tc></w:tbl>`)
	f.Fuzz(func(t *testing.T, body string) { check(t, "a.docx", wordDocument(t, body)) })
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<worksheet><sheetData><row r="2"><c r="B2" t="str"><v>x</v></c></row></sheetData><mergeCells><mergeCell ref="A1:C3"/></mergeCells></worksheet>`)
	f.Fuzz(func(t *testing.T, sheet string) { check(t, "a.xlsx", sheetXML(t, sheet)) })
}
