package document

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

const maxFields = 20_000

// formField is a filled field of a form.
type formField struct {
	name   string // with the names of the fields around it
	tip    string
	value  string
	box    box
	choice bool // one of several boxes under a value that says nothing
}

// nameless are the names that form editors make up; wordless the values of
// boxes that do not say what they stand for.
var (
	nameless  = regexp.MustCompile(`(?i)^(text ?(field|box)?|check ?(box)?|undefined|untitled|combo ?box|list ?box|drop ?down|radio ?(button)?|button|group|fill|field|tf|cb|date|topmostsubform)?[\s_.#-]*\d*(\.\d+)*([_-]\d+)*[a-z]?(\[\d+\])?$`)
	wordless  = regexp.MustCompile(`(?i)^((choice|option|button|radio|value)?[\s_-]*\d+|on|checked|true)$`)
	formCoded = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)+(\[\d+\])?$`)
)

func meaningless(name string) bool { return nameless.MatchString(lastName(name)) }

func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// pair gives the field as a block. Its label is its name where that is made of
// words or is one of a known system of names, else the hint shown to who fills
// it in, else the text beside its box.
func (f formField) pair(page *pdfPage) Block {
	b := Block{Label: f.name, Value: f.value}
	hint := f.tip != "" && len(f.tip) <= 120
	last := lastName(f.name)
	named := !meaningless(f.name)
	switch {
	case named && (!hint || strings.Contains(last, " ") || formCoded.MatchString(last)):
	case hint:
		b.Label = f.tip
	case page != nil && !named:
		b.Label = page.textNear(f.box, f.name)
	}
	if page == nil || !f.choice {
		return b
	}
	if beside := page.textNear(f.box, ""); beside != "" && (named || hint) {
		b.Value = beside
	} else if beside != "" {
		b.Label, b.Value = beside, "Yes"
	}
	return b
}

// formFields reads the filled fields of the document's form, by page; 0 stands
// for fields without a page. The values are not part of the pages' text.
func (p *pdfReader) formFields() map[int][]formField {
	w := &fieldWalk{p: p, pages: map[int]int{}, seen: map[int]bool{}, out: map[int][]formField{}}
	widgets := w.widgets()
	if form := p.dict(p.doc.RootDict["AcroForm"]); form != nil {
		for _, o := range p.array(form["Fields"]) {
			w.field(o, formField{}, inherited{}, 0)
		}
	}
	// Some forms do not list all their fields: these start at their boxes.
	for _, ref := range widgets {
		if !w.seen[ref.ObjectNumber.Value()] {
			w.field(w.top(ref), formField{}, inherited{}, 0)
		}
	}
	return w.out
}

type fieldWalk struct {
	p     *pdfReader
	pages map[int]int // of each box, by its object number
	seen  map[int]bool
	out   map[int][]formField
	count int
}

// inherited is what a field has from those above it.
type inherited struct {
	kind    string
	value   types.Object
	options types.Array
}

// widgets lists the boxes of fields on all pages.
func (w *fieldWalk) widgets() []types.IndirectRef {
	var list []types.IndirectRef
	for number := 1; number <= min(w.p.doc.PageCount, maxPages); number++ {
		dict, _, _, err := w.p.doc.PageDict(number, false)
		if err != nil {
			continue
		}
		for _, o := range w.p.array(dict["Annots"]) {
			ref, ok := o.(types.IndirectRef)
			if !ok || len(w.pages) >= maxFields {
				continue
			}
			w.pages[ref.ObjectNumber.Value()] = number
			if w.p.name(w.p.dict(ref)["Subtype"]) == "Widget" {
				list = append(list, ref)
			}
		}
	}
	return list
}

// top climbs from a box to the outermost field around it.
func (w *fieldWalk) top(ref types.IndirectRef) types.IndirectRef {
	for range 30 {
		above, ok := w.p.dict(ref)["Parent"].(types.IndirectRef)
		if !ok || w.seen[above.ObjectNumber.Value()] {
			break
		}
		ref = above
	}
	return ref
}

// field reads a field and those below it, which inherit its name, tooltip and
// value.
func (w *fieldWalk) field(o types.Object, above formField, from inherited, depth int) {
	if w.count++; depth > 30 || w.count > maxFields {
		return
	}
	if ref, ok := o.(types.IndirectRef); ok {
		number := ref.ObjectNumber.Value()
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
		from.kind = name
	}
	if v := w.p.object(dict["V"]); v != nil {
		from.value = v
	}
	if list := w.p.array(dict["Opt"]); list != nil {
		from.options = list
	}
	kids := w.p.array(dict["Kids"])
	for _, kid := range kids {
		if d := w.p.dict(kid); d != nil && d["T"] != nil {
			for _, kid := range kids {
				w.field(kid, f, from, depth+1)
			}
			return
		}
	}
	// Kids without a name are the boxes of this field.
	boxes := []types.Object{o}
	if len(kids) > 0 {
		boxes = kids
	}
	w.filled(f, from, boxes)
}

// filled adds a field with a value, placed at its first box; a field of boxes
// to tick at the one that is ticked.
func (w *fieldWalk) filled(f formField, from inherited, boxes []types.Object) {
	at := boxes[0]
	state := w.p.name(from.value)
	for _, b := range boxes {
		if ref, ok := b.(types.IndirectRef); ok && w.count < maxFields {
			w.seen[ref.ObjectNumber.Value()] = true
			w.count++
		}
		dict := w.p.dict(b)
		shown := w.p.name(dict["AS"])
		if from.kind != "Btn" || shown == "" || shown == "Off" {
			continue
		}
		if from.value == nil {
			from.value, state = types.Name(shown), shown
		}
		if shown == state {
			at = b
		}
	}
	if f.value = w.value(from); f.value == "" || f.name == "" {
		return
	}
	f.choice = from.kind == "Btn" && len(boxes) > 1 && wordless.MatchString(f.value)
	f.box, _ = w.p.box(w.p.dict(at)["Rect"])
	page := 0
	if ref, ok := at.(types.IndirectRef); ok {
		page = w.pages[ref.ObjectNumber.Value()]
	}
	w.out[page] = append(w.out[page], f)
}

// value gives a field's value as text; empty for a box that is not ticked.
func (w *fieldWalk) value(from inherited) string {
	switch v := w.p.object(from.value).(type) {
	case types.Name:
		if v.Value() == "Off" {
			return ""
		}
		return w.option(string(decodeHexes([]byte(v.Value()), '#')), from)
	case types.Array:
		var texts []string
		for _, item := range v {
			if s := w.p.text(item); s != "" && len(texts) < 1000 {
				texts = append(texts, w.option(s, from))
			}
		}
		return strings.Join(texts, ", ")
	default:
		if from.kind == "Sig" || from.kind == "Btn" && w.p.text(v) == "Off" {
			return ""
		}
		return w.option(w.p.text(v), from)
	}
}

// option gives the words shown for the value of a choice: lists pair what is
// stored with what is shown, buttons count theirs.
func (w *fieldWalk) option(value string, from inherited) string {
	if from.kind == "Btn" {
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < len(from.options) {
			if shown := w.p.text(from.options[n]); shown != "" {
				return shown
			}
		}
		return value
	}
	for _, o := range from.options[:min(len(from.options), 2000)] {
		if pair := w.p.array(o); len(pair) == 2 && value != "" && w.p.text(pair[0]) == value {
			return w.p.text(pair[1])
		}
	}
	return value
}
