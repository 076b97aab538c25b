package archive_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy.example/internal/document/archive"
	"understudy.example/internal/document/content"
	"understudy.example/internal/document/documenttest"
)

func TestZipBomb(t *testing.T) {
	packed := documenttest.Zip(t, "large.txt", strings.Repeat("x", 9<<20))
	left := int64(1 << 20)
	z, err := archive.Open(&content.File{Part: &content.Part{}, Data: strings.NewReader(packed), Size: int64(len(packed)), Unzip: &left})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(z.Bytes("large.txt", 1<<30)); n != 1<<20 || left != 0 {
		t.Errorf("unpacked %d bytes with %d left, want %d with 0 left", n, left, 1<<20)
	}
	const entries = 10_001
	many := make([]string, 0, 2*entries)
	for i := range entries {
		many = append(many, fmt.Sprint("xl/", i), "")
	}
	if _, err := documenttest.Read(t, "a.xlsx", documenttest.Zip(t, many...)); err == nil {
		t.Error("an archive with too many entries was read")
	}
}
