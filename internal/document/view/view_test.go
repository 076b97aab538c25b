package view_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/view"
	"understudy.example/internal/extract"
	"understudy.example/internal/field"
)

const mail = "From: Ann <ann@broker.example>\r\nTo: desk@insurer.example\r\nSubject: Submission: Foxglove Bakery LLC\r\n" +
	"Date: Wed, 01 Apr 2026 10:00:00 +0000\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n" +
	"Hello,\r\n\r\nNamed Insured: Foxglove Bakery LLC\r\nEffective Date: 04/01/2026\r\n\r\nAnn\r\n--b\r\n" +
	"Content-Type: text/csv; name=sov.csv\r\nContent-Disposition: attachment; filename=sov.csv\r\n\r\n" +
	"Location #,Address,City,State,Zip,Building Value,Contents Value\r\n1,12 Mill Street,Springfield,IL,62701,\"1,200,000\",\"300,000\"\r\n" +
	"2,4 Oak Avenue,Springfield,IL,62702,\"800,000\",\"100,000\"\r\n--b--\r\n"

// documents are documents of several formats, by file name.
func documents(t *testing.T) map[string]string {
	all := map[string]string{
		"mail.eml":   mail,
		"letter.txt": "Dear Sirs,\n\nNamed Insured: Foxglove Bakery LLC\nMailing Address: 12 Mill Street, Springfield, IL 62701\n",
		"page.html":  "<h1>Submission</h1><table><tr><td>Insured</td><td>Foxglove Bakery LLC</td></tr><tr><td>Effective date</td><td>2026-04-01</td></tr></table>",
		"all.zip":    documenttest.Zip(t, "a/mail.eml", mail, "b/sov.csv", "Location #,Address,City,State,Zip,TIV\n1,12 Mill Street,Springfield,IL,62701,5000000\n2,4 Oak Avenue,Springfield,IL,62702,6000000\n"),
	}
	for _, pattern := range []string{"../../../examples/*.*", "../../extract/testdata/calibration/*.*"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(file)] = string(text)
		}
	}
	return all
}

// TestEveryEvidenceResolves checks that the evidence of every extracted value is the
// place of a block or a cell of the window that is read for it.
func TestEveryEvidenceResolves(t *testing.T) {
	t.Parallel()
	resolved := 0
	for name, text := range documents(t) {
		extraction, err := extract.Extract(t.Context(), name, strings.NewReader(text), int64(len(text)))
		if errors.As(err, new(*extract.Unreadable)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		values := append([]field.Value{}, extraction.Facts...)
		values = append(values, extraction.Options...)
		for _, location := range extraction.Locations {
			values = append(values, location...)
		}
		seen := map[string]bool{}
		for _, value := range values {
			if seen[value.Evidence] {
				continue
			}
			seen[value.Evidence] = true
			window, err := view.Read(t.Context(), name, strings.NewReader(text), int64(len(text)), view.Query{Place: value.Evidence, Text: value.Text, Bytes: 2_000})
			if err != nil {
				t.Errorf("%s: %s %q from %q: %v", name, value.Field, value.Text, value.Evidence, err)
				continue
			}
			if !hasPlace(window, value.Evidence) {
				t.Errorf("%s: the window of part %d, page %d has no %q", name, window.Part, window.Page, value.Evidence)
			}
			resolved++
		}
	}
	if resolved < 50 {
		t.Errorf("only %d places were checked", resolved)
	}
}

func hasPlace(w *view.Window, place string) bool {
	if w.Parts[w.Part].Name == place { // read from the part as a whole
		return true
	}
	for _, b := range w.Blocks {
		if b.Place == place {
			return true
		}
		for _, row := range b.Rows {
			for _, c := range row {
				if c.Place == place {
					return true
				}
			}
		}
	}
	return false
}

// TestWindows checks that consecutive windows have the whole document, each once and in
// order, and that none is larger than asked for.
func TestWindows(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t) {
		read := func(q view.Query) *view.Window {
			w, err := view.Read(t.Context(), name, strings.NewReader(text), int64(len(text)), q)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return w
		}
		if _, err := view.Read(t.Context(), name, strings.NewReader(text), int64(len(text)), view.Query{}); errors.As(err, new(*content.Unreadable)) {
			continue
		}
		for part := range read(view.Query{}).Parts {
			whole := shown(read(view.Query{Part: part}))
			var pieces []string
			from, windows := view.Cursor{}, 0
			for {
				w := read(view.Query{Part: part, From: from, Bytes: 700})
				piece := shown(w)
				windows++
				pieces = append(pieces, piece...)
				next, ok := view.ParseCursor(w.Next)
				if !ok {
					break
				}
				if next.Block < from.Block || next == from {
					t.Fatalf("%s: window from %s continues at %s", name, from, next)
				}
				from = next
			}
			if a, b := strings.Join(whole, "\n"), strings.Join(pieces, "\n"); a != b {
				t.Errorf("%s, part %d: %d windows have %d bytes, the whole has %d", name, part, windows, len(b), len(a))
			}
		}
	}
}

// shown returns the texts of the window in order.
func shown(w *view.Window) (texts []string) {
	for _, b := range w.Blocks {
		if b.Rows == nil {
			texts = append(texts, b.Place+"|"+b.Text+"|"+b.Label+"|"+b.Value)
		}
		for _, row := range b.Rows {
			for _, c := range row {
				texts = append(texts, c.Place+"|"+c.Text)
			}
		}
	}
	return texts
}

// TestPages checks that the text of a PDF page has positions on the page.
func TestPages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../examples/application.pdf")
	if err != nil {
		t.Fatal(err)
	}
	w, err := view.Read(t.Context(), "application.pdf", bytes.NewReader(text), int64(len(text)), view.Query{Page: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Pages) != 1 || w.Pages[0].Number != 1 || w.Pages[0].Width < 500 || w.Pages[0].Height < 700 {
		t.Fatalf("got pages %v, want the first", w.Pages)
	}
	spans := 0
	for _, b := range w.Blocks {
		for _, s := range b.AllSpans() {
			spans++
			if s.Page != 1 || s.X < 0 || s.Y < 0 || s.X+s.Width > w.Pages[0].Width || s.Y+s.Height > w.Pages[0].Height || s.Height < 4 {
				t.Errorf("%q is at %v, outside of the page", s.Text, s)
			}
		}
	}
	if spans < 20 {
		t.Errorf("got %d spans, want the text of the page", spans)
	}
}

// TestAbsent checks the errors of parts and places that a document does not have.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for q, want := range map[view.Query]error{{Part: 1}: view.ErrNoPart, {Place: "b.txt, line 1"}: view.ErrNoPlace} {
		if _, err := view.Read(t.Context(), "a.txt", strings.NewReader("text"), 4, q); !errors.Is(err, want) {
			t.Errorf("%+v: got %v, want %v", q, err, want)
		}
	}
}
