// Command pdfwords compares the text that the reader extracts from PDF files with that of
// poppler's pdftotext, and with an earlier version of the reader:
//
//	cd bench && go run ./pdfwords FILE-OR-DIRECTORY...
//	git stash; go run ./pdfwords -save /tmp/before DIRECTORY; git stash pop
//	go run ./pdfwords -compare /tmp/before DIRECTORY
//
// It prints, for all files with at least 20 words, the recall (the share of pdftotext's words
// that the reader finds) and the precision (the share of the reader's words that pdftotext
// has). -save writes the blocks of each file; -compare prints the blocks that differ from
// saved ones. pdftotext is in the package poppler-utils of Debian.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"understudy.example/internal/document"
	"understudy.example/internal/document/content"
)

func main() {
	save := flag.String("save", "", "write the blocks of each file to this `directory`")
	compare := flag.String("compare", "", "print the blocks that differ from those saved in this `directory`")
	each := flag.Bool("each", false, "print recall and precision of each file")
	flag.Parse()
	if err := run(*save, *compare, *each, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pdfwords:", err)
		os.Exit(1)
	}
}

func run(save, compare string, each bool, paths []string) error {
	files, err := pdfsIn(paths)
	if err != nil {
		return err
	}
	if save != "" {
		if err := os.MkdirAll(save, 0o755); err != nil {
			return err
		}
	}
	var sum counts
	compared := 0
	for _, file := range files {
		blocks, err := blocksOf(file)
		if err != nil {
			fmt.Printf("%s: %v\n", file, err)
		}
		if save != "" {
			if err := os.WriteFile(saved(save, file), lines(blocks), 0o644); err != nil {
				return err
			}
		}
		if compare != "" {
			if err := printDifferences(saved(compare, file), file, lines(blocks)); err != nil {
				return err
			}
		}
		reference, err := exec.Command("pdftotext", file, "-").Output()
		if err != nil {
			continue // damaged, or with a password
		}
		c := count(wordsOf(string(reference)), wordsOf(text(blocks)))
		if c.reference < minWords {
			continue
		}
		if each {
			fmt.Printf("%s: recall %.4f, precision %.4f\n", file, c.recall(), c.precision())
		}
		compared++
		sum.reference, sum.found, sum.common = sum.reference+c.reference, sum.found+c.found, sum.common+c.common
	}
	fmt.Printf("%d files with at least %d words: recall %.4f, precision %.4f\n", compared, minWords, sum.recall(), sum.precision())
	return nil
}

const minWords = 20

// pdfsIn returns the PDF files among the paths and in the directories among them.
func pdfsIn(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.EqualFold(filepath.Ext(path), ".pdf") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// blocksOf returns the blocks of the file itself, without its attachments.
func blocksOf(file string) ([]content.Block, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parts, err := document.Read(context.Background(), filepath.Base(file), bytes.NewReader(data), int64(len(data)))
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	return parts[0].Blocks, nil
}

func text(blocks []content.Block) string {
	var out strings.Builder
	for _, b := range blocks {
		out.WriteString(b.Text + " " + b.Value + "\n")
		if b.Table == nil {
			continue
		}
		for _, row := range b.Table.Rows {
			for _, c := range row {
				out.WriteString(c.Text + "\n")
			}
		}
	}
	return out.String()
}

// lines returns one line of JSON per block.
func lines(blocks []content.Block) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	for _, b := range blocks {
		if err := encoder.Encode(b); err != nil {
			panic(err) // blocks have only texts and numbers
		}
	}
	return out.Bytes()
}

func saved(dir, file string) string {
	return filepath.Join(dir, strings.ReplaceAll(filepath.Clean(file), string(filepath.Separator), "_")+".blocks")
}

// printDifferences prints the differences as diff does.
func printDifferences(before, file string, now []byte) error {
	diff := exec.Command("diff", before, "-")
	diff.Stdin, diff.Stderr = bytes.NewReader(now), os.Stderr
	out, err := diff.Output()
	if diff.ProcessState == nil || diff.ProcessState.ExitCode() > 1 {
		return fmt.Errorf("compare with %s: %w", before, err)
	}
	if len(out) > 0 {
		fmt.Printf("%s:\n%s", file, out)
	}
	return nil
}

type counts struct{ reference, found, common int }

func (c counts) recall() float64    { return float64(c.common) / float64(max(c.reference, 1)) }
func (c counts) precision() float64 { return float64(c.common) / float64(max(c.found, 1)) }

var word = regexp.MustCompile(`[\pL\d_]+`)

// wordsOf returns how often each word occurs.
func wordsOf(text string) map[string]int {
	words := map[string]int{}
	for _, w := range word.FindAllString(text, -1) {
		words[w]++
	}
	return words
}

func count(reference, found map[string]int) counts {
	var c counts
	for w, n := range reference {
		c.reference += n
		c.common += min(n, found[w])
	}
	for _, n := range found {
		c.found += n
	}
	return c
}
