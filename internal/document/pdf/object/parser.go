package object

import (
	"slices"
)

// parser reads objects from data.
type parser struct {
	Scanner
	file    *File
	decrypt func([]byte) []byte // for strings; nil if they are not encrypted
	stack   []Object            // elements of the open arrays and dictionaries
	failed  bool                // a limit was reached
}

// Memory that values take, in bytes.
const (
	sizeOfValue = 24
	sizeOfDict  = 320
	sizeOfEntry = 40
)

// Next returns the next token. The bytes that it takes count as memory, so that objects
// that overlap each other in the file do not take long to read.
func (p *parser) Next() Token {
	at := p.At
	t := p.Scanner.Next()
	p.spend(p.At - at)
	return t
}

// spend takes bytes from the memory for parsed objects. When none are left, the rest of
// the object is skipped.
func (p *parser) spend(bytes int) {
	if p.file.parsed -= bytes; p.file.parsed < 0 {
		p.failed, p.file.limited = true, true
	}
}

// value reads an object. It returns false if there is none.
func (p *parser) value() (Object, bool) {
	if p.file.parsed < 0 {
		return nil, false
	}
	t := p.Next()
	o, ok := p.object(t, 0)
	number, isInt := integer(o)
	if !ok || !isInt || t.Kind != NumberToken {
		return o, ok
	}
	// It may be a reference.
	at := p.At
	if generation := p.Next(); generation.Kind == NumberToken {
		if r := p.Next(); r.Kind == Keyword && string(r.Text) == "R" {
			return Ref{number, int(generation.Number)}, true
		}
	}
	p.At = at
	return o, true
}

// object returns the object that starts with a token, at a depth of arrays and
// dictionaries.
func (p *parser) object(t Token, depth int) (Object, bool) {
	p.spend(sizeOfValue)
	switch t.Kind {
	case NumberToken:
		return t.Number, true
	case StringToken:
		if p.decrypt != nil {
			return String(p.decrypt(t.Text)), true
		}
		return String(t.Text), true
	case NameToken:
		return Name(t.Text), true
	case OpenArray:
		base := p.list(CloseArray, depth)
		a := Array(slices.Clone(p.stack[base:]))
		p.stack = p.stack[:base]
		return a, true
	case OpenDict:
		base := p.list(CloseDict, depth)
		d := p.dict(p.stack[base:])
		p.stack = p.stack[:base]
		return d, true
	case Keyword:
		switch string(t.Text) {
		case "true":
			return true, true
		case "false":
			return false, true
		case "null":
			return nil, true
		}
	}
	return nil, false
}

// list reads the elements of an array or a dictionary onto the stack, and returns where
// they start.
func (p *parser) list(end Kind, depth int) (base int) {
	base = len(p.stack)
	if depth >= maxDepth {
		p.failed, p.file.limited = true, true
	}
	for !p.failed {
		at := p.At
		t := p.Next()
		switch {
		case t.Kind == end || t.Kind == End:
			return base
		case t.Kind == CloseArray || t.Kind == Stray:
			continue
		case t.Kind == CloseDict || t.Kind == Keyword && endsObject(t.Text):
			p.At = at // the array or the dictionary is not closed
			return base
		case t.Kind == Keyword && string(t.Text) == "R":
			p.reference(base)
			continue
		}
		o, _ := p.object(t, depth+1)
		p.stack = append(p.stack, o)
	}
	return base
}

// endsObject reports whether a keyword cannot be inside an object.
func endsObject(word []byte) bool {
	switch string(word) {
	case "obj", "endobj", "stream", "endstream", "xref", "trailer", "startxref":
		return true
	}
	return false
}

// reference replaces the last two elements of a list by a reference.
func (p *parser) reference(base int) {
	n := len(p.stack)
	if n-base < 2 {
		return
	}
	number, ok := integer(p.stack[n-2])
	generation, ok2 := integer(p.stack[n-1])
	if ok && ok2 {
		p.stack = append(p.stack[:n-2], Ref{number, generation})
	}
}

// dict makes a dictionary of a list of keys and values. Values without a key are skipped.
func (p *parser) dict(list []Object) Dict {
	d := Dict{}
	for len(list) > 0 {
		key, ok := list[0].(Name)
		if !ok {
			list = list[1:]
			continue
		}
		var value Object
		if len(list) > 1 {
			value = list[1]
		}
		if value != nil {
			d[key] = value
		}
		list = list[min(2, len(list)):]
	}
	p.spend(sizeOfDict + sizeOfEntry*len(d))
	return d
}
