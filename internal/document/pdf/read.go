// Package pdf reads PDF documents: the text and the tables of their pages, the
// filled fields of their forms, and the files embedded in them.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/fault"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/text"
)

// pdfcpu writes a folder into the user's home unless it is told not to.
var disableConfigDir = sync.OnceFunc(func() { model.ConfigPath = "disable" })

// Read reads the text, tables and form fields of a PDF, page by page, then the
// files embedded in it. A PDF that is encrypted with an empty password is read
// like any other.
func Read(f *content.File) error {
	doc, err := open(f)
	if err != nil {
		return err
	}
	d := objects{file: f, doc: doc, decoded: new(int)}
	if err := readPages(d); err != nil {
		return err
	}
	text.MarkQuoted(f.Blocks, false)
	if len(f.Blocks) == 0 && f.Note == "" {
		f.AddNote(content.NoText, "no text (a scan?)")
	}
	return attachEmbedded(d)
}

func open(f *content.File) (*model.Context, error) {
	disableConfigDir()
	conf := model.NewDefaultConfiguration()
	conf.Offline = true
	conf.Limits.MaxStreamBytes, conf.Limits.MaxDecodeBytes = 64<<20, 64<<20
	conf.Limits.MaxObjectCount, conf.Limits.MaxXRefEntries = 500_000, 500_000
	// The validator of the library is not used: it rejects forms that all viewers
	// show.
	var data io.ReadSeeker = io.NewSectionReader(f.Data, 0, f.Size)
	if f.Size <= maxHeld {
		// The library reads each object separately, a few bytes at a time.
		held, err := f.Bytes()
		if err != nil {
			return nil, err
		}
		data = bytes.NewReader(held)
	}
	doc, err := parse(data, conf)
	if errors.Is(err, pdfcpu.ErrWrongPassword) {
		return nil, content.Errorf(content.Password, "password protected")
	}
	if err == nil {
		err = doc.EnsurePageCount()
	}
	if err != nil {
		return nil, content.Errorf(content.Damaged, "damaged PDF document")
	}
	return doc, nil
}

// parse does what the library's package api does. That package is not imported, because
// its dependencies take a third of the start of a worker process.
func parse(data io.ReadSeeker, conf *model.Configuration) (doc *model.Context, err error) {
	defer fault.Catch(&err)
	return pdfcpu.Read(data, conf)
}

// readPages adds the blocks of each page, then the filled fields on it.
func readPages(d objects) error {
	fields := formFields(d)
	pages := d.doc.PageCount
	if pages > maxPages {
		d.file.AddNote(content.Limit, fmt.Sprintf("more than %d pages: the rest was skipped", maxPages))
		pages = maxPages
	}
	painter := &painter{fontCache: fontCache{objects: d, fonts: map[uintptr]cachedFont{}}}
	layout := &layout{file: d.file}
	damaged := 0
	for number := 1; number <= pages; number++ {
		if d.file.Err() != nil {
			return d.file.Err()
		}
		p, err := painter.drawPage(number)
		if err != nil {
			damaged++
			continue
		}
		if d.file.Positions() {
			d.file.Pages = append(d.file.Pages, make([]content.Page, number-len(d.file.Pages))...) // damaged pages have no size
			d.file.Pages[number-1] = content.Page{Width: points(p.box.x1 - p.box.x0), Height: points(p.box.y1 - p.box.y0)}
		}
		if !layout.addPage(p) {
			return nil
		}
		if !addFields(d.file, fields[number], p) {
			return nil
		}
		if painter.glyphs > maxGlyphs || painter.operators > maxOperators {
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

// addFields adds the filled fields on a page. It reports whether there is room
// for more.
func addFields(file *content.File, fields []formField, p *page) bool {
	if len(fields) == 0 {
		return true
	}
	text := horizontalText(p)
	for _, f := range fields {
		block := f.block(text)
		block.Place.Page = p.number
		if file.Positions() {
			block.Spans = []content.Span{p.span(f.value, p.upright.box(f.box), 0)}
		}
		if !file.Add(block) {
			return false
		}
	}
	return true
}
