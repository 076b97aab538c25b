package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"slices"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
	"understudy.example/internal/document/pdf"
)

func TestPDF(t *testing.T) {
	ruled := "60 600 m 260 600 l 60 580 m 260 580 l 60 550 m 260 550 l 60 600 m 60 550 l 160 600 m 160 550 l 260 600 m 260 550 l S\n" +
		at(65, 585, "Name") + at(165, 585, "Value") + at(65, 570, "A long") + at(65, 558, "name") + at(165, 570, "$14,149,0") + at(165, 558, "00")
	var open strings.Builder
	for i := range 4 {
		open.WriteString(at(50, 700-12*i, fmt.Sprint("Loc ", i)) + at(200, 700-12*i, "London") + at(300, 700-12*i, fmt.Sprint(i, "00")))
	}
	small := func(x, y int, text string) string { return strings.Replace(at(x, y, text), "10 Tf", "6 Tf", 1) }
	boxes := "60 600 m 260 600 l 60 570 m 160 570 l 60 530 m 260 530 l 60 600 m 60 530 l 160 600 m 160 530 l 260 600 m 260 530 l S\n" +
		small(62, 593, "POLICY NUMBER") + at(62, 580, "CP 20") + small(62, 563, "WEB SITE") + at(62, 550, "acme.test") +
		small(162, 593, "NAME AND ADDRESS") + at(162, 580, "Acme Ltd") + at(162, 568, "1 Main St")
	var wrapped strings.Builder
	for i, cells := range [][]string{{"1", "The Granary,", "Brick", "100"}, {"", "Wells"}, {"2", "Unit 12,", "Steel", "200"}, {"", "Fakenham"}, {"3", "Stable,", "Wood", "300"}, {"", "Dereham"}} {
		for j, c := range cells {
			wrapped.WriteString(at(50+100*j, 700-12*i, c))
		}
	}
	tests := []struct{ name, content, want string }{
		{"lines", at(50, 700, "first") + at(50, 688, "second") + at(50, 600, "third \\(\\243\\)"), "first\nsecond\n\nthird (£)\n"},
		{"gap", at(50, 700, "Insured:") + at(200, 700, "Acme"), "Insured:\tAcme\n"},
		{"kerned", "BT /F1 10 Tf 50 700 Td [(W) 80 (ord) -300 (next) -3000 (far)] TJ ET", "Word next\tfar\n"},
		{"glyph by glyph", "BT /F1 10 Tf 50 700 Td (H) Tj 7.2 0 Td (i) Tj ET", "Hi\n"},
		{"pair drawn close", "BT /F1 10 Tf 50 700 Td (T) Tj 4 0 Td (ulsa) Tj ET", "Tulsa\n"},
		{"texts over each other", at(50, 700, "Tulsa") + at(70, 700, "Okla"), "Tulsa\tOkla\n"},
		{"printed twice", at(50, 700, "Bold") + at(50, 700, "Bold"), "Bold\n"},
		{"turned", "BT /F1 10 Tf 0 1 -1 0 100 100 Tm (upwards) Tj ET", "upwards\n"},
		{"ruled table", ruled, "[]\n  Name|Value|\n  A long/name|$14,149,000|\n"},
		{"table without rules", open.String(), "[]\n  Loc 0|London|000|\n  Loc 1|London|100|\n  Loc 2|London|200|\n  Loc 3|London|300|\n"},
		{"boxes of a form", boxes, "POLICY NUMBER = CP 20\nNAME AND ADDRESS = Acme Ltd\n1 Main St\nWEB SITE = acme.test\n"},
		{"cells that go on", wrapped.String(), "[]\n  1|The Granary, Wells|Brick|100|\n  2|Unit 12, Fakenham|Steel|200|\n  3|Stable, Dereham|Wood|300|\n"},
		{"inline image", "BI /W 1 /H 1 ID \xff(\x00 EI " + at(50, 700, "after"), "after\n"},
	}
	for _, tt := range tests {
		part := documenttest.MustRead(t, "a.pdf", pdfPageOf("", tt.content))[0]
		if got := documenttest.Show(part); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if part.Blocks[0].Place.Page != 1 {
			t.Errorf("%s: page %d", tt.name, part.Blocks[0].Place.Page)
		}
	}
	if got := documenttest.MustRead(t, "a.pdf", pdfPageOf("", "0 0 10 10 re f"))[0]; got.Note != "no text (a scan?)" {
		t.Errorf("page without text: note %q", got.Note)
	}
	turned := pdfPageOf("/Rotate 90", "BT /F1 10 Tf 0 1 -1 0 100 100 Tm (level) Tj ET\nBT /F1 10 Tf 0 1 -1 0 112 100 Tm (below) Tj ET")
	if got := documenttest.Show(documenttest.MustRead(t, "a.pdf", turned)[0]); got != "level\nbelow\n" {
		t.Errorf("turned page: got %q", got)
	}
}

