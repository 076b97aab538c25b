package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"understudy.example/internal/enrich"
	"understudy.example/internal/extract"
	"understudy.example/internal/extract/grade"
	"understudy.example/internal/field"
	"understudy.example/internal/worker"
)

// extractFiles is the command that shows what is read in documents.
type extractFiles struct {
	Files []string `arg:"" name:"file" help:"Documents to read; of a directory, all files in it and below, except hidden ones."`
	JSON  bool     `name:"json" help:"Print one JSON object per file."`
	Score string   `placeholder:"TRUTH.json" help:"Print how much of what the documents state was read rightly, by field, in place of what was read."`
}

// Help describes the truth file.
func (extractFiles) Help() string {
	return `Reads documents as the server does, without a database, and prints what they state, with a score from 0 to 1 and the place of each value. Exits with 1 when a file can't be read.

TRUTH.json, for --score, says what documents state, by file name:

  {"a.pdf": {"facts": {"company_name": "Foxglove Bakery LLC"},
             "options": {"product": ["Property"]},
             "locations": {"count": 20, "sum_building_value": "9800000.00",
                           "rows": [{"location_city": "Springfield"}]},
             "not":  {"company_name": ["Quill Brokers"]},
             "also": {"facts.company_name": ["Foxglove Bakery"]},
             "soft": {"locations.rows[0].construction_type": ["4"]}}}

Rows may be the first few only; they are matched by address, then by order. "not" lists values that are mistakes wherever they are given, "also" further right ones, "soft" values that are no error. A value is right when it contains the stated one, compared by letters and digits in lower case; amounts and numbers are compared as such, phones by their last nine digits, periods in months, states and countries by code or name; of products, coverages and constructions the stated words are looked for. What the truth is silent about is counted as "other" and not judged.`
}

// localFile is an open file that knows its size.
type localFile struct {
	*os.File
	size int64
}

func (f localFile) Size() int64 { return f.size }

// readFile is what became of one file.
type readFile struct {
	path       string
	extraction *extract.Extraction
	err        error
	took       time.Duration
}

// Run reads the files and prints what they state.
func (c extractFiles) Run(ctx context.Context, config *Config) error {
	var err error
	if c.Files, err = walk(c.Files); err != nil {
		return err
	}
	readers, err := config.readers(runtime.NumCPU())
	if err != nil {
		return err
	}
	defer readers.Close()
	var truth grade.Truth
	if c.Score != "" {
		text, err := os.ReadFile(c.Score)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &truth); err != nil {
			return fmt.Errorf("%s: %w", c.Score, err)
		}
	}
	tally := grade.Tally{}
	failed := 0
	for done := range c.readAll(ctx, readers) {
		if done.err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%s: %v\n", done.path, done.err)
			done.extraction = &extract.Extraction{}
		}
		name := filepath.Base(done.path)
		var err error
		switch document, known := truth[name]; {
		case c.Score != "" && !known:
			fmt.Fprintf(os.Stderr, "%s: not in %s\n", done.path, c.Score)
		case c.Score != "":
			e := followed(done.extraction)
			tally.Add(name, document, e.Facts, e.Options, e.Locations)
		case c.JSON:
			err = printJSON(os.Stdout, done)
		case done.err == nil:
			err = printTable(os.Stdout, done)
		}
		if err != nil {
			return err
		}
	}
	if c.Score != "" {
		if err := tally.Write(os.Stdout); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d files could not be read", failed, len(c.Files))
	}
	return ctx.Err()
}

