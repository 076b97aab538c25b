package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestFilesAreUpToDate compares the files in examples/ with what this program
// writes.
func TestFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	for _, document := range documents {
		want, err := document.make()
		if err != nil {
			t.Fatalf("%s: %v", document.name, err)
		}
		got, err := os.ReadFile(filepath.Join("..", document.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go run ./examples/make", document.name)
		}
	}
}
