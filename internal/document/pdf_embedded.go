package document

import (
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// embeddedFiles reads the files attached to the document as a whole and those
// pinned to a page. A damaged one is passed over.
func (p *pdfReader) embeddedFiles(src source) error {
	w := &fileWalk{p: p, seen: map[int]bool{}}
	w.names(p.dict(p.doc.RootDict["Names"])["EmbeddedFiles"], 0)
	for _, o := range p.array(p.doc.RootDict["AF"]) {
		w.file(o)
	}
	for number := 1; number <= min(p.doc.PageCount, maxPages); number++ {
		dict, _, _, err := p.doc.PageDict(number, false)
		if err != nil {
			continue
		}
		for _, o := range p.array(dict["Annots"]) {
			if a := p.dict(o); p.name(a["Subtype"]) == "FileAttachment" {
				w.file(a["FS"])
			}
		}
	}
	for i, f := range w.files {
		data := p.stream(f.stream)
		if len(data) == 0 {
			continue
		}
		if f.name == "" {
			f.name = fmt.Sprintf("attachment %d", i+1)
		}
		if err := p.r.attach(src, f.name, data, ""); err != nil {
			return err
		}
	}
	return nil
}

type embeddedFile struct {
	name   string
	stream types.Object
}

// fileWalk collects embedded files, each once.
type fileWalk struct {
	p     *pdfReader
	seen  map[int]bool
	files []embeddedFile
	nodes int
}

// names walks a tree of names.
func (w *fileWalk) names(o types.Object, depth int) {
	if w.nodes++; depth > 30 || w.nodes > 10_000 {
		return
	}
	node := w.p.dict(o)
	for _, kid := range w.p.array(node["Kids"]) {
		w.names(kid, depth+1)
	}
	list := w.p.array(node["Names"])
	for i := 1; i < len(list); i += 2 {
		w.file(list[i])
	}
}

func (w *fileWalk) file(o types.Object) {
	spec := w.p.dict(o)
	streams := w.p.dict(spec["EF"])
	stream := streams["UF"]
	if stream == nil {
		stream = streams["F"]
	}
	ref, ok := stream.(types.IndirectRef)
	if !ok || w.seen[ref.ObjectNumber.Value()] || len(w.files) >= maxParts {
		return
	}
	w.seen[ref.ObjectNumber.Value()] = true
	name := w.p.text(spec["UF"])
	if name == "" {
		name = w.p.text(spec["F"])
	}
	w.files = append(w.files, embeddedFile{name, stream})
}