func TestHostilePDF(t *testing.T) {
	form := "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>/Font<</F1 5 0 R>>>>"
	loop := pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 2000000000>>")
	fields := pdfPageOf("", at(50, 700, "x"), "<</T(a)/Kids[7 0 R]>>", "<</T(b)/Kids[6 0 R]>>")
	whole := pdfPageOf("", at(50, 700, "text"))
	tests := []struct{ name, content string }{
		{"form draws itself", pdfPageOf("", "/X Do", pdfStream(form, "/X Do /X Do "+at(1, 1, "in")))},
		{"page tree loop", loop},
		{"field loop", fields},
		{"nested arrays", pdfPageOf("", strings.Repeat("[", 1_000_000))},
		{"endless saves", pdfPageOf("", strings.Repeat("q ", 1_000_000)+at(50, 700, "x"))},
		{"wild numbers", pdfPageOf("", "1e99 -- .. 9999999999999999999 0 0 0 cm BT /F1 1e300 Tf (x) Tj ET "+at(50, 700, "x"))},
		{"many rules", pdfPageOf("", strings.Repeat("0 0 m 600 0 l 0 0 m 0 800 l S ", 50_000))},
	}
	for _, tt := range tests {
		parts, err := documenttest.Read(t, "a.pdf", tt.content)
		if err == nil && len(parts) > content.MaxParts {
			t.Errorf("%s: %d parts", tt.name, len(parts))
		}
	}
	for cut := 0; cut < len(whole); cut += 13 {
		_, _ = documenttest.Read(t, "a.pdf", whole[:cut])
	}
}

// TestStreamsAreDecodedUpToALimit checks that a document cannot make the server decode
// the same stream, or the same font, without end.
func TestStreamsAreDecodedUpToALimit(t *testing.T) {
	form := "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Filter/FlateDecode"
	drawn := pdfPageOf("", at(50, 700, "first")+strings.Repeat("/X Do ", 1000)+at(50, 600, "last"), pdfStream(form, deflated(t, strings.Repeat(" ", 10<<20))))
	var fonts, used strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&fonts, "/G%d<</Type/Font/Subtype/Type0/ToUnicode 6 0 R>>", i)
		fmt.Fprintf(&used, "/G%d 10 Tf ", i)
	}
	coded := pdfPageOf("/Resources<</Font<</F1 5 0 R"+fonts.String()+">>>>", used.String()+at(50, 700, "first"), pdfStream("", "1 beginbfrange <0000> <ffff> <0041> endbfrange"))
	for note, document := range map[string]string{
		"streams of more than 200 MiB in all: the rest was skipped": drawn,
		"too many characters in fonts: the rest was skipped":        coded,
	} {
		parts, err := documenttest.Read(t, "a.pdf", document)
		if err != nil {
			t.Fatal(err)
		}
		if parts[0].Note != note || len(parts[0].Blocks) == 0 || !strings.Contains(parts[0].Blocks[0].Text, "first") {
			t.Errorf("got note %q and %d blocks, want %q", parts[0].Note, len(parts[0].Blocks), note)
		}
	}
}

// TestFontsBeyondTheLimitAreReadOnce checks that a font is read once even after the tables of the fonts
// have reached their limit, however often it is set.
func TestFontsBeyondTheLimitAreReadOnce(t *testing.T) {
	allocations := func(times int) float64 {
		var fonts, used strings.Builder
		for i := range 40 {
			fmt.Fprintf(&fonts, "/G%d<</Type/Font/Subtype/Type0/ToUnicode 6 0 R>>", i)
			fmt.Fprintf(&used, "/G%d 10 Tf ", i)
		}
		document := pdfPageOf("/Resources<</Font<</F1 5 0 R"+fonts.String()+">>>>", used.String()+strings.Repeat("/F1 10 Tf /G39 10 Tf ", times)+at(50, 700, "first"),
			pdfStream("", "1 beginbfrange <0000> <ffff> <0041> endbfrange"))
		return testing.AllocsPerRun(1, func() {
			if parts, err := documenttest.Read(t, "a.pdf", document); err != nil || parts[0].Note != "too many characters in fonts: the rest was skipped" {
				t.Errorf("got %+v, %v", parts, err)
			}
		})
	}
	if few, many := allocations(10), allocations(1010); many > few+1000 {
		t.Errorf("%v allocations if two fonts are set 10 times, %v if they are set 1,010 times", few, many)
	}
}

