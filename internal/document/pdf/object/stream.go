package object

import (
	"bytes"
	"errors"
)

// Errors of Decode.
var (
	ErrTooLarge      = errors.New("the data is larger than the limit")
	ErrDamagedStream = errors.New("the data is damaged")
	ErrFilter        = errors.New("the data has an image filter, an unknown filter, or too many filters")
)

// Decode returns the data of a stream, decrypted and unpacked, if that has at most limit
// bytes. With ErrDamagedStream, it also returns the data that could be read. The cost is the number
// of bytes that all filters together have returned.
func (f *File) Decode(s *Stream, limit int) (data []byte, cost int, err error) {
	filters := f.names(s.Dict["Filter"])
	if len(filters) > maxFilters {
		return nil, 0, ErrFilter
	}
	parameters := f.parameters(s.Dict, len(filters))
	data = f.decryptStream(s, f.raw(s), filters, parameters)
	var damage error
	for i, name := range filters {
		filter, ok := decoders[name]
		if !ok {
			return nil, cost, ErrFilter
		}
		var err error
		data, err = filter(data, f.predictor(parameters[i]), limit)
		cost += len(data)
		if errors.Is(err, ErrTooLarge) {
			return nil, cost, err
		} else if err != nil {
			damage = err
		}
	}
	if len(data) > limit {
		return nil, cost, ErrTooLarge
	}
	return data, max(cost, len(data)), damage
}

// names returns a name, or a list of names, as a list.
func (f *File) names(o Object) []Name {
	switch v := f.Resolve(o).(type) {
	case Name:
		return []Name{v}
	case Array:
		names := make([]Name, min(len(v), maxFilters+1))
		for i := range names {
			names[i], _ = f.Resolve(v[i]).(Name)
		}
		return names
	}
	return nil
}

// parameters returns the parameters of each filter.
func (f *File) parameters(dict Dict, filters int) []Dict {
	list := make([]Dict, filters)
	o := dict["DecodeParms"]
	if o == nil {
		o = dict["DP"]
	}
	switch v := f.Resolve(o).(type) {
	case Dict:
		if filters > 0 {
			list[0] = v
		}
	case Array:
		for i := range min(filters, len(v)) {
			list[i], _ = f.Resolve(v[i]).(Dict)
		}
	}
	return list
}

// startOfData returns where the data of a stream starts, after the word "stream".
func startOfData(data []byte, at int) int {
	start := at
	for start < len(data) && (data[start] == ' ' || data[start] == '\t') {
		start++
	}
	switch {
	case bytes.HasPrefix(data[start:], []byte("\r\n")):
		return start + 2
	case start < len(data) && (data[start] == '\n' || data[start] == '\r'):
		return start + 1
	}
	return at
}

var endOfStream = []byte("endstream")

// raw returns the data of a stream as it is in the file.
func (f *File) raw(s *Stream) []byte {
	if s.raw == nil {
		s.raw = f.findData(s)
	}
	return s.raw
}

// findData finds the data of a stream. A length that does not lead to the end of the
// stream is wrong.
func (f *File) findData(s *Stream) []byte {
	rest := f.data[min(s.start, len(f.data)):]
	length, ok := integer(f.Resolve(s.Dict["Length"]))
	if ok = ok && length >= 0 && length <= len(rest); ok {
		if bytes.HasPrefix(bytes.TrimLeft(rest[length:min(len(rest), length+20)], " \t\r\n\x00"), endOfStream) {
			return rest[:length:length]
		}
	}
	rest = rest[:min(len(rest), max(f.searched, 0))]
	end := bytes.Index(rest, endOfStream)
	if f.searched -= len(rest); end >= 0 {
		f.searched += len(rest) - end
	} else if ok {
		return rest[:min(length, len(rest))]
	} else if end = bytes.Index(rest, []byte("endobj")); end < 0 {
		return rest
	}
	rest = bytes.TrimSuffix(rest[:end:end], []byte("\n"))
	return bytes.TrimSuffix(rest, []byte("\r"))
}
