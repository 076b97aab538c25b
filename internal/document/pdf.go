package document

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Limits of one PDF.
const (
	maxPages     = 500
	maxGlyphs    = 2_000_000
	maxOperators = 20_000_000
	maxStream    = 16 << 20 // bytes of one stream, decoded
	maxForms     = 8        // form XObjects drawn inside each other
	maxRules     = 20_000   // lines and boxes drawn on one page
)

// pdfcpu writes a folder into the user's home unless it is told not to.
var withoutConfigDir = sync.OnceFunc(api.DisableConfigDir)

// readPDF reads the text, tables and form fields of a PDF, page by page, then
// the files attached to it. A PDF locked with an empty password is read like
// any other.
func readPDF(r *reading, part *Part, src source) error {
	withoutConfigDir()
	conf := model.NewDefaultConfiguration()
	conf.Offline = true
	conf.Limits.MaxStreamBytes, conf.Limits.MaxDecodeBytes = 64<<20, 64<<20
	conf.Limits.MaxObjectCount, conf.Limits.MaxXRefEntries = 500_000, 500_000
	// The validator is left out: it refuses forms that all viewers show.
	doc, err := api.ReadContext(io.NewSectionReader(src.data, 0, src.size), conf)
	if errors.Is(err, pdfcpu.ErrWrongPassword) {
		return unreadable(Password, "password protected")
	}
	if err == nil {
		err = doc.EnsurePageCount()
	}
	if err != nil {
		return unreadable(Damaged, "damaged PDF document")
	}
	p := &pdfReader{r: r, part: part, doc: doc, fonts: map[int]*pdfFont{}}
	if err := p.pages(); err != nil {
		return err
	}
	quoteBlocks(part.Blocks, false)
	if len(part.Blocks) == 0 && part.Note == "" {
		part.note(NoText, "no text (a scan?)")
	}
	return p.embeddedFiles(src)
}

// pdfReader reads one PDF.
type pdfReader struct {
	r         *reading
	part      *Part
	doc       *model.Context
	fonts     map[int]*pdfFont // by object number
	glyphs    int
	operators int
	last      *openTable // the table at the end of the page before
}

func (p *pdfReader) pages() error {
	fields := p.formFields()
	pages := p.doc.PageCount
	if pages > maxPages {
		p.part.note(Limit, fmt.Sprintf("more than %d pages: the rest left out", maxPages))
		pages = maxPages
	}
	damaged := 0
	for number := 1; number <= pages; number++ {
		if p.r.ctx.Err() != nil {
			return p.r.ctx.Err()
		}
		page, err := p.page(number)
		if err != nil {
			damaged++
			continue
		}
		if !p.layOut(page) {
			return nil
		}
		for _, f := range fields[number] {
			pair := f.pair(page)
			pair.Place.Page = number
			if !p.r.keep(p.part, pair) {
				return nil
			}
		}
		if p.glyphs > maxGlyphs || p.operators > maxOperators {
			p.part.note(Limit, "too much text: the rest left out")
			break
		}
	}
	for _, f := range fields[0] {
		p.r.keep(p.part, f.pair(nil))
	}
	if damaged > 0 {
		p.part.note(Damaged, fmt.Sprintf("%d damaged pages left out", damaged))
	}
	return nil
}

// page draws a page: its runs of text and its rules come to lie in the page's
// own space, turned upright.
func (p *pdfReader) page(number int) (*pdfPage, error) {
	dict, _, inherited, err := p.doc.PageDict(number, false)
	if err != nil {
		return nil, err
	}
	page := &pdfPage{number: number}
	rotate := inherited.Rotate
	if n, ok := p.number(dict["Rotate"]); ok {
		rotate = int(n)
	}
	switch (rotate%360 + 360) % 360 {
	case 90:
		page.upright = matrix{0, -1, 1, 0, 0, 0}
	case 180:
		page.upright = matrix{-1, 0, 0, -1, 0, 0}
	case 270:
		page.upright = matrix{0, 1, -1, 0, 0, 0}
	default:
		page.upright = identity
	}
	resources := p.dict(dict["Resources"])
	if resources == nil {
		resources = inherited.Resources
	}
	d := &drawing{p: p, page: page, state: textState{ctm: page.upright, scale: 1}}
	d.draw(p.contents(dict["Contents"]), resources, 0)
	p.freeText(page, dict)
	return page, nil
}

// contents joins the content streams of a page, up to the limit of one stream.
func (p *pdfReader) contents(o types.Object) []byte {
	streams := []types.Object{o}
	if list := p.array(o); list != nil {
		streams = list
	}
	var all []byte
	for _, s := range streams {
		if len(all) > maxStream {
			p.part.note(Limit, "too much text: the rest left out")
			break
		}
		all = append(append(all, p.stream(s)...), '\n')
	}
	return all
}

// freeText adds the notes typed onto a page; form fields are not among them.
func (p *pdfReader) freeText(page *pdfPage, dict types.Dict) {
	for i, o := range p.array(dict["Annots"]) {
		annotation := p.dict(o)
		if i > 10_000 || p.name(annotation["Subtype"]) != "FreeText" {
			continue
		}
		box, ok := p.box(annotation["Rect"])
		text := p.text(annotation["Contents"])
		if !ok || text == "" {
			continue
		}
		box = page.upright.box(box)
		for j, line := range splitLines(text) {
			page.runs = append(page.runs, run{text: line, x0: box.x0, x1: box.x1, y: box.y1 - 12*float64(j+1), size: 10})
		}
	}
}

// matrix is a PDF transformation: a b c d e f.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// then gives the transformation m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return x*m[0] + y*m[2] + m[4], x*m[1] + y*m[3] + m[5]
}

// box is a rectangle with x0 <= x1 and y0 <= y1.
type box struct{ x0, y0, x1, y1 float64 }

func (m matrix) box(b box) box {
	x0, y0 := m.apply(b.x0, b.y0)
	x1, y1 := m.apply(b.x1, b.y1)
	return box{math.Min(x0, x1), math.Min(y0, y1), math.Max(x0, x1), math.Max(y0, y1)}
}
