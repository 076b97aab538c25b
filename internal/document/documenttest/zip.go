package documenttest

import (
	"archive/zip"
	"bytes"
	"testing"
)

// Zip makes a ZIP archive from pairs of a name and a content.
func Zip(t testing.TB, pairs ...string) string {
	t.Helper()
	archive, err := Archive(pairs...)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// Archive is Zip outside a test.
func Archive(pairs ...string) (string, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i])
		if err == nil {
			_, err = w.Write([]byte(pairs[i+1]))
		}
		if err != nil {
			return "", err
		}
	}
	err := z.Close()
	return b.String(), err
}
