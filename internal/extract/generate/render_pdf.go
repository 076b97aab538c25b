package generate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// canvas is a PDF that is being made: pages with text in Helvetica, lines, and form
// fields.
type canvas struct {
	width, height float64
	y             float64
	pages         []*strings.Builder
	fields        []string // annotations
	fieldPages    []int
	header        string
}

const (
	margin   = 48.0
	size     = 9.5
	leading  = 14.0
	perGlyph = 0.56 // width of an average letter, in font sizes
)

func newCanvas(width float64, header string) *canvas {
	c := &canvas{width: width, height: 792, header: header}
	c.newPage()
	return c
}

func (c *canvas) newPage() {
	c.pages = append(c.pages, &strings.Builder{})
	c.y = c.height - margin
	c.show(margin, c.height-26, 7, "F1", c.header)
	c.show(c.width-margin-50, 24, 7, "F1", fmt.Sprintf("Page %d", len(c.pages)))
}

// need begins a new page if the current one has less than the height left.
func (c *canvas) need(height float64) {
	if c.y-height < margin {
		c.newPage()
	}
}

func latin(text string) string {
	out, err := encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder()).String(text)
	if err != nil {
		panic(err) // unsupported letters are replaced
	}
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(out)
}

func (c *canvas) show(x, y, size float64, font, text string) {
	fmt.Fprintf(c.pages[len(c.pages)-1], "BT /%s %g Tf %.1f %.1f Td (%s) Tj ET\n", font, size, x, y, latin(text))
}

func (c *canvas) box(x, y, width, height float64) {
	fmt.Fprintf(c.pages[len(c.pages)-1], "%.1f %.1f %.1f %.1f re S\n", x, y, width, height)
}

// field adds a text field of a form.
func (c *canvas) field(name, value string, x, y, width float64) {
	c.fields = append(c.fields, fmt.Sprintf("<</Type/Annot/Subtype/Widget/FT/Tx/T(%s)/V(%s)/Rect[%.1f %.1f %.1f %.1f]", latin(name), latin(value), x, y-3, x+width, y+11))
	c.fieldPages = append(c.fieldPages, len(c.pages)-1)
}

// pdfPage writes the page as a PDF. The styles of its entries are "lines", "columns", "boxes", "dots"
// and "fields".
func (p *paper) pdfPage(style string) string {
	width := 612.0
	for _, block := range p.blocks {
		total := 0.0
		for _, w := range widthsOf(block.rows) {
			total += float64(w)*8*perGlyph + 10
		}
		width = max(width, total+2*margin)
	}
	c := newCanvas(width, one(p.Rand, []string{"Form AP-2207 (rev. 03/24)", "Confidential", ""}))
	bullet := p.bullet()
	ruled := p.chance(60)
	for _, block := range p.blocks {
		switch {
		case block.heading != "":
			c.need(60)
			c.y -= 6
			c.show(margin, c.y, 11.5, "F2", block.heading)
			c.y -= 18
		case block.text != "":
			for line := range strings.SplitSeq(wrapped(block.text, 96), "\n") {
				c.need(leading)
				c.show(margin, c.y, size, "F1", line)
				c.y -= leading
			}
			c.y -= 6
		case block.rows != nil:
			c.table(block.rows, ruled)
		case block.items != nil:
			for i, item := range block.items {
				c.need(leading)
				c.show(margin+8, c.y, size, "F1", strings.TrimSpace(strings.NewReplacer("☒", "[X]", "☐", "[ ]").Replace(bullet(item, i))))
				c.y -= leading
			}
			c.y -= 6
		}
		p.drawEntries(c, block.entries, style)
	}
	return c.file()
}