func deflated(t *testing.T, content string) string {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// TestDamagedPDF reads documents that are damaged, as far as they can be read.
func TestDamagedPDF(t *testing.T) {
	whole := pdfPageOf("", at(50, 700, "text"))
	packed := deflated(t, at(50, 700, "text")+strings.Repeat("0 0 m 9 9 l S 1 2 m 3 4 l S\n", 1000))
	inherited := strings.Replace(strings.Replace(whole, "/Resources<<", "/Other<<", 1), "/Kids[3 0 R]", "/Kids[]/Resources<</Font<</F1 5 0 R>>>>", 1)
	tests := []struct {
		name, document, text, note string
	}{
		{"table lost", strings.Replace(whole, "startxref\n", "startxref\n99", 1), "text\n", ""},
		{"end cut", whole[:strings.LastIndex(whole, "xref\n0")], "text\n", "the end of the file is missing"},
		{"pages lost", strings.Replace(whole, "/Kids[3 0 R]", "/Kids[9 0 R]", 1), "text\n", "1 damaged pages were skipped"},
		{"pages lost that inherit", inherited, "text\n", ""},
		{"no page", strings.Replace(strings.Replace(whole, "/Kids[3 0 R]", "/Kids[]", 1), "/Type/Page/", "/Type/Other/", 1), "", "no page was found"},
		{"stream cut", pdfPageOf("", "/X Do", pdfStream("/Subtype/Form/Filter/FlateDecode", packed[:len(packed)-20])), "text\n", "a damaged stream was read only in part"},
		{"stream damaged", pdfPageOf("", at(50, 700, "text")+"/X Do", pdfStream("/Subtype/Form/Filter/FlateDecode", "\xff\xff\xff")), "text\n", "a damaged stream was skipped"},
		{"nested objects", pdfPageOf("/Annots 6 0 R", at(50, 700, "text"), strings.Repeat("[", 1000)), "text\n", "too many objects: the rest was skipped"},
	}
	for _, tt := range tests {
		parts, err := documenttest.Read(t, "a.pdf", tt.document)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := documenttest.Show(parts[0]); got != tt.text || parts[0].Note != tt.note {
			t.Errorf("%s: got %q with the note %q, want %q with %q", tt.name, got, parts[0].Note, tt.text, tt.note)
		}
	}
	for document, want := range map[string]content.Cause{
		whole[:strings.Index(whole, "(text")]:                                           content.Damaged,
		strings.Replace(whole, "/Root", "/Encrypt<</Filter/Standard/V 4/R 4>>/Root", 1): content.Password,
		strings.Replace(whole, "/Root", "/Encrypt<</Filter/Own/V 4/R 4>>/Root", 1):      content.Unsupported,
	} {
		if note, cause := documenttest.Outcome(t, "a.pdf", document); cause != want {
			t.Errorf("got %s: %s, want %s", cause, note, want)
		}
	}
}

// TestFileIsReadAtOnce checks that the file of a document is not read once for each of its
// objects.
func TestFileIsReadAtOnce(t *testing.T) {
	file := &countedReads{Reader: strings.NewReader(pdfPageOf("", at(50, 700, "text"), slices.Repeat([]string{"<</A 7 0 R>>"}, 1000)...))}
	if _, err := content.ReadParts(t.Context(), "a.pdf", file, file.Size(), false, func(*content.File) (content.Reader, error) {
		return content.Reader{Format: content.PDF, Read: pdf.Read}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if file.reads != 1 {
		t.Errorf("the file was read %d times", file.reads)
	}
}

type countedReads struct {
	*strings.Reader
	reads int
}

func (c *countedReads) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	return c.Reader.ReadAt(p, off)
}

// FuzzPDFText puts the bytes of the fuzzer where the content of a page is. The
// library reads the rest of the file.
func FuzzPDFText(f *testing.F) {
	f.Add(at(50, 700, "text") + "0 0 m 100 0 l S")
	f.Add("BT /F1 10 Tf [(a) -300 <4142>] TJ T* (b) ' ET q 1 0 0 1 0 0 cm Q /X Do BI ID x EI")
	f.Add("60 600 200 20 re 60 580 100 20 re 160 580 100 20 re S " + at(65, 585, "a") + at(165, 585, "1"))
	f.Fuzz(func(t *testing.T, content string) {
		documenttest.Check(t, "a.pdf", pdfPageOf("", content))
		_ = pdf.ReadCMap([]byte(content))
	})
}

// pdfOf makes a PDF of objects, numbered from 1. The first is the catalogue.
func pdfOf(objects ...string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.String()
}

// pdfStream returns a stream object.
func pdfStream(dict, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(content), content)
}

// pdfPageOf makes a PDF of one page with the font F1. Further objects are numbered
// from 6.
func pdfPageOf(page, content string, more ...string) string {
	return pdfOf(append([]string{
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>" + page + ">>",
		pdfStream("", content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
	}, more...)...)
}

// at returns operators that write text at a position on the page.
func at(x, y int, text string) string {
	return fmt.Sprintf("BT /F1 10 Tf 1 0 0 1 %d %d Tm (%s) Tj ET\n", x, y, text)
}

// TestPDFDrawnForms checks that drawing a form counts as much more than an operator, because its stream is decoded each
// time: a page that draws 50,000 empty forms is only partly read.
func TestPDFDrawnForms(t *testing.T) {
	for draws, want := range map[int]string{1_000: "", 50_000: "too much text: the rest was skipped"} {
		file := pdfPageOf("/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>", strings.Repeat("/X Do ", draws)+at(50, 700, "after"),
			"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 0>>\nstream\n\nendstream")
		if part := documenttest.MustRead(t, "a.pdf", file)[0]; part.Note != want {
			t.Errorf("%d forms: note %q, want %q", draws, part.Note, want)
		}
	}
}
