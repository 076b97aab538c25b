// Package pdf reads PDF documents: the text and the tables of their pages, the
// filled fields of their forms, and the files embedded in them.
package pdf

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/document/text"
)

// Limits of one PDF.
const (
	maxPages     = 500
	maxGlyphs    = 2_000_000
	maxOperators = 20_000_000
	maxStream    = 16 << 20 // bytes of one stream, decoded
	maxForms     = 8        // form XObjects drawn inside each other
	maxRules     = 20_000   // on one page
)

// pdfcpu writes a folder into the user's home unless it is told not to.
var disableConfigDir = sync.OnceFunc(api.DisableConfigDir)

// Read reads the text, tables and form fields of a PDF, page by page, then the
// files embedded in it. A PDF that is encrypted with an empty password is read
// like any other.
func Read(f *content.File) error {
	disableConfigDir()
	conf := model.NewDefaultConfiguration()
	conf.Offline = true
	conf.Limits.MaxStreamBytes, conf.Limits.MaxDecodeBytes = 64<<20, 64<<20
	conf.Limits.MaxObjectCount, conf.Limits.MaxXRefEntries = 500_000, 500_000
	// The validator of the library is not used: it rejects forms that all viewers
	// show.
	doc, err := api.ReadContext(io.NewSectionReader(f.Data, 0, f.Size), conf)
	if errors.Is(err, pdfcpu.ErrWrongPassword) {
		return content.Errorf(content.Password, "password protected")
	}
	if err == nil {
		err = doc.EnsurePageCount()
	}
	if err != nil {
		return content.Errorf(content.Damaged, "damaged PDF document")
	}
	r := &reader{file: f, doc: doc, fonts: map[int]*font{}}
	if err := r.readPages(); err != nil {
		return err
	}
	text.MarkQuoted(f.Blocks, false)
	if len(f.Blocks) == 0 && f.Note == "" {
		f.AddNote(content.NoText, "no text (a scan?)")
	}
	return r.attachEmbedded()
}

// reader reads one PDF.
type reader struct {
	file      *content.File
	doc       *model.Context
	fonts     map[int]*font // by object number
	glyphs    int           // drawn so far
	operators int           // carried out so far
	lastTable *openTable    // the table at the end of the previous page
}

func (r *reader) readPages() error {
	fields := r.formFields()
	pages := r.doc.PageCount
	if pages > maxPages {
		r.file.AddNote(content.Limit, fmt.Sprintf("more than %d pages: the rest left out", maxPages))
		pages = maxPages
	}
	damaged := 0
	for number := 1; number <= pages; number++ {
		if r.file.Err() != nil {
			return r.file.Err()
		}
		p, err := r.drawPage(number)
		if err != nil {
			damaged++
			continue
		}
		if !r.addPage(p) {
			return nil
		}
		for _, f := range fields[number] {
			block := f.block(p)
			block.Place.Page = number
			if !r.file.Add(block) {
				return nil
			}
		}
		if r.glyphs > maxGlyphs || r.operators > maxOperators {
			r.file.AddNote(content.Limit, "too much text: the rest left out")
			break
		}
	}
	for _, f := range fields[0] {
		r.file.Add(f.block(nil))
	}
	if damaged > 0 {
		r.file.AddNote(content.Damaged, fmt.Sprintf("%d damaged pages left out", damaged))
	}
	return nil
}

// drawPage carries out the content of a page. The runs of text and the rules of
// the result are in the coordinates of the page, turned upright.
func (r *reader) drawPage(number int) (*page, error) {
	dict, _, inherited, err := r.doc.PageDict(number, false)
	if err != nil {
		return nil, err
	}
	p := &page{number: number}
	rotate := inherited.Rotate
	if n, ok := r.number(dict["Rotate"]); ok {
		rotate = int(n)
	}
	switch (rotate%360 + 360) % 360 {
	case 90:
		p.upright = matrix{0, -1, 1, 0, 0, 0}
	case 180:
		p.upright = matrix{-1, 0, 0, -1, 0, 0}
	case 270:
		p.upright = matrix{0, 1, -1, 0, 0, 0}
	default:
		p.upright = identity
	}
	resources := r.dict(dict["Resources"])
	if resources == nil {
		resources = inherited.Resources
	}
	d := &drawing{reader: r, page: p, state: graphicsState{ctm: p.upright, scale: 1}}
	d.draw(r.pageContent(dict["Contents"]), resources, 0)
	r.addFreeText(p, dict)
	return p, nil
}

// pageContent joins the content streams of a page, up to the limit of one
// stream.
func (r *reader) pageContent(o types.Object) []byte {
	streams := []types.Object{o}
	if list := r.array(o); list != nil {
		streams = list
	}
	var all []byte
	for _, s := range streams {
		if len(all) > maxStream {
			r.file.AddNote(content.Limit, "too much text: the rest left out")
			break
		}
		all = append(append(all, r.stream(s)...), '\n')
	}
	return all
}

// addFreeText adds the notes that were typed onto a page. Form fields are not
// among them.
func (r *reader) addFreeText(p *page, dict types.Dict) {
	for i, o := range r.array(dict["Annots"]) {
		annotation := r.dict(o)
		if i > 10_000 || r.name(annotation["Subtype"]) != "FreeText" {
			continue
		}
		b, ok := r.box(annotation["Rect"])
		note := r.text(annotation["Contents"])
		if !ok || note == "" {
			continue
		}
		b = p.upright.box(b)
		for j, line := range decode.Lines(note) {
			p.runs = append(p.runs, run{text: line, x0: b.x0, x1: b.x1, y: b.y1 - 12*float64(j+1), size: 10})
		}
	}
}
