package object

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// withContainer returns a document with a cross-reference stream, of which object 4 is in
// container 3.
func withContainer() string {
	text := "%PDF-1.7\n"
	offsets := make([]int, 4)
	for i, o := range []string{catalog, pages, stream("/Type/ObjStm/N 2/First 8", "7 0 4 2 1 (inside)")} {
		offsets[i+1] = len(text)
		text += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	var table strings.Builder
	table.WriteString("\x00\x00\x00\x00")
	for _, offset := range offsets[1:] {
		table.WriteString(string([]byte{1, byte(offset >> 8), byte(offset), 0}))
	}
	table.WriteString("\x02\x00\x03\x01")
	return text + fmt.Sprintf("5 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", stream("/Type/XRef/W[1 2 1]/Size 5/Root 1 0 R", table.String()), len(text))
}

// hybrid returns a document whose table says that object 3 is free, and whose
// cross-reference stream has it.
func hybrid() string {
	text := "%PDF-1.7\n"
	var offsets [6]int
	add := func(number int, o string) {
		offsets[number] = len(text)
		text += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", number, o)
	}
	add(1, catalog)
	add(2, pages)
	add(3, "(hidden)")
	add(4, stream("/Type/XRef/W[1 2 1]/Index[3 1]/Size 4", string([]byte{1, byte(offsets[3] >> 8), byte(offsets[3]), 0})))
	start := len(text)
	text += "xref\n0 5\n0000000000 65535 f \n"
	for _, number := range []int{1, 2, 0, 4} {
		used := "n"
		if number == 0 {
			used = "f"
		}
		text += fmt.Sprintf("%010d 00000 %s \n", offsets[number], used)
	}
	return text + fmt.Sprintf("trailer\n<</Size 5/Root 1 0 R/XRefStm %d>>\nstartxref\n%d\n%%%%EOF\n", offsets[4], start)
}

// updated returns a document with an update that replaces object 3 and deletes object 4.
func updated() string {
	text := build("", catalog, pages, "(old)", "(deleted)")
	previous := strings.LastIndex(text, "xref\n0")
	object := len(text)
	text += "3 0 obj\n(new)\nendobj\n"
	start := len(text)
	return text + fmt.Sprintf("xref\n3 2\n%010d 00000 n \n0000000000 00001 f \ntrailer\n<</Size 5/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", object, previous, start)
}

// TestTables reads documents whose objects are found in different ways. The rebuilt ones
// have damaged tables.
func TestTables(t *testing.T) {
	plain := build("", catalog, pages, "(three)")
	moved := strings.Replace(plain, "1 0 obj", "%%%%\n1 0 obj", 1)
	tests := []struct {
		name, document string
		number         int
		want           string
		rebuilt        bool
	}{
		{"table", plain, 3, "three", false},
		{"stream", withContainer(), 4, "inside", false},
		{"hybrid", hybrid(), 3, "hidden", false},
		{"update", updated(), 3, "new", false},
		{"deleted", updated(), 4, "", false},
		{"bytes before the header", "HTTP/1.1 200 OK\r\n\r\n" + plain, 3, "three", false},
		{"a table that counts from 1", strings.Replace(plain, "xref\n0 ", "xref\n1 ", 1), 3, "three", false},
		{"a table that is shorter than it says", strings.Replace(plain, "xref\n0 4", "xref\n0 9", 1), 3, "three", false},
		{"its own previous table", strings.Replace(plain, "/Root", fmt.Sprintf("/Prev %d/Root", strings.LastIndex(plain, "xref\n0")), 1), 3, "three", false},
		{"a generation", strings.Replace(plain, "3 0 obj", "3 7 obj", 1), 3, "three", false},
		{"an object of the wrong number", strings.Replace(plain, "3 0 obj", "8 0 obj", 1), 3, "", true},
		{"wrong offsets", moved, 3, "three", true},
		{"a start beyond the file", strings.Replace(plain, "startxref\n", "startxref\n9", 1), 3, "three", true},
		{"no start", strings.Replace(plain, "startxref", "", 1), 3, "three", true},
		{"no table and no trailer", plain[:strings.LastIndex(plain, "xref\n0")], 3, "three", true},
		{"container without a table", strings.Replace(withContainer(), "startxref", "", 1), 4, "inside", true},
		{"update without tables", strings.ReplaceAll(updated(), "xref", ""), 3, "new", true},
		{"a container with a damaged head", strings.Replace(build("", catalog, pages, "(three)", stream("/Type/ObjStm/N 3/First 12", "7 0 x 3 3 0 (garbage)")), "startxref\n", "startxref\n9", 1), 3, "three", true},
		{"cut in the last object", plain[:strings.Index(plain, "ee)")], 3, "thr", true},
	}
	for _, tt := range tests {
		f := open(t, tt.document)
		got, _ := f.Resolve(Ref{Number: tt.number}).(String)
		if string(got) != tt.want || f.rebuilt != tt.rebuilt {
			t.Errorf("%s: got %q, rebuilt %v, want %q, %v", tt.name, got, f.rebuilt, tt.want, tt.rebuilt)
		}
	}
}

// TestRebuildSkipsStreams checks that a document within a stream does not replace the
// objects of the document around it.
func TestRebuildSkipsStreams(t *testing.T) {
	inner := build("", catalog, pages, "(inner)")
	f := open(t, strings.Replace(build("", catalog, pages, "(outer)", stream("", inner)), "startxref\n", "startxref\n9", 2))
	if s, _ := f.Resolve(Ref{Number: 3}).(String); string(s) != "outer" || !f.rebuilt {
		t.Errorf("got %q", s)
	}
}

func TestDamagedBeyondRepair(t *testing.T) {
	for _, document := range []string{"", "%PDF-1.7\n", build("", "1 0 R"), build("", "<</Pages 1>>"), strings.Repeat("1 0 obj<</Length 9 0 R>>stream\n", 1000)} {
		if _, err := Open([]byte(document)); !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v", err)
		}
	}
}

