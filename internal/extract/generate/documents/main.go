// Command documents writes generated documents and truth.json, with which
// `server extract --score` grades them.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"understudy.example/internal/extract/generate"
	"understudy.example/internal/extract/grade"
)

func main() {
	n := flag.Int("n", 140, "number of documents")
	seed := flag.Uint64("seed", 1, "seed: the same seed gives the same documents")
	directory := flag.String("o", "", "directory to write to; required")
	only := flag.String("family", "", "write documents of this family only; -n counts the others too")
	heldOut := flag.String("heldout", "", "write only documents with (yes) or without (no) labels that the vocabulary does not have")
	flag.Parse()
	if err := write(*directory, *seed, *n, *only, *heldOut); err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

func write(directory string, seed uint64, n int, only, heldOut string) error {
	if directory == "" {
		return fmt.Errorf("-o is missing: name a directory for the documents")
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	truth := grade.Truth{}
	for i := range n {
		d := generate.New(seed, i)
		if only != "" && d.Family != only || heldOut != "" && d.HeldOut != (heldOut == "yes") {
			continue
		}
		truth[d.Name] = d.Truth
		if err := os.WriteFile(filepath.Join(directory, d.Name), []byte(d.Content), 0o644); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(truth, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, "truth.json"), text, 0o644)
}
