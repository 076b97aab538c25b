package object

import (
	"bytes"
	"errors"
)

// Errors of Open. A file that is neither is damaged beyond repair.
var (
	ErrDamaged    = errors.New("not a PDF document, or too damaged to read")
	ErrPassword   = errors.New("the document requires a password")
	ErrEncryption = errors.New("the document is encrypted with an unsupported method")
)

// File is an open PDF document. It is not safe for concurrent use.
type File struct {
	data       []byte
	entries    map[int]entry
	trailer    Dict
	crypt      *crypt
	objects    map[int]Object // that were read
	containers map[int]*container
	loading    int  // objects that are being read
	rebuilt    bool // the entries come from a search for objects

	parsed, reserve int  // bytes left for parsed objects, and bytes that more data can still add to them
	unpacked        int  // bytes of the streams of containers and cross-references that may still be unpacked
	searched        int  // bytes that may still be searched for the ends of streams
	limited         bool // an object was skipped because of a limit
}

// entry says where an object is.
type entry struct {
	kind       entryKind
	at         int // offset, or the number of the stream that contains it
	generation int
}

type entryKind byte

const (
	free entryKind = iota
	inFile
	inContainer
)

// Open opens a document. The file uses the data until it is no longer needed.
func Open(data []byte) (*File, error) {
	// Offsets count from the header, and other bytes may precede it.
	if i := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-")); i > 0 {
		data = data[i:]
	}
	f := &File{
		data: data, entries: map[int]entry{}, objects: map[int]Object{}, containers: map[int]*container{},
		parsed: minParsed, reserve: maxParsed - minParsed, unpacked: maxUnpacked, searched: 16*len(data) + 1<<20,
	}
	f.allow(len(data))
	if f.readTables() {
		switch err := f.startDecrypting(f.trailer); {
		case err == nil && f.hasPages(f.trailer):
			return f, nil
		case err != nil && !errors.Is(err, ErrDamaged):
			return nil, err
		}
	}
	if err := f.rebuild(); err != nil {
		return nil, err
	}
	if !f.hasPages(f.trailer) {
		return nil, ErrDamaged
	}
	return f, nil
}

// allow raises the memory for parsed objects in proportion to the bytes of data.
func (f *File) allow(data int) {
	more := min(f.reserve, data*parsedPerByte)
	f.parsed += more
	f.reserve -= more
}

// hasPages reports whether a trailer leads to a catalog with pages.
func (f *File) hasPages(trailer Dict) bool {
	catalog, _ := f.Resolve(trailer["Root"]).(Dict)
	pages, _ := f.Resolve(catalog["Pages"]).(Dict)
	return pages != nil
}

// Catalog returns the root of the document's objects.
func (f *File) Catalog() Dict {
	catalog, _ := f.Resolve(f.trailer["Root"]).(Dict)
	return catalog
}

// Limited reports whether an object was skipped, or read only partly, because of a limit.
func (f *File) Limited() bool { return f.limited }

// CutShort reports whether the end of the file is missing.
func (f *File) CutShort() bool { return f.rebuilt && !bytes.Contains(f.data, startOfTable) }

// Resolve returns the object that a reference refers to, and any other object as it is.
func (f *File) Resolve(o Object) Object {
	for range maxRefs {
		ref, ok := o.(Ref)
		if !ok {
			return o
		}
		o = f.object(ref.Number)
	}
	return nil
}

// object returns the object with a number.
func (f *File) object(number int) Object {
	if o, read := f.objects[number]; read {
		return o
	}
	e := f.entries[number]
	if e.kind == free || f.loading >= maxLoading {
		return nil
	}
	f.objects[number] = nil // while it is read, references of the object to itself are null
	f.loading++
	o, ok := f.load(number, e)
	if !ok && !f.rebuilt && f.rebuild() == nil {
		o, _ = f.load(number, f.entries[number])
	}
	f.loading--
	f.objects[number] = o
	return o
}

// load reads an object. It returns false if it is not where its entry says.
func (f *File) load(number int, e entry) (Object, bool) {
	switch e.kind {
	case inFile:
		return f.readAt(e.at, number)
	case inContainer:
		if c := f.container(e.at); c != nil {
			return c.object(f, number)
		}
	}
	return nil, false
}

// readAt reads the object at an offset. It must have the number, unless that is negative.
func (f *File) readAt(at, number int) (Object, bool) {
	if at < 0 || at >= len(f.data) {
		return nil, false
	}
	if f.parsed < 0 {
		return nil, true
	}
	p := parser{Scanner: Scanner{Data: f.data, At: at}, file: f}
	n, ok := integer(p.Next().Number)
	generation := p.Next()
	if word := p.Next(); !ok || generation.Kind != NumberToken || word.Kind != Keyword || !bytes.HasPrefix(word.Text, []byte("obj")) {
		return nil, false
	} else if len(word.Text) > 3 {
		p.At -= len(word.Text) - 3 // as in "1 0 obj5"
	}
	if number >= 0 && n != number {
		return nil, false
	}
	if f.crypt != nil {
		key := f.crypt.objectKey(f.crypt.strings, n, int(generation.Number))
		p.decrypt = func(data []byte) []byte { return f.crypt.strings.decrypt(key, data) }
	}
	o, _ := p.value()
	dict, ok := o.(Dict)
	if !ok {
		return o, true
	}
	if word := p.Next(); word.Kind != Keyword || string(word.Text) != "stream" {
		return dict, true
	}
	return &Stream{Dict: dict, start: startOfData(f.data, p.At), number: n, generation: int(generation.Number)}, true
}

// container is a stream that contains objects.
type container struct {
	data    []byte
	offsets map[int]int // by the numbers of the objects
}

// container returns the container with a number; nil if there is none.
func (f *File) container(number int) *container {
	if c, read := f.containers[number]; read {
		return c
	}
	f.containers[number] = nil
	if f.entries[number].kind != inFile {
		return nil
	}
	stream, _ := f.object(number).(*Stream)
	if stream == nil {
		return nil
	}
	data := f.unpack(stream)
	count, _ := integer(f.Resolve(stream.Dict["N"]))
	first, _ := integer(f.Resolve(stream.Dict["First"]))
	if first <= 0 || first > len(data) {
		return nil
	}
	f.allow(len(data))
	c := &container{data: data, offsets: map[int]int{}}
	s := Scanner{Data: data[:first]}
	for range count {
		if f.parsed -= sizeOfEntry; f.parsed < 0 {
			f.limited = true
			break
		}
		n, offset := s.Next(), s.Next()
		if n.Kind != NumberToken || offset.Kind != NumberToken {
			break
		}
		if at := first + int(offset.Number); at >= first && at < len(data) {
			c.offsets[int(n.Number)] = at
		}
	}
	f.containers[number] = c
	return c
}

// object returns the object with a number in the container.
func (c *container) object(f *File, number int) (Object, bool) {
	at, ok := c.offsets[number]
	if !ok {
		return nil, false
	}
	p := parser{Scanner: Scanner{Data: c.data, At: at}, file: f}
	o, _ := p.value()
	return o, true
}

// unpack decodes a container or a cross-reference stream, up to the limit of the file.
func (f *File) unpack(s *Stream) []byte {
	data, cost, err := f.Decode(s, f.unpacked)
	if errors.Is(err, ErrTooLarge) {
		f.limited = true
		f.unpacked = 0
	}
	f.unpacked = max(f.unpacked-cost, 0)
	return data
}
