package pdf

import (
	"regexp"
	"strings"

	"understudy.example/internal/document/pdf/object"
)

// formField is a filled field of a form.
type formField struct {
	name    string // with the names of the fields around it
	tooltip string
	value   string
	box     box
	button  bool // a single checkbox or one of several
	choice  bool // one of several checkboxes, under a value without meaning
}

// meaninglessValue matches the values of checkboxes that do not say what they
// stand for.
var meaninglessValue = regexp.MustCompile(`(?i)^((choice|option|button|radio|value)?[\s_-]*\d+|on|checked|true)$`)

// formFields reads the filled fields of the form by page; 0 stands for fields
// without a page. Their values are not part of the text of the pages.
func formFields(d objects) map[int][]formField {
	p := &formParser{objects: d, pageOf: map[int]int{}, seen: map[int]bool{}, fields: map[int][]formField{}}
	widgets := p.widgets()
	if form := d.dict(d.doc.Catalog()["AcroForm"]); form != nil {
		for _, o := range d.array(form["Fields"]) {
			p.readField(o, formField{}, fieldValue{}, 0)
		}
	}
	// Some forms do not list all fields. The others are found from their widgets.
	for _, ref := range widgets {
		if !p.seen[ref.Number] {
			p.readField(p.top(ref), formField{}, fieldValue{}, 0)
		}
	}
	return p.fields
}

// formParser collects the fields of a form. A widget is the box of a field on a
// page. Fields and widgets are known by their object numbers.
type formParser struct {
	objects
	pageOf map[int]int // of widgets
	seen   map[int]bool
	fields map[int][]formField // by page
	count  int
}

// widgets lists the widgets on all pages.
func (p *formParser) widgets() []object.Ref {
	var list []object.Ref
	for i, page := range p.objects.pages {
		for _, o := range p.array(page["Annots"]) {
			ref, ok := o.(object.Ref)
			if !ok || len(p.pageOf) >= maxFields {
				continue
			}
			p.pageOf[ref.Number] = i + 1
			if p.name(p.dict(ref)["Subtype"]) == "Widget" {
				list = append(list, ref)
			}
		}
	}
	return list
}

// top returns the outermost field around a widget.
func (p *formParser) top(ref object.Ref) object.Ref {
	for range 30 {
		above, ok := p.dict(ref)["Parent"].(object.Ref)
		if !ok || p.seen[above.Number] {
			break
		}
		ref = above
	}
	return ref
}

// readField reads a field and those below it, which inherit its name, tooltip and
// value.
func (p *formParser) readField(o object.Object, above formField, from fieldValue, depth int) {
	if p.count++; depth > 30 || p.count > maxFields {
		return
	}
	if ref, ok := o.(object.Ref); ok {
		number := ref.Number
		if p.seen[number] {
			return
		}
		p.seen[number] = true
	}
	dict := p.dict(o)
	if dict == nil {
		return
	}
	f := above
	if name := p.text(dict["T"]); name != "" {
		f.name = strings.TrimPrefix(above.name+"."+name, ".")
	}
	if tooltip := p.text(dict["TU"]); tooltip != "" {
		f.tooltip = tooltip
	}
	if name := p.name(dict["FT"]); name != "" {
		from.kind = name
	}
	if v := p.resolve(dict["V"]); v != nil {
		from.object = v
	}
	if list := p.array(dict["Opt"]); list != nil {
		from.options = list
	}
	kids := p.array(dict["Kids"])
	for _, kid := range kids {
		if d := p.dict(kid); d != nil && d["T"] != nil {
			for _, kid := range kids {
				p.readField(kid, f, from, depth+1)
			}
			return
		}
	}
	// Kids without a name are the widgets of this field.
	widgets := []object.Object{o}
	if len(kids) > 0 {
		widgets = kids
	}
	p.addField(f, from, widgets)
}

// addField adds a field when it has a value. Its place is its first widget, or
// the checked one among several checkboxes.
func (p *formParser) addField(f formField, from fieldValue, widgets []object.Object) {
	at := widgets[0]
	state := p.name(from.object)
	for _, widget := range widgets {
		if ref, ok := widget.(object.Ref); ok && p.count < maxFields {
			p.seen[ref.Number] = true
			p.count++
		}
		dict := p.dict(widget)
		shown := p.name(dict["AS"])
		if from.kind != "Btn" || shown == "" || shown == "Off" {
			continue
		}
		if from.object == nil {
			from.object, state = shown, shown
		}
		if shown == state {
			at = widget
		}
	}
	if f.value = from.text(p.objects); f.value == "" || f.name == "" {
		return
	}
	f.button = from.kind == "Btn"
	f.choice = f.button && len(widgets) > 1 && meaninglessValue.MatchString(f.value)
	f.box, _ = p.box(p.dict(at)["Rect"])
	page := 0
	if ref, ok := at.(object.Ref); ok {
		page = p.pageOf[ref.Number]
	}
	p.fields[page] = append(p.fields[page], f)
}
