package read

import (
	"regexp"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

const maxFields = 20_000

// formField is a filled field of a form.
type formField struct {
	name  string // with the names of the fields around it
	tip   string
	value string
	box   box
}

// nameless are the names that form editors make up.
var nameless = regexp.MustCompile(`(?i)^(text ?(field|box)?|check ?(box)?|undefined|untitled|combo ?box|list ?box|drop ?down|radio ?(button)?|button|group|fill|field|tf|cb|date|topmostsubform)?[\s_.#-]*\d*(\.\d+)*([_-]\d+)*[a-z]?(\[\d+\])?$`)

func meaningless(name string) bool {
	return nameless.MatchString(name[strings.LastIndexByte(name, '.')+1:])
}

// formFields reads the filled fields of the document's form, by page; 0 stands
// for fields without a page. The values are not part of the pages' text.
func (p *pdfReader) formFields() map[int][]formField {
	out := map[int][]formField{}
	form := p.dict(p.doc.RootDict["AcroForm"])
	if form == nil {
		return out
	}
	w := &fieldWalk{p: p, pages: p.widgetPages(), seen: map[int]bool{}, out: out}
	for _, o := range p.array(form["Fields"]) {
		w.field(o, "", formField{}, nil, 0)
	}
	return out
}

// widgetPages tells the page of each field's box by its object number.
func (p *pdfReader) widgetPages() map[int]int {
	pages := map[int]int{}
	for number := 1; number <= min(p.doc.PageCount, maxPages); number++ {
		dict, _, _, err := p.doc.PageDict(number, false)
		if err != nil {
			continue
		}
		for _, o := range p.array(dict["Annots"]) {
			if ref, ok := o.(types.IndirectRef); ok && len(pages) < maxFields {
				pages[ref.ObjectNumber.Value()] = number
			}
		}
	}
	return pages
}

type fieldWalk struct {
	p     *pdfReader
	pages map[int]int
	seen  map[int]bool
	out   map[int][]formField
	count int
}

// field reads a field and those below it, which inherit its name, tooltip and
// value.
func (w *fieldWalk) field(o types.Object, kind string, above formField, value types.Object, depth int) {
	if w.count++; depth > 30 || w.count > maxFields {
		return
	}
	number := 0
	if ref, ok := o.(types.IndirectRef); ok {
		number = ref.ObjectNumber.Value()
		if w.seen[number] {
			return
		}
		w.seen[number] = true
	}
	dict := w.p.dict(o)
	if dict == nil {
		return
	}
	f := above
	if name := w.p.text(dict["T"]); name != "" {
		f.name = strings.TrimPrefix(above.name+"."+name, ".")
	}
	if tip := w.p.text(dict["TU"]); tip != "" {
		f.tip = tip
	}
	if name := w.p.name(dict["FT"]); name != "" {
		kind = name
	}
	if v := w.p.object(dict["V"]); v != nil {
		value = v
	}
	f.box, _ = w.p.box(dict["Rect"])
	kids := w.p.array(dict["Kids"])
	fields := false
	for _, kid := range kids {
		if d := w.p.dict(kid); d != nil && d["T"] != nil {
			fields = true
			break
		}
	}
	if fields {
		for _, kid := range kids {
			w.field(kid, kind, f, value, depth+1)
		}
		return
	}
	// Kids without a name are the boxes of this field; the first places it.
	page := w.pages[number]
	for _, kid := range kids {
		if ref, ok := kid.(types.IndirectRef); ok && page == 0 {
			page = w.pages[ref.ObjectNumber.Value()]
			f.box, _ = w.p.box(w.p.dict(kid)["Rect"])
		}
	}
	if f.value = w.value(kind, value); f.value != "" && f.name != "" {
		w.out[page] = append(w.out[page], f)
	}
}

// value gives a field's value as text; empty for a box that is not ticked.
func (w *fieldWalk) value(kind string, o types.Object) string {
	switch v := w.p.object(o).(type) {
	case types.Name:
		if v.Value() == "Off" {
			return ""
		}
		return string(decodeHexes([]byte(v.Value()), '#'))
	case types.Array:
		var texts []string
		for _, item := range v {
			if s := w.p.text(item); s != "" && len(texts) < 1000 {
				texts = append(texts, s)
			}
		}
		return strings.Join(texts, ", ")
	default:
		if kind == "Sig" {
			return ""
		}
		return w.p.text(o)
	}
}
