//go:build ignore

// Command gen generates the table of industry codes of package enrich from the data
// set that NOTICE names. Run it from the root of the module with the directory that
// holds naics_2012.csv (code, description):
//
//	go run internal/enrich/gen/main.go DIRECTORY
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gen DIRECTORY")
	}
	file, err := os.Open(filepath.Join(os.Args[1], "naics_2012.csv"))
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		log.Fatal(err)
	}
	var lines []string
	for _, row := range rows[1:] {
		code, title := strings.TrimSpace(row[0]), strings.ReplaceAll(strings.TrimSpace(row[1]), "’", "'")
		if code != "" && title != "" {
			lines = append(lines, code+"\t"+title)
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	var b bytes.Buffer
	packer, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := packer.Write([]byte(strings.Join(lines, "\n"))); err != nil {
		log.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		log.Fatal(err)
	}
	path := filepath.Join("internal", "enrich", "tables", "naics.txt.gz")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(path, len(lines), "lines,", b.Len(), "bytes")
}
