package object

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// build returns a document of objects, numbered from 1, of which the first is the
// catalog. trailer is added to its trailer.
func build(trailer string, objects ...string) string {
	var text, table strings.Builder
	text.WriteString("%PDF-1.7\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", text.Len())
		fmt.Fprintf(&text, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start, size := text.Len(), len(objects)+1
	fmt.Fprintf(&text, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", size, &table, size, trailer, start)
	return text.String()
}

// Objects that each document has.
const (
	catalog = "<</Type/Catalog/Pages 2 0 R>>"
	pages   = "<</Type/Pages/Kids[]/Count 0>>"
)

// stream returns a stream object.
func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func open(t *testing.T, data string) *File {
	t.Helper()
	f, err := Open([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// decoded returns the data of the stream with a number.
func decoded(t *testing.T, f *File, number int) string {
	t.Helper()
	s, ok := f.Resolve(Ref{Number: number}).(*Stream)
	if !ok {
		t.Fatalf("object %d is %v, want a stream", number, f.Resolve(Ref{Number: number}))
	}
	data, _, err := f.Decode(s, 1<<20)
	if err != nil {
		t.Errorf("stream %d: %v", number, err)
	}
	return string(data)
}

// readAll reads all objects of a document, and the data of all streams.
func readAll(data []byte) {
	f, err := Open(data)
	if err != nil {
		return
	}
	_ = f.Catalog()
	for _, number := range slices.Sorted(maps.Keys(f.entries)) {
		if s, ok := f.Resolve(Ref{Number: number}).(*Stream); ok {
			_, _, _ = f.Decode(s, 1<<20)
		}
	}
	_ = f.Find("Page")
	_, _ = f.Limited(), f.CutShort()
}

func FuzzFile(f *testing.F) {
	for _, r := range revisions {
		f.Add([]byte(r.document()))
	}
	f.Add([]byte(withContainer()))
	f.Add([]byte(hybrid()))
	f.Add([]byte(updated()))
	f.Add([]byte(cycles()))
	f.Add([]byte(strings.Replace(withContainer(), "startxref", "", 1)))
	f.Add([]byte(build("", catalog, pages, stream("/Filter[/A85/LZW/RL]/DecodeParms[null<</Predictor 12/Columns 4>>]", "87cURD]i,\"Ebo80~>"))))
	f.Fuzz(func(_ *testing.T, data []byte) { readAll(data) })
}