func TestFind(t *testing.T) {
	f := open(t, build("", catalog, pages, "<</Type/Page/A 1>>", "<</Type 6 0 R/A 2>>", "(text)", "/Page"))
	if got := fmt.Sprint(f.Find("Page")); got != "[{3 0} {4 0}]" {
		t.Errorf("got %s", got)
	}
	if open(t, build("", catalog, pages)).CutShort() || !open(t, "1 0 obj"+catalog+"endobj 2 0 obj"+pages).CutShort() {
		t.Error("CutShort is wrong")
	}
}

// cycles returns a document whose objects refer to themselves.
func cycles() string {
	return build("", catalog, pages,
		"<</Length 3 0 R/Filter 3 0 R>>\nstream\nitself\nendstream",
		"5 0 R", "4 0 R",
		"<</Length 7 0 R>>\nstream\nsixth\nendstream",
		"<</Length 6 0 R>>\nstream\nseventh\nendstream",
		stream("/Type/ObjStm/N 9 0 R/First 9 0 R", "9 0 4"),
	)
}

func TestCycles(t *testing.T) {
	f := open(t, cycles())
	for number, want := range map[int]string{3: "itself", 6: "sixth", 7: "seventh"} {
		if got := decoded(t, f, number); got != want {
			t.Errorf("stream %d: got %q, want %q", number, got, want)
		}
	}
	if o := f.Resolve(Ref{Number: 4}); o != nil {
		t.Errorf("a cycle of references is %v", o)
	}
	f.entries[9] = entry{kind: inContainer, at: 8}
	if o := f.Resolve(Ref{Number: 9}); o != nil {
		t.Errorf("an object that its container needs is %v", o)
	}
}

// TestChains checks that a long chain of containers, each needed to read the one before,
// ends.
func TestChains(t *testing.T) {
	objects := []string{catalog, pages}
	for i := range 1000 {
		objects = append(objects, fmt.Sprintf("<</Type/ObjStm/N 1/First %d 0 R>>\nstream\n%d 0 5\nendstream", 5000+i+1, 5000+i))
	}
	f := open(t, build("", objects...))
	for i := range 1000 {
		f.entries[5000+i] = entry{kind: inContainer, at: 3 + i}
	}
	if o := f.Resolve(Ref{Number: 5000}); o != nil {
		t.Errorf("got %v", o)
	}
}
