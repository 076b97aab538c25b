// Command make writes the example documents, which are about fictitious
// companies. Its output is the same, byte for byte, each time:
//
//	go run ./examples/make
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// documentTime is the creation time in the documents. It is fixed, so that the
// documents do not depend on the clock.
var documentTime = time.Date(2026, time.March, 2, 15, 5, 0, 0, time.UTC)

// documents are the example files and the functions that generate them.
var documents = []struct {
	name string
	make func() ([]byte, error)
}{
	{"submission.eml", submission},
	{"application.pdf", application},
	{"letter.docx", letter},
}

func main() {
	for _, document := range documents {
		content, err := document.make()
		if err == nil {
			err = os.WriteFile(filepath.Join("examples", document.name), content, 0o644)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "make %s: %v\n", document.name, err)
			os.Exit(1)
		}
	}
}
