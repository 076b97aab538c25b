package object

import "bytes"

// startOfTable is the word before the offset of the newest table, at the end of the file.
var startOfTable = []byte("startxref")

// readTables reads the cross-reference tables and streams, the newest first, and the
// trailer. It returns false if one of them is damaged.
func (f *File) readTables() bool {
	i := bytes.LastIndex(f.data, startOfTable)
	if i < 0 {
		return false
	}
	s := Scanner{Data: f.data, At: i + len(startOfTable)}
	start, ok := integer(s.Next().Number)
	if !ok {
		return false
	}
	f.trailer = Dict{}
	seen := map[int]bool{}
	for start > 0 && !seen[start] {
		seen[start] = true
		trailer, ok := f.readSection(start)
		if !ok {
			return false
		}
		f.addTrailer(trailer)
		start, _ = integer(trailer["Prev"])
	}
	return true
}

// addTrailer adds the entries of a trailer that newer trailers do not have.
func (f *File) addTrailer(trailer Dict) {
	for _, key := range []Name{"Root", "Encrypt", "ID"} {
		if _, ok := f.trailer[key]; !ok && trailer[key] != nil {
			f.trailer[key] = trailer[key]
		}
	}
}

// readSection reads a cross-reference table or stream, and returns its trailer.
func (f *File) readSection(at int) (trailer Dict, ok bool) {
	if at < 0 || at >= len(f.data) {
		return nil, false
	}
	p := parser{Scanner: Scanner{Data: f.data, At: at}, file: f}
	if t := p.Next(); t.Kind == NumberToken {
		return f.readStreamSection(at)
	} else if string(t.Text) != "xref" {
		return nil, false
	}
	unused, ok := f.readTable(&p.Scanner)
	if !ok {
		return nil, false
	}
	o, _ := p.value()
	if trailer, ok = o.(Dict); !ok {
		return nil, false
	}
	// In a hybrid file, the stream has the objects that old readers must not see. The
	// table says that they are free.
	if at, ok := integer(trailer["XRefStm"]); ok && at < len(f.data) {
		_, _ = f.readStreamSection(at)
	}
	for _, number := range unused {
		f.setEntry(number, entry{})
	}
	return trailer, true
}

// readTable reads a table up to its trailer, and returns the numbers that it says are
// free.
func (f *File) readTable(s *Scanner) (unused []int, ok bool) {
	for {
		t := s.Next()
		if t.Kind == Keyword && string(t.Text) == "trailer" {
			return unused, true
		}
		first, ok := integer(t.Number)
		count := s.Next()
		if !ok || t.Kind != NumberToken || count.Kind != NumberToken {
			return nil, false
		}
		for i := range int(count.Number) {
			before := s.At
			offset, generation, word := s.Next(), s.Next(), s.Next()
			if offset.Kind == Keyword && string(offset.Text) == "trailer" {
				s.At = before // the table has fewer entries than it says
				break
			}
			if offset.Kind != NumberToken || generation.Kind != NumberToken || word.Kind != Keyword {
				return nil, false
			}
			used := string(word.Text) == "n" && offset.Number > 0
			if i == 0 && first == 1 && !used && generation.Number == 65535 {
				first = 0 // some writers count from 1
			}
			if used {
				f.setEntry(first+i, entry{inFile, int(offset.Number), int(generation.Number)})
			} else if len(unused) < maxObjects {
				unused = append(unused, first+i)
			}
		}
	}
}

// setEntry adds an entry, unless a newer table has one for the number.
func (f *File) setEntry(number int, e entry) {
	if _, ok := f.entries[number]; ok || number < 0 {
		return
	}
	if len(f.entries) >= maxObjects {
		f.limited = true
		return
	}
	f.entries[number] = e
}

// readStreamSection reads a cross-reference stream, and returns its dictionary, which is
// its trailer.
func (f *File) readStreamSection(at int) (trailer Dict, ok bool) {
	o, _ := f.readAt(at, -1)
	stream, _ := o.(*Stream)
	if stream == nil {
		return nil, false
	}
	widths, _ := stream.Dict["W"].(Array)
	if len(widths) < 3 {
		return nil, false
	}
	var w [3]int
	size := 0
	for i := range w {
		if w[i], ok = integer(widths[i]); !ok || w[i] < 0 || w[i] > 8 {
			return nil, false
		}
		size += w[i]
	}
	data := f.unpack(stream)
	if size == 0 || len(data) < size {
		return nil, false
	}
	index, _ := stream.Dict["Index"].(Array)
	if len(index) < 2 {
		index = Array{0.0, stream.Dict["Size"]}
	}
	for ; len(index) >= 2; index = index[2:] {
		first, ok := integer(index[0])
		count, ok2 := integer(index[1])
		if !ok || !ok2 {
			return nil, false
		}
		for i := 0; i < count && len(data) >= size; i++ {
			f.setEntry(first+i, streamEntry(data, w))
			data = data[size:]
		}
	}
	return stream.Dict, true
}

// streamEntry decodes an entry of a cross-reference stream with fields of the widths.
func streamEntry(data []byte, widths [3]int) entry {
	fields := [3]int{1, 0, 0} // the default kind is an object in the file
	for i, width := range widths {
		if width > 0 {
			fields[i] = 0
		}
		for _, c := range data[:width] {
			fields[i] = fields[i]<<8 | int(c)
		}
		data = data[width:]
	}
	switch {
	case fields[0] == 1 && fields[1] > 0:
		return entry{inFile, fields[1], fields[2]}
	case fields[0] == 2:
		return entry{inContainer, fields[1], 0}
	}
	return entry{}
}
