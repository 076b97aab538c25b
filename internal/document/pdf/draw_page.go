package pdf

import (
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
	"understudy.example/internal/document/pdf/object"
)

// drawPage executes the content of a page. The runs of text and the rules of the
// result are in the coordinates of the page, turned upright.
func (p *painter) drawPage(number int) *page {
	dict := p.pages[number-1]
	pg := &page{number: number}
	rotate, _ := p.number(dict["Rotate"])
	switch (int(rotate)%360 + 360) % 360 {
	case 90:
		pg.upright = matrix{0, -1, 1, 0, 0, 0}
	case 180:
		pg.upright = matrix{-1, 0, 0, -1, 0, 0}
	case 270:
		pg.upright = matrix{0, 1, -1, 0, 0, 0}
	default:
		pg.upright = identity
	}
	pg.box = pg.upright.box(p.shownBox(dict))
	d := &drawing{painter: p, page: pg, state: graphicsState{ctm: pg.upright, scale: 1}}
	d.draw(p.pageContent(dict["Contents"]), p.dict(dict["Resources"]), 0)
	p.addFreeText(pg, dict)
	return pg
}

// shownBox returns the part of a page that viewers show, in the coordinates of the file.
func (p *painter) shownBox(dict pageDict) box {
	for _, name := range []object.Name{"CropBox", "MediaBox"} {
		if b, ok := p.box(dict[name]); ok && b.x1 > b.x0 && b.y1 > b.y0 {
			return b
		}
	}
	return box{0, 0, 612, 792} // US letter
}

// pageContent joins the content streams of a page, up to the limit of one
// stream.
func (p *painter) pageContent(o object.Object) []byte {
	streams := []object.Object{o}
	if list := p.array(o); list != nil {
		streams = list
	}
	var all []byte
	for _, s := range streams {
		if len(all) > maxStream {
			p.file.AddNote(content.Limit, "too much text: the rest was skipped")
			break
		}
		all = append(append(all, p.stream(s)...), '\n')
	}
	return all
}

// addFreeText adds the notes that were typed onto a page. Form fields are not
// among them.
func (p *painter) addFreeText(pg *page, dict pageDict) {
	for i, o := range p.array(dict["Annots"]) {
		annotation := p.dict(o)
		if i > 10_000 || p.name(annotation["Subtype"]) != "FreeText" {
			continue
		}
		b, ok := p.box(annotation["Rect"])
		note := p.text(annotation["Contents"])
		if !ok || note == "" {
			continue
		}
		b = pg.upright.box(b)
		for j, line := range decode.Lines(note) {
			pg.runs = append(pg.runs, run{text: line, x0: b.x0, x1: b.x1, y: b.y1 - 12*float64(j+1), size: 10})
		}
	}
}
