// Package pdf reads PDF documents: the text and the tables of their pages, the
// filled fields of their forms, and the files embedded in them.
package pdf

import (
	"errors"
	"fmt"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/pdf/object"
	"understudy.example/internal/document/text"
)

// Read reads the text, tables and form fields of a PDF, page by page, then the
// files embedded in it. A PDF that is encrypted with an empty password is read
// like any other.
func Read(f *content.File) error {
	doc, err := open(f)
	if err != nil {
		return err
	}
	d := objects{file: f, doc: doc, decoded: newAllowance(f, "decoded bytes of PDFs", maxDecoded, maxDecodedInAll)}
	d.pages = readPageTree(d)
	if len(d.pages) == 0 {
		f.AddNote(content.Damaged, "no page was found")
	}
	if len(d.pages) > maxPages {
		f.AddNote(content.Limit, fmt.Sprintf("more than %d pages: the rest was skipped", maxPages))
		d.pages = d.pages[:maxPages]
	}
	if err := readPages(d); err != nil {
		return err
	}
	if doc.Limited() {
		f.AddNote(content.Limit, "too many objects: the rest was skipped")
	}
	text.MarkQuoted(f.Blocks, false)
	if len(f.Blocks) > 0 && doc.CutShort() {
		f.AddNote(content.Damaged, "the end of the file is missing")
	} else if f.Note == "" && len(f.Blocks) == 0 && !doc.CutShort() {
		f.AddNote(content.NoText, "no text (a scan?)")
	}
	if err := attachEmbedded(d); err != nil || len(f.Blocks) > 0 || !doc.CutShort() {
		return err
	}
	return content.Errorf(content.Damaged, "damaged PDF document: its end is missing")
}

func open(f *content.File) (*object.File, error) {
	data, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	doc, err := object.Open(data)
	switch {
	case errors.Is(err, object.ErrPassword):
		return nil, content.Errorf(content.Password, "password protected")
	case errors.Is(err, object.ErrEncryption):
		return nil, content.Errorf(content.Unsupported, "encrypted with an unsupported method")
	case err != nil:
		return nil, content.Errorf(content.Damaged, "damaged PDF document")
	}
	return doc, nil
}

// readPages adds the blocks of each page, then the filled fields on it.
func readPages(d objects) error {
	fields := formFields(d)
	painter := &painter{
		fontCache: fontCache{objects: d, fonts: map[uintptr]cachedFont{}},
		glyphs:    newAllowance(d.file, "glyphs of PDFs", maxGlyphs, maxGlyphsInAll),
		operators: newAllowance(d.file, "operators of PDFs", maxOperators, maxOperatorsInAll),
	}
	layout := &layout{file: d.file}
	damaged := 0
	for i, dict := range d.pages {
		if d.file.Err() != nil {
			return d.file.Err()
		}
		if dict == nil {
			damaged++
			continue
		}
		number := i + 1
		p := painter.drawPage(number)
		if d.file.Positions() {
			d.file.Pages = append(d.file.Pages, make([]content.Page, number-len(d.file.Pages))...) // damaged pages have no size
			d.file.Pages[number-1] = content.Page{Width: points(p.box.x1 - p.box.x0), Height: points(p.box.y1 - p.box.y0)}
		}
		if !layout.addPage(p, fieldItems(d.file, fields[number], p)) {
			return nil
		}
		if !painter.glyphs.take(0) || !painter.operators.take(0) {
			d.file.AddNote(content.Limit, "too much text: the rest was skipped")
			break
		}
	}
	for _, f := range fields[0] {
		d.file.Add(f.block(nil))
	}
	if damaged > 0 {
		d.file.AddNote(content.Damaged, fmt.Sprintf("%d damaged pages were skipped", damaged))
	}
	return nil
}

// fieldItems returns the filled fields on a page as labels with their values. It removes the
// text that labels them from the page.
func fieldItems(file *content.File, fields []formField, p *page) []item {
	if len(fields) == 0 {
		return nil
	}
	fields = drawCells(p, fields)
	text := horizontalText(p)
	items := make([]item, len(fields))
	for i, f := range fields {
		block, at := f.block(text), p.upright.box(f.box)
		if file.Positions() {
			block.Spans = []content.Span{p.span(f.value, at, 0)}
		}
		items[i] = item{top: at.y1 - belowEdge, left: at.x0, field: &block}
	}
	if len(text.labels) > 0 {
		p.runs = text.withoutLabels(p.runs)
	}
	return items
}

// belowEdge is the distance from the upper edge of a field to a place that is certainly within it.
const belowEdge = 4
