package archive_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

func TestZip(t *testing.T) {
	inner := documenttest.Zip(t, "deep/Notes.TXT", "inner text")
	file := documenttest.Zip(t, "__MACOSX/._a", "x", "folder/", "", "../../etc/Sites.csv", "a,b\n1,2\n", "a.png", "\x89PNG\r\n\x1a\n", "more.zip", inner, `win\dows.txt`, "text")
	var got strings.Builder
	for _, p := range documenttest.MustRead(t, "a.zip", file) {
		fmt.Fprintf(&got, "%d %s %s %d %s\n", p.Depth, p.Name, p.Format, len(p.Blocks), p.Cause)
	}
	want := "0 a.zip zip 0 \n1 Sites.csv csv 1 \n1 a.png  0 unsupported\n1 more.zip zip 0 \n2 Notes.TXT txt 1 \n1 dows.txt txt 1 \n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestUnreadableZip(t *testing.T) {
	encrypted := bytes.ReplaceAll([]byte(documenttest.Zip(t, "a.txt", "text")), []byte("PK\x01\x02\x14\x00\x14\x00\x08"), []byte("PK\x01\x02\x14\x00\x14\x00\x09"))
	tests := []struct {
		name, data, note string
		cause            content.Cause
	}{
		{"password", string(encrypted), "a.txt: password protected", content.Password},
		{"no documents", documenttest.Zip(t, "a.png", "\x89PNG\r\n\x1a\n"), "a.png: image: not supported", content.Unsupported},
		{"a size that cannot be true", withSize(documenttest.Zip(t, "a.txt", "text"), 1<<31), "a.txt: damaged file in a zip archive", content.Damaged},
		{"too much", documenttest.Zip(t, "a.txt", strings.Repeat("a\n", 12<<20)), "a.txt: too large when unpacked: not read", content.Limit},
	}
	for _, tt := range tests {
		if note, cause := documenttest.Outcome(t, "a.zip", tt.data); note != tt.note || cause != tt.cause {
			t.Errorf("%s: got %q %q, want %q %q", tt.name, note, cause, tt.note, tt.cause)
		}
	}
	nested := documenttest.Zip(t, "a.txt", "text")
	for range content.MaxDepth + 1 {
		nested = documenttest.Zip(t, "a.zip", nested)
	}
	if note, cause := documenttest.Outcome(t, "a.zip", nested); cause != content.Limit {
		t.Errorf("nested: got %q %q, want cause %q", note, cause, content.Limit)
	}
}

// withSize returns the archive with a changed size of its only file in the directory.
func withSize(archive string, size uint32) string {
	data := []byte(archive)
	const offset = 24 // in the entry of the directory
	binary.LittleEndian.PutUint32(data[bytes.Index(data, []byte("PK\x01\x02"))+offset:], size)
	return string(data)
}

func FuzzZip(f *testing.F) {
	f.Add(documenttest.Zip(f, "a.txt", "text", "b.csv", "a,b\n1,2\n"))
	f.Add(documenttest.Zip(f, "a.zip", documenttest.Zip(f, "b.zip", documenttest.Zip(f, "c.txt", "text"))))
	f.Add(documenttest.Zip(f, "word/document.xml", "<w:p><w:r><w:t>a</w:t></w:r></w:p>", "xl/workbook.xml", "<workbook/>", "mimetype", "x"))
	f.Fuzz(func(t *testing.T, data string) { documenttest.Check(t, "a.zip", data) })
}
