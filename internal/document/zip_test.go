package document

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestZip(t *testing.T) {
	inner := zipped(t, "deep/Notes.TXT", "inner text")
	file := zipped(t, "__MACOSX/._a", "x", "folder/", "", "../../etc/Sites.csv", "a,b\n1,2\n", "a.png", "\x89PNG\r\n\x1a\n", "more.zip", inner, `win\dows.txt`, "text")
	var got strings.Builder
	for _, p := range mustRead(t, "a.zip", file) {
		fmt.Fprintf(&got, "%d %s %s %d %s\n", p.Depth, p.Name, p.Format, len(p.Blocks), p.Cause)
	}
	want := "0 a.zip zip 0 \n1 Sites.csv csv 1 \n1 a.png  0 unsupported\n1 more.zip zip 0 \n2 Notes.TXT txt 1 \n1 dows.txt txt 1 \n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestZipStates(t *testing.T) {
	locked := bytes.ReplaceAll([]byte(zipped(t, "a.txt", "text")), []byte("PK\x01\x02\x14\x00\x14\x00\x08"), []byte("PK\x01\x02\x14\x00\x14\x00\x09"))
	tests := []struct {
		name, content, note string
		cause               Cause
	}{
		{"password", string(locked), "a.txt: password protected", Password},
		{"no documents", zipped(t, "a.png", "\x89PNG\r\n\x1a\n"), "a.png: image: not supported", Unsupported},
		{"too much", zipped(t, "a.txt", strings.Repeat("a\n", 12<<20)), "a.txt: unpacks to too much: not read", Limit},
	}
	for _, tt := range tests {
		parts, err := document(t, "a.zip", tt.content)
		note, cause := reasonOf(parts, err)
		if note != tt.note || cause != tt.cause {
			t.Errorf("%s: %q %q, want %q %q", tt.name, note, cause, tt.note, tt.cause)
		}
	}
	nested := zipped(t, "a.txt", "text")
	for range maxDepth + 1 {
		nested = zipped(t, "a.zip", nested)
	}
	if note, cause := reasonOf(document(t, "a.zip", nested)); cause != Limit {
		t.Errorf("nested: %q %q", note, cause)
	}
}
