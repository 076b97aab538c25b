package object

import (
	"bytes"
	"errors"
	"maps"
	"slices"
)

// rebuild finds the objects of a damaged file by searching it for them. Of several
// objects with the same number, the last one counts.
func (f *File) rebuild() error {
	f.rebuilt = true
	clear(f.objects)
	s := &search{file: f, found: map[int]entry{}}
	s.run()
	maps.Copy(f.entries, s.found)
	clear(f.containers)
	if err := s.startDecrypting(); err != nil {
		return err
	}
	s.addContained()
	if f.hasPages(f.trailer) {
		return nil
	}
	for _, trailer := range slices.Backward(s.trailers) {
		if f.hasPages(trailer) {
			f.trailer = trailer
			return nil
		}
	}
	for _, catalog := range f.ofType("Catalog") {
		if trailer := (Dict{"Root": catalog}); f.hasPages(trailer) {
			f.trailer = trailer
		}
	}
	return nil
}

// startDecrypting prepares the decryption of the file if a trailer says that it is
// encrypted.
func (s *search) startDecrypting() error {
	for _, trailer := range slices.Backward(s.trailers) {
		if trailer["ID"] == nil {
			trailer["ID"] = s.file.trailer["ID"]
		}
		if err := s.file.startDecrypting(trailer); err != nil && !errors.Is(err, ErrDamaged) {
			return err
		}
	}
	return nil
}

// Find returns references to all dictionaries of a type, by their numbers. It searches
// the whole file, because the objects that refer to them can be damaged.
func (f *File) Find(kind Name) []Ref {
	if !f.rebuilt {
		_ = f.rebuild()
	}
	return f.ofType(kind)
}

func (f *File) ofType(kind Name) (refs []Ref) {
	for _, number := range slices.Sorted(maps.Keys(f.entries)) {
		if dict, _ := f.object(number).(Dict); f.Resolve(dict["Type"]) == kind {
			refs = append(refs, Ref{Number: number})
		}
	}
	return refs
}

// search is a search for the objects of a file.
type search struct {
	file       *File
	found      map[int]entry
	trailers   []Dict
	containers []int // offsets of streams that contain objects
	at         int
	next       [3]int // next position of each word, from at on
	open       int    // offset of the object whose end has not been found yet
}

// words are the words that matter to a search.
var words = [3][]byte{[]byte("obj"), []byte("stream"), []byte("trailer")}

// run searches the whole file. It skips the data of streams, because that can be another
// PDF document.
func (s *search) run() {
	s.next, s.open = [3]int{-1, -1, -1}, -1
	data := s.file.data
	for {
		word := s.nextWord()
		at := s.next[word]
		if at >= len(data) {
			return
		}
		s.at = at + len(words[word])
		switch word {
		case 0:
			s.addObject(at)
		case 1:
			if s.open >= 0 && bytes.HasSuffix(bytes.TrimRight(data[s.open:at], " \t\r\n\x00"), []byte(">>")) {
				s.addStream()
			}
		case 2:
			p := parser{Scanner: Scanner{Data: data, At: s.at}, file: s.file}
			o, _ := p.value()
			s.addTrailer(o)
		}
	}
}

// nextWord returns the index of the word that occurs next. The position of a word that
// does not occur again is the end of the file.
func (s *search) nextWord() int {
	nearest := 0
	for i, word := range words {
		if s.next[i] < s.at {
			s.next[i] = len(s.file.data)
			if found := bytes.Index(s.file.data[s.at:], word); found >= 0 {
				s.next[i] = s.at + found
			}
		}
		if s.next[i] < s.next[nearest] {
			nearest = i
		}
	}
	return nearest
}

// addObject adds the object whose head, such as "12 0 obj", ends with the word at an
// offset.
func (s *search) addObject(at int) {
	before := s.file.data[max(0, at-40):at]
	rest, _, ok := lastNumber(before)
	if !ok {
		return
	}
	if rest, number, ok := lastNumber(rest); ok && len(s.found) < maxObjects {
		s.open = at - len(before) + len(rest)
		s.found[number] = entry{kind: inFile, at: s.open}
	}
}

// lastNumber returns the number at the end of data, and the data before it.
func lastNumber(data []byte) (rest []byte, number int, ok bool) {
	data = bytes.TrimRight(data, " \t\r\n\x00")
	start := len(data)
	for start > 0 && data[start-1] >= '0' && data[start-1] <= '9' {
		start--
	}
	for _, c := range data[start:] {
		number = min(number*10+int(c-'0'), 1<<40)
	}
	return data[:start], number, start < len(data)
}

// addStream skips the data of the open object, whose word "stream" was just found.
func (s *search) addStream() {
	o, _ := s.file.readAt(s.open, -1)
	if stream, ok := o.(*Stream); ok {
		switch stream.Dict["Type"] {
		case Name("ObjStm"):
			s.containers = append(s.containers, s.open)
		case Name("XRef"):
			s.addTrailer(stream.Dict)
		}
		if _, direct := stream.Dict["Length"].(float64); !direct {
			stream.Dict["Length"] = nil // it refers to an object that may not have been found yet
		}
		s.at = max(s.at, stream.start+len(s.file.raw(stream)))
	}
	s.open = -1
}

// addTrailer adds a dictionary that may be a trailer.
func (s *search) addTrailer(o Object) {
	dict, _ := o.(Dict)
	if dict["Root"] != nil || dict["Encrypt"] != nil {
		s.trailers = append(s.trailers, dict)
	}
}

// addContained adds the objects in containers, except those that a later object replaces.
func (s *search) addContained() {
	f := s.file
	for _, at := range s.containers {
		scanner := Scanner{Data: f.data, At: at}
		number, ok := integer(scanner.Next().Number)
		if !ok || s.found[number].at != at {
			continue
		}
		c := f.container(number)
		if c == nil {
			continue
		}
		for n := range c.offsets {
			if old, ok := s.found[n]; (!ok || s.offset(old) < at) && len(f.entries) < maxObjects {
				s.found[n] = entry{kind: inContainer, at: number}
				f.entries[n] = s.found[n]
			}
		}
	}
}

// offset returns the offset of an object or of its container.
func (s *search) offset(e entry) int {
	if e.kind == inContainer {
		return s.found[e.at].at
	}
	return e.at
}
