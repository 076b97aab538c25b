// Command make writes the example documents, of invented companies, the same
// bytes each time:
//
//	go run ./examples/make
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// made is the time that the documents bear: nothing here depends on the clock.
var made = time.Date(2026, time.March, 2, 15, 5, 0, 0, time.UTC)

// documents are the examples by file name.
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