// walk lists the files, and those in directories in the order of their names.
// What does not exist stays, to be told of in its turn.
func walk(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(inside string, entry fs.DirEntry, err error) error {
			hidden := inside != path && strings.HasPrefix(entry.Name(), ".")
			switch {
			case err != nil:
				return err
			case hidden && entry.IsDir():
				return fs.SkipDir
			case !hidden && entry.Type().IsRegular():
				files = append(files, inside)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no files there")
	}
	return files, nil
}

// readAll reads the files, several at once, and yields them in order.
func (c extractFiles) readAll(ctx context.Context, readers *worker.Pool) func(yield func(readFile) bool) {
	return func(yield func(readFile) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ready := make([]chan readFile, len(c.Files))
		for i := range ready {
			ready[i] = make(chan readFile, 1)
		}
		next := make(chan int)
		go func() {
			defer close(next)
			for i := range c.Files {
				select {
				case next <- i:
				case <-ctx.Done():
					return
				}
			}
		}()
		for range min(runtime.NumCPU(), len(c.Files)) {
			go func() {
				for i := range next {
					ready[i] <- readOne(ctx, readers, c.Files[i])
				}
			}()
		}
		for i := range ready {
			select {
			case done := <-ready[i]:
				progress(i+1, len(ready))
				if !yield(done) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

func readOne(ctx context.Context, readers *worker.Pool, path string) readFile {
	begin := time.Now()
	extraction, err := func() (*extract.Extraction, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, errors.New("not a file")
		}
		return readers.Extract(ctx, filepath.Base(path), localFile{file, info.Size()})
	}()
	return readFile{path, extraction, err, time.Since(begin)}
}

// progress says on a terminal how many files are done; where there is none, it
// says so now and then.
func progress(done, of int) {
	const many = 10
	if of < many {
		return
	}
	info, err := os.Stderr.Stat()
	switch terminal := err == nil && info.Mode()&os.ModeCharDevice != 0; {
	case terminal && done < of:
		fmt.Fprintf(os.Stderr, "\r%d of %d files\x1b[K", done, of)
	case terminal:
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	case done*many/of > (done-1)*many/of:
		fmt.Fprintf(os.Stderr, "%d of %d files\n", done, of)
	}
}

// followed adds what follows from the values read, as an answer of the API
// shows it: the parts of addresses, and countries. It leaves out estimates.
func followed(e *extract.Extraction) *extract.Extraction {
	report := enrich.Enrich(enrich.Input{Facts: e.Facts, Options: e.Options, Locations: e.Locations, Today: time.Now()})
	full := &extract.Extraction{
		Facts:     follow(e.Facts, report.Facts, "city", "state", "postal_code", "country"),
		Options:   follow(e.Options, report.Options, "risk_country", "broker_city", "broker_state", "broker_postal_code"),
		Locations: make([][]field.Value, len(e.Locations)),
	}
	for i, row := range e.Locations {
		full.Locations[i] = row
		if i < len(report.Locations) {
			full.Locations[i] = follow(row, report.Locations[i].Facts,
				"location_city", "location_state", "location_postal_code", "location_country")
		}
	}
	return full
}

func follow(read []field.Value, record enrich.Record, names ...string) []field.Value {
	given := map[string]bool{}
	for _, value := range read {
		given[value.Field] = true
	}
	for _, name := range names {
		if text, _ := record.Values[name].(string); text != "" && !given[name] {
			read = append(read, field.Value{Field: name, Text: text, Score: record.Scores[name], Evidence: "follows from others"})
		}
	}
	return read
}

func printJSON(w io.Writer, done readFile) error {
	answer := struct {
		File       string              `json:"file"`
		Failure    string              `json:"failure"`
		Extraction *extract.Extraction `json:"extraction"`
	}{File: done.path, Extraction: done.extraction}
	if done.err != nil {
		answer.Failure, answer.Extraction = done.err.Error(), nil
	}
	return json.NewEncoder(w).Encode(answer)
}

// printTable prints what was read in one file.
func printTable(w io.Writer, done readFile) error {
	e := done.extraction
	fmt.Fprintf(w, "%s, read in %.2f s\n", done.path, done.took.Seconds())
	for _, part := range e.Parts {
		if part.Note != "" {
			fmt.Fprintf(w, "  %s: %s\n", part.Name, part.Note)
		}
	}
	if len(e.Facts)+len(e.Options)+len(e.Locations) == 0 {
		fmt.Fprintln(w, "  nothing about insurance")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	print := func(title string, values []field.Value) {
		if len(values) == 0 {
			return
		}
		fmt.Fprintf(table, "\n%s\tVALUE\tSCORE\tWHERE\n", title)
		for _, value := range values {
			fmt.Fprintf(table, "%s\t%s\t%.2f\t%s\n", value.Field, strings.Join(strings.Fields(value.Text), " "), value.Score, value.Evidence)
		}
		table.Flush()
	}
	print("COMPANY", e.Facts)
	print("POLICY", e.Options)
	for i, row := range e.Locations {
		print(fmt.Sprintf("LOCATION %d", i+1), row)
	}
	_, err := fmt.Fprintln(w)
	return errors.Join(table.Flush(), err)
}
