package pdf

import (
	"slices"

	"understudy.example/internal/document/pdf/object"
)

// pageDict is the dictionary of a page, with the entries that it inherits. It is nil for
// a page that is not in the file.
type pageDict object.Dict

// inheritable are the entries that a page inherits from the nodes above it.
var inheritable = []object.Name{"Resources", "MediaBox", "CropBox", "Rotate"}

// pageTree collects the pages of a document in order.
type pageTree struct {
	objects
	open  map[int]bool // nodes around the current one, by object number
	nodes int          // visited
	list  []pageDict
}

// readPageTree returns the pages of a document, up to one more than the limit. If the tree
// leads to none, it returns all pages in the file.
func readPageTree(d objects) []pageDict {
	t := &pageTree{objects: d, open: map[int]bool{}}
	t.walk(d.doc.Catalog()["Pages"], object.Dict{}, 0)
	if slices.ContainsFunc(t.list, func(p pageDict) bool { return p != nil }) {
		return t.list
	}
	damaged := t.list
	t.list, t.nodes = nil, 0
	for _, ref := range d.doc.Find("Page") {
		if len(t.list) <= maxPages {
			t.walk(ref, t.inherited(ref), 0)
		}
	}
	return append(t.list, damaged...)
}

// inherited returns the entries of the nodes above a page.
func (t *pageTree) inherited(page object.Ref) object.Dict {
	all := object.Dict{}
	node := t.dict(t.dict(page)["Parent"])
	for depth := 0; node != nil && depth < maxNodeDepth; depth++ {
		for _, key := range inheritable {
			if all[key] == nil {
				all[key] = node[key]
			}
		}
		node = t.dict(node["Parent"])
	}
	return all
}

func (t *pageTree) walk(o object.Object, inherited object.Dict, depth int) {
	ref, _ := o.(object.Ref)
	if t.nodes++; len(t.list) > maxPages || t.nodes > maxNodes || depth > maxNodeDepth || t.open[ref.Number] {
		return
	}
	node := t.dict(o)
	all := object.Dict{}
	for _, key := range inheritable {
		if all[key] = node[key]; t.resolve(all[key]) == nil {
			all[key] = inherited[key]
		}
	}
	kids := t.array(node["Kids"])
	if kids == nil {
		t.addPage(node, all)
		return
	}
	if ref.Number > 0 {
		t.open[ref.Number] = true
		defer delete(t.open, ref.Number)
	}
	for _, kid := range kids {
		if kid != nil {
			t.walk(kid, all, depth+1)
		}
	}
}

func (t *pageTree) addPage(node, all object.Dict) {
	if node == nil {
		t.list = append(t.list, nil)
		return
	}
	for _, key := range []object.Name{"Contents", "Annots"} {
		all[key] = node[key]
	}
	t.list = append(t.list, pageDict(all))
}
