// Command fit fits the weights with which extraction rates values to labelled documents. It
// also measures how well the weights work for documents of makers that they were not fitted
// to: it fits the weights again up to 20 times, each time without the documents of some makers.
//
//	go run ./internal/extract/fit [-write] [-generated DIR]... DIR...
//
// A directory holds documents, and their truth in DIR/truth.json or DIR.json, in the format
// that `server extract --help` describes. The part of a file name before "__" is the maker of
// the document. Without -write, the command only measures. The order of the directories and
// the number of cores do not change the result.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"understudy.example/internal/extract/resolve"
)

// table is the table that -write replaces.
const table = "internal/extract/resolve/model.tsv"

func main() {
	var generated []string
	write := flag.Bool("write", false, "replace "+table+", in the current directory's module")
	flag.Func("generated", "`directory` of generated documents: they count little for the weights, and not at all for the thresholds and the figures", func(dir string) error {
		generated = append(generated, dir)
		return nil
	})
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: fit [-write] [-generated DIR]... DIR...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, os.Stderr, flag.Args(), generated, *write); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

// run extracts the documents, fits, prints the figures, and writes the table if wanted. It writes
// its progress to progress.
func run(ctx context.Context, out, progress io.Writer, dirs, generated []string, write bool) error {
	documents, err := load(ctx, dirs, false)
	if err != nil {
		return err
	}
	invented, err := load(ctx, generated, true)
	if err != nil {
		return err
	}
	documents = append(documents, invented...)
	slices.SortFunc(documents, func(a, b *document) int { return compareNames(a, b) })

	fmt.Fprintf(progress, "fitting to %d documents\n", len(documents))
	model := train(documents, nil)
	folds := leaveOut(documents, progress)
	model.Thresholds = thresholds(documents, folds)
	for _, m := range folds {
		m.Thresholds = model.Thresholds
	}
	fmt.Fprintf(out, "%d documents of %d makers\n", len(documents), len(folds))
	fitted := measure(documents, func(*document) *resolve.Model { return model })
	left := measure(documents, func(d *document) *resolve.Model { return folds[d.maker] })
	if err := printFigures(out, fitted, left); err != nil {
		return err
	}
	if !write {
		return nil
	}
	file, err := os.Create(filepath.FromSlash(table))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := model.Write(file); err != nil {
		return err
	}
	return file.Close()
}
