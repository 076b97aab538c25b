package main

import (
	"bytes"
	"fmt"
	"strings"
)

// pdf is a PDF document with text in Helvetica and lines. Coordinates are in
// points from the lower left corner.
type pdf struct {
	title string
	pages []*page
}

type page struct {
	width, height int
	content       bytes.Buffer
}

// The names of the fonts Helvetica and Helvetica-Bold in the document.
const (
	regularFont = "F1"
	boldFont    = "F2"
)

// page adds an empty page.
func (p *pdf) page(width, height int) *page {
	added := &page{width: width, height: height}
	p.pages = append(p.pages, added)
	return added
}

var escapes = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)

// text draws a line of text that begins at x, with its baseline at y.
func (p *page) text(font string, size, x, y float64, text string) {
	fmt.Fprintf(&p.content, "BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, escapes.Replace(text))
}

// number draws a right-aligned number of digits and commas that ends at x.
func (p *page) number(size, x, y float64, text string) {
	commas := strings.Count(text, ",")
	width := float64(commas)*0.278 + float64(len(text)-commas)*0.556 // widths in Helvetica, as fractions of the font size
	p.text(regularFont, size, x-size*width, y, text)
}

func (p *page) line(x1, y1, x2, y2 float64) {
	fmt.Fprintf(&p.content, "0.6 w %g %g m %g %g l S\n", x1, y1, x2, y2)
}

// bytes returns the content of the PDF file.
func (p *pdf) bytes() []byte {
	// The number of the first page's object. The objects before it are the
	// catalog, the page tree, two fonts and the document information.
	const firstPage = 6
	kids := make([]string, len(p.pages))
	for i := range p.pages {
		kids[i] = fmt.Sprintf("%d 0 R", firstPage+2*i)
	}
	stamp := documentTime.Format("D:20060102150405Z")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " ")),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Title (%s) /CreationDate (%s) /ModDate (%s) >>", escapes.Replace(p.title), stamp, stamp),
	}
	for i, page := range p.pages {
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources << /Font << /%s 3 0 R /%s 4 0 R >> >> /Contents %d 0 R >>",
				page.width, page.height, regularFont, boldFont, firstPage+2*i+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", page.content.Len(), page.content.String()))
	}

	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xrefOffset := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xrefOffset)
	return out.Bytes()
}
