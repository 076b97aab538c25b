package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCurrent holds the files in examples/ to what this program writes.
func TestCurrent(t *testing.T) {
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
			t.Errorf("%s is not what `go run ./examples/make` writes", document.name)
		}
	}
}