func (p *paper) drawEntries(c *canvas, entries []entry, style string) {
	for i, e := range entries {
		c.need(2 * leading)
		labelWidth := float64(utf8.RuneCountInString(e.label)) * size * perGlyph
		switch style {
		case "lines":
			c.show(margin, c.y, size, "F1", strings.TrimSuffix(e.label, "?")+": "+e.value)
		case "columns":
			c.show(margin, c.y, size, "F2", e.label)
			c.show(max(margin+210, margin+labelWidth+12), c.y, size, "F1", e.value)
		case "dots":
			c.show(margin, c.y, size, "F1", e.label+" "+strings.Repeat(".", max(4, 60-utf8.RuneCountInString(e.label)))+" "+e.value)
		case "fields":
			c.show(margin, c.y, size, "F1", e.label)
			x := max(margin+230, margin+labelWidth+12)
			c.field(fmt.Sprintf("Text%d", len(c.fields)+1), e.value, x, c.y, 512-x+margin)
			c.y -= 4
		case "boxes":
			half := (c.width - 2*margin) / 2
			x := margin + float64(i%2)*half
			c.box(x, c.y-22, half, 30)
			c.show(x+3, c.y, 6.5, "F1", e.label)
			c.show(x+3, c.y-15, size, "F1", e.value)
			if i%2 == 0 && i < len(entries)-1 {
				continue
			}
			c.y -= 30 - leading
		}
		c.y -= leading
	}
	if len(entries) > 0 {
		c.y -= 10
	}
}

// table draws a table, with rules or without. Its header is drawn again on each page.
func (c *canvas) table(rows [][]string, ruled bool) {
	widths := widthsOf(rows)
	draw := func(row []string, font string) {
		x := margin
		for i, w := range widths {
			width := float64(w)*8*perGlyph + 10
			if ruled {
				c.box(x, c.y-4, width, leading)
			}
			if i < len(row) {
				c.show(x+4, c.y, 8, font, row[i])
			}
			x += width
		}
		c.y -= leading
	}
	for i, row := range rows {
		pages := len(c.pages)
		c.need(leading)
		if len(c.pages) > pages {
			draw(rows[0], "F2")
		}
		draw(row, map[bool]string{true: "F2", false: "F1"}[i == 0])
	}
	c.y -= 10
}

// file writes the objects of the PDF: the catalog, the pages, two fonts, then each page
// with its content, then the form fields.
func (c *canvas) file() string {
	first := 5
	pageObject := func(i int) int { return first + 2*i }
	fieldObject := func(i int) int { return first + 2*len(c.pages) + i }
	var kids, all strings.Builder
	annotations := make([]string, len(c.pages))
	for i := range c.pages {
		fmt.Fprintf(&kids, "%d 0 R ", pageObject(i))
	}
	for i, page := range c.fieldPages {
		reference := fmt.Sprintf("%d 0 R ", fieldObject(i))
		annotations[page] += reference
		all.WriteString(reference)
	}
	catalog := "<</Type/Catalog/Pages 2 0 R>>"
	if len(c.fields) > 0 {
		catalog = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[" + all.String() + "]/DR<</Font<</F1 3 0 R>>>>>>>>"
	}
	font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica%s/Encoding/WinAnsiEncoding>>"
	objects := []string{catalog, fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(c.pages)), fmt.Sprintf(font, ""), fmt.Sprintf(font, "-Bold")}
	for i, page := range c.pages {
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Contents %d 0 R/Annots[%s]/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>", c.width, c.height, pageObject(i)+1, annotations[i]),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", page.Len(), page.String()))
	}
	for i, field := range c.fields {
		objects = append(objects, field+fmt.Sprintf("/P %d 0 R>>", pageObject(c.fieldPages[i])))
	}
	var text, offsets strings.Builder
	text.WriteString("%PDF-1.7\n")
	for i, object := range objects {
		fmt.Fprintf(&offsets, "%010d 00000 n \n", text.Len())
		fmt.Fprintf(&text, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start, count := text.Len(), len(objects)+1
	fmt.Fprintf(&text, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", count, offsets.String(), count, start)
	return text.String()
}
