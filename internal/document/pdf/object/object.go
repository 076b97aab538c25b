// Package object reads the objects of a PDF document: names, dictionaries, streams and
// references between them (ISO 32000-2, section 7). It opens damaged files and files that
// are encrypted with an empty password. It reads each object once, when it is first
// needed. It knows nothing about pages.
//
// It is not replaced by a library: only pdfcpu opens the same documents, but it is a
// download of 287 MB, and some hostile documents crash it.
//
// No file can make it recurse, allocate or loop without bounds: parsed objects take memory
// in proportion to the file, and the streams that contain objects are unpacked up to a
// limit. A reference that leads back to itself is null.
package object

import "math"

// Object is nil (the null object), a bool, a float64, a Name, a String, an Array, a Dict,
// a *Stream or a Ref.
type Object any

// Name is a name, without its slash and its escapes.
type Name string

// String is the decrypted bytes of a string, which are not always text.
type String []byte

// Array is a list of objects.
type Array []Object

// Dict is a dictionary.
type Dict map[Name]Object

// Ref refers to the object with a number.
type Ref struct{ Number, Generation int }

// Stream is a dictionary with data. File.Decode returns the data.
type Stream struct {
	Dict       Dict
	start      int // of the data in the file
	number     int // of the object, for its key
	generation int
	raw        []byte // the data as it is in the file, once its end has been found
}

// integer returns the value of a number without a fraction.
func integer(o Object) (int, bool) {
	n, ok := o.(float64)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		return 0, false
	}
	return int(n), true
}

// Limits of one file.
const (
	maxDepth    = 100       // of arrays and dictionaries inside each other
	maxObjects  = 1_000_000 // in the cross-reference tables
	maxLoading  = 20        // objects, each needed to load the one before
	maxRefs     = 20        // references to references
	maxFilters  = 12        // of one stream
	maxUnpacked = 64 << 20  // bytes of the streams that contain objects or cross-references

	// Memory for parsed objects in bytes: the least, the most, and the bytes that each byte
	// of the file adds.
	minParsed     = 8 << 20
	maxParsed     = 96 << 20
	parsedPerByte = 64
)
