// Package hostile makes documents that attack the parsers: bombs, cycles, huge counts,
// deep nesting, wrong lengths, external entities, truncated and encrypted files, in
// every supported format. It is for tests.
package hostile

import (
	"bytes"
	"compress/flate"
	"hash/adler32"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
)

// Document is a hostile document.
type Document struct {
	Name     string // of the attack, unique
	Filename string
	// Reason is part of the reason for which the document cannot be read. If it is
	// empty, the document can be read, at least partly.
	Reason string

	content any // a string, or a func() string that makes a large document
}

// Content returns the document. Each call makes a large document again.
func (d Document) Content() []byte {
	if large, ok := d.content.(func() string); ok {
		return []byte(large())
	}
	return []byte(d.content.(string))
}

// Seeds returns the small documents.
func Seeds() []Document {
	return slices.DeleteFunc(Documents(1), func(d Document) bool {
		_, small := d.content.(string)
		return !small
	})
}

// Documents returns all hostile documents. The sizes of those that take the most time
// are divided by the scale.
func Documents(scale int) []Document {
	s := divisor(scale)
	return slices.Concat(pdfs(s), pdfStreams(s), archives(s), wordDocuments(s), workbooks(s), compounds(), binaries(), mails(s), pages(s), texts(s))
}

// divisor divides sizes.
type divisor int

func (d divisor) of(size int) int { return max(size/int(d), 1) }

// stream is compressed data that was never unpacked as a whole.
type stream struct {
	deflated []byte // in the DEFLATE format
	size     uint64 // of the data
	crc32    uint32
	adler32  uint32
}

// deflate compresses head, about size bytes of repetitions of filler, and tail. It
// costs almost no memory: the repetitions are compressed once.
func deflate(head, filler string, size int, tail string) stream {
	const chunkSize = 1 << 20
	var s stream
	crc, adler := crc32.NewIEEE(), adler32.New()
	add := func(data string, times int) {
		packed := pack(data)
		for range times {
			s.deflated = append(s.deflated, packed...)
			s.size += uint64(len(data))
			crc.Write([]byte(data))
			adler.Write([]byte(data))
		}
	}
	add(head, 1)
	if filler != "" {
		chunk := strings.Repeat(filler, max(min(chunkSize, size)/len(filler), 1))
		add(chunk, max(size/len(chunk), 1))
	}
	add(tail, 1)
	s.deflated = append(s.deflated, 3, 0) // an empty last block
	s.crc32, s.adler32 = crc.Sum32(), adler.Sum32()
	return s
}

var packedChunks sync.Map // by their data

// pack compresses data so that more can follow.
func pack(data string) []byte {
	if packed, ok := packedChunks.Load(data); ok {
		return packed.([]byte)
	}
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression)
	w.Write([]byte(data))
	w.Flush() // ends on a byte, without an end of the stream
	packedChunks.Store(data, packed.Bytes())
	return packed.Bytes()
}

// nested returns content within n pairs of begin and end.
func nested(begin, content, end string, n int) string {
	return strings.Repeat(begin, n) + content + strings.Repeat(end, n)
}

const (
	mega = 1 << 20
	many = 100_000
)
