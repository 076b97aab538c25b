package pdf

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/decode"
)

// drawPage carries out the content of a page. The runs of text and the rules of
// the result are in the coordinates of the page, turned upright.
func (a *painter) drawPage(number int) (*page, error) {
	dict, _, inherited, err := a.doc.PageDict(number, false)
	if err != nil {
		return nil, err
	}
	p := &page{number: number}
	rotate := inherited.Rotate
	if n, ok := a.number(dict["Rotate"]); ok {
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
	resources := a.dict(dict["Resources"])
	if resources == nil {
		resources = inherited.Resources
	}
	d := &drawing{painter: a, page: p, state: graphicsState{ctm: p.upright, scale: 1}}
	d.draw(a.pageContent(dict["Contents"]), resources, 0)
	a.addFreeText(p, dict)
	return p, nil
}

// pageContent joins the content streams of a page, up to the limit of one
// stream.
func (a *painter) pageContent(o types.Object) []byte {
	streams := []types.Object{o}
	if list := a.array(o); list != nil {
		streams = list
	}
	var all []byte
	for _, s := range streams {
		if len(all) > maxStream {
			a.file.AddNote(content.Limit, "too much text: the rest left out")
			break
		}
		all = append(append(all, a.stream(s)...), '\n')
	}
	return all
}

// addFreeText adds the notes that were typed onto a page. Form fields are not
// among them.
func (a *painter) addFreeText(p *page, dict types.Dict) {
	for i, o := range a.array(dict["Annots"]) {
		annotation := a.dict(o)
		if i > 10_000 || a.name(annotation["Subtype"]) != "FreeText" {
			continue
		}
		b, ok := a.box(annotation["Rect"])
		note := a.text(annotation["Contents"])
		if !ok || note == "" {
			continue
		}
		b = p.upright.box(b)
		for j, line := range decode.Lines(note) {
			p.runs = append(p.runs, run{text: line, x0: b.x0, x1: b.x1, y: b.y1 - 12*float64(j+1), size: 10})
		}
	}
}
