package pdf

import (
	"fmt"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/pdf/object"
)

// attachEmbedded reads the files embedded in the document and those pinned to a
// page. It skips damaged ones.
func attachEmbedded(d objects) error {
	l := &fileList{objects: d, seen: map[int]bool{}}
	l.addNames(d.dict(d.doc.Catalog()["Names"])["EmbeddedFiles"], 0)
	for _, o := range d.array(d.doc.Catalog()["AF"]) {
		l.add(o)
	}
	for _, page := range d.pages {
		for _, o := range d.array(page["Annots"]) {
			if a := d.dict(o); d.name(a["Subtype"]) == "FileAttachment" {
				l.add(a["FS"])
			}
		}
	}
	for i, f := range l.files {
		data := d.stream(f.stream)
		if len(data) == 0 {
			continue
		}
		if f.name == "" {
			f.name = fmt.Sprintf("attachment %d", i+1)
		}
		if err := d.file.Attach(f.name, data); err != nil {
			return err
		}
	}
	return nil
}

type embeddedFile struct {
	name   string
	stream object.Object
}

// fileList collects embedded files, each once.
type fileList struct {
	objects
	seen  map[int]bool // streams by object number
	files []embeddedFile
	nodes int // visited in the tree of names
}

// addNames adds the files of a tree of names.
func (l *fileList) addNames(o object.Object, depth int) {
	if l.nodes++; depth > 30 || l.nodes > 10_000 {
		return
	}
	node := l.dict(o)
	for _, kid := range l.array(node["Kids"]) {
		l.addNames(kid, depth+1)
	}
	list := l.array(node["Names"])
	for i := 1; i < len(list); i += 2 {
		l.add(list[i])
	}
}

// add adds the file of a file specification.
func (l *fileList) add(o object.Object) {
	spec := l.dict(o)
	streams := l.dict(spec["EF"])
	stream := streams["UF"]
	if stream == nil {
		stream = streams["F"]
	}
	ref, ok := stream.(object.Ref)
	if !ok || l.seen[ref.Number] || len(l.files) >= content.MaxParts {
		return
	}
	l.seen[ref.Number] = true
	name := l.text(spec["UF"])
	if name == "" {
		name = l.text(spec["F"])
	}
	l.files = append(l.files, embeddedFile{name, stream})
}
