package text

import (
	"hash/maphash"
	"slices"
	"strings"
)

// openTags keeps track of the open elements of a page, as the parser does. The parser looks at all
// open elements for most tags, so their number determines how long a tag takes.
type openTags struct {
	elements []openTag // the innermost last
	closed   []openTag // formatting that was closed only because an element around it was; the next text opens it again
	seen     int       // sum of the numbers of open elements at each tag, and of the elements opened again
}

type openTag struct {
	name   uint64 // its hash
	tag    uint64 // the hash of the tag with its attributes
	class  tagClass
	closed []openTag // of an element that hides formatting: what was closed before it
}

// maxOpenTags is the number of open elements at which the parser gives up.
const maxOpenTags = 512

// tagClass is a set of properties of an element.
type tagClass uint16

const (
	paragraph tagClass = 1 << iota // ends at the next block
	listItem                       // ends at the next element of its class, as do those down to sectionOfTable
	definition
	option
	rowOfTable
	cellOfTable
	sectionOfTable
	wholeTable
	scope      // tags in it do not end elements around it, except those of tables, and formatting ends with it
	block      // ends an open paragraph; a tag in it does not end an unknown element around it
	formatting // its end tag leaves the elements in it open
	empty      // has no content

	partOfTable = rowOfTable | cellOfTable | sectionOfTable | wholeTable
	endsAtNext  = listItem | definition | option | rowOfTable | cellOfTable | sectionOfTable
)

// tagClasses are the properties of the elements by name, without those that all blocks have.
var tagClasses = map[string]tagClass{"p": paragraph, "button": block, "select": block}

func init() {
	for names, class := range map[string]tagClass{
		"li": listItem | block, "dd dt": definition | block, "option": option, "tr": rowOfTable | block, "td th": cellOfTable | scope | block,
		"tbody thead tfoot": sectionOfTable | block, "table": wholeTable | scope | block, "applet caption marquee object template": scope | block,
		"a b big code em font i nobr s small strike strong tt u":                                 formatting,
		"area base br col embed frame hr img input link meta param source track wbr":             empty,
		"ul ol dl div h1 h2 h3 h4 h5 h6 section article header footer blockquote pre form":       block,
		"fieldset address center main figure aside nav details summary menu dir body html title": block,
	} {
		for name := range strings.FieldsSeq(names) {
			tagClasses[name] |= class
		}
	}
}

var hashSeed = maphash.MakeSeed()

// innermost returns the index of the innermost open element that matches. It returns -1 if there is
// none, or if an element of one of the given classes is open inside it.
func (o *openTags) innermost(beyond tagClass, matches func(openTag) bool) int {
	for i, e := range slices.Backward(o.elements) {
		if matches(e) {
			return i
		}
		if e.class&beyond != 0 {
			break
		}
	}
	return -1
}

// start handles a start tag: it closes the elements that the tag ends implicitly, and opens its own.
func (o *openTags) start(name []byte, tag string) {
	o.seen += len(o.elements)
	class := tagClasses[string(name)]
	if class&(block|paragraph|option) == 0 {
		o.text()
	}
	if class&empty != 0 {
		return
	}
	if class&(block|paragraph) != 0 {
		o.cut(o.innermost(scope, func(e openTag) bool { return e.class&paragraph != 0 }))
	}
	if kind := class & endsAtNext; kind != 0 {
		beyond := wholeTable
		if kind&(listItem|definition) != 0 {
			beyond = block // a <dd> does not end an <li> around it, and vice versa
		}
		o.cut(o.innermost(beyond, func(e openTag) bool { return e.class&kind != 0 }))
	}
	if len(o.elements) == maxOpenTags {
		return
	}
	open := openTag{name: maphash.Bytes(hashSeed, name), tag: maphash.String(hashSeed, tag), class: class}
	if class.endsFormatting() {
		open.closed, o.closed = o.closed, nil
	}
	o.elements = append(o.elements, open)
}

// endsFormatting reports whether formatting inside the element has no effect after it, and vice versa.
func (c tagClass) endsFormatting() bool { return c&scope != 0 && c&wholeTable == 0 }

// text handles text: it opens closed formatting again.
func (o *openTags) text() {
	o.seen += len(o.closed)
	reopened := o.closed[:min(len(o.closed), maxOpenTags-len(o.elements))]
	o.elements = append(o.elements, reopened...)
	o.closed = o.closed[:0]
}

// end handles an end tag: it closes the element of that name, unless the parser ignores the tag there.
func (o *openTags) end(name []byte) {
	o.seen += len(o.elements)
	class, hash := tagClasses[string(name)], maphash.Bytes(hashSeed, name)
	beyond := block
	switch {
	case class&wholeTable != 0:
		beyond = 0
	case class&partOfTable != 0:
		beyond = wholeTable
	case class&(block|formatting|paragraph) != 0:
		beyond = scope
	}
	at := o.innermost(beyond, func(e openTag) bool { return e.name == hash })
	if class&formatting != 0 {
		if at >= 0 {
			o.elements = slices.Delete(o.elements, at, at+1)
		} else if i := slices.IndexFunc(o.closed, func(e openTag) bool { return e.name == hash }); i >= 0 {
			o.closed = slices.Delete(o.closed, i, i+1)
		}
		return
	}
	o.cut(at)
}

// cut closes the element at an index and all elements in it. It does nothing if the index is -1.
func (o *openTags) cut(at int) {
	if at < 0 {
		return
	}
	ended := o.elements[at:]
	o.elements = o.elements[:at]
	if i := slices.IndexFunc(ended, func(e openTag) bool { return e.class.endsFormatting() }); i >= 0 {
		o.closed, ended = ended[i].closed, ended[:i]
	}
	for _, e := range ended {
		if e.class&formatting != 0 {
			o.addClosed(e)
		}
	}
}

// addClosed keeps formatting that the next text opens again. The parser keeps three elements with the same attributes.
func (o *openTags) addClosed(formatting openTag) {
	same := 0
	for _, e := range o.closed[max(0, len(o.closed)-16):] { // searching all would take long
		if e.tag == formatting.tag {
			same++
		}
	}
	if same < 3 && len(o.closed) < maxOpenTags {
		o.closed = append(o.closed, formatting)
	}
}
