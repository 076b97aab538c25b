package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"understudy.example/internal/extract"
	"understudy.example/internal/extract/grade"
	"understudy.example/internal/server"
	"understudy.example/internal/worker"
)

// extractCommand is `server extract`.
type extractCommand struct {
	Files []string `arg:"" name:"file" help:"Documents to extract, or directories. All files in a directory and its subdirectories are extracted, except hidden ones."`
	JSON  bool     `name:"json" help:"Print one JSON object per file."`
	Score string   `placeholder:"TRUTH.json" help:"Compare the extracted values with those in this file, and print precision and recall for each field instead of the values."`

	Explain bool `help:"Print the results of each stage of the extraction instead of the values: observations, tables, and for each field the candidates with their probabilities, and why they were given or not."`

	server.WorkerLimits `embed:""`
}

// Help describes the command and the format of the truth file.
func (extractCommand) Help() string {
	return `Extracts documents as the server does, without a database. It prints each value with a score from 0 to 1 and the place where it was found. The exit status is 1 if a file cannot be read.

--explain prints a line for each observation of the layout, for each table that was recognised as a statement of values, and for each text that was a candidate for a field. The line of a candidate ends with the features that determined its probability, for example "label" or "quoted". It reads the documents in this process, without the limits that the flags set.

For --score, TRUTH.json contains the values that the documents state, by file name:

  {"a.pdf": {"facts": {"company_name": "Foxglove Bakery LLC"},
             "options": {"product": ["Property"]},
             "locations": {"count": 20, "sum_building_value": "9800000.00",
                           "rows": [{"location_city": "Springfield"}]},
             "not":  {"company_name": ["Quill Brokers"]},
             "also": {"facts.company_name": ["Foxglove Bakery"]},
             "soft": {"locations.rows[0].construction_type": ["4"]}}}

"rows" may contain only the first rows; they are matched by address, then by position. "not" lists values that are always wrong, "also" lists other correct values, and "soft" lists values that do not count as errors. A value is correct if it contains the stated one, compared by lower-case letters and digits. Amounts and numbers are compared by value, phone numbers by their last nine digits, periods in months, states and countries by code or name. For products, coverages and constructions the stated words must occur. Values of fields that TRUTH.json does not mention are counted as "other".`
}

// Run extracts the files and prints the result.
func (c extractCommand) Run(ctx context.Context) error {
	files, err := worker.ListFiles(c.Files)
	if err != nil {
		return err
	}
	if c.Explain {
		return explain(ctx, files)
	}
	workers, err := c.Pool(runtime.NumCPU(), worker.NewPool)
	if err != nil {
		return err
	}
	defer workers.Close()
	show, finish, err := c.printer()
	if err != nil {
		return err
	}
	read, failed := 0, 0
	for file := range workers.ExtractFiles(ctx, files) {
		read++
		printProgress(read, len(files))
		if file.Err != nil {
			failed++
			fmt.Fprintf(stderr, "%s: %v\n", file.Path, file.Err)
		}
		if err := show(file); err != nil {
			return err
		}
	}
	if err := finish(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d files could not be read", failed, len(files))
	}
	return ctx.Err()
}

// printer returns two functions: show prints the result of a file, and finish is
// called after the last file.
func (c extractCommand) printer() (show func(worker.File) error, finish func() error, err error) {
	finish = func() error { return nil }
	switch {
	case c.Score != "":
		return c.scorer()
	case c.JSON:
		return printJSON, finish, nil
	}
	return printTable, finish, nil
}

// scorer returns a printer that compares the extractions with the truth.
func (c extractCommand) scorer() (show func(worker.File) error, finish func() error, err error) {
	text, err := os.ReadFile(c.Score)
	if err != nil {
		return nil, nil, err
	}
	var truth grade.Truth
	if err := json.Unmarshal(text, &truth); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.Score, err)
	}
	tally := grade.Tally{}
	show = func(file worker.File) error {
		name := filepath.Base(file.Path)
		document, known := truth[name]
		if !known {
			fmt.Fprintf(os.Stderr, "%s: not in %s\n", file.Path, c.Score)
			return nil
		}
		e := file.Extraction
		if e == nil {
			e = &extract.Extraction{}
		}
		facts, options, locations := grade.WithDerived(e.Facts, e.Options, e.Locations)
		tally.Add(name, document, facts, options, locations)
		return nil
	}
	return show, func() error { return tally.Write(os.Stdout) }, nil
}

func printJSON(file worker.File) error {
	line := struct {
		File       string              `json:"file"`
		Failure    string              `json:"failure"`
		Extraction *extract.Extraction `json:"extraction"`
	}{File: file.Path, Extraction: file.Extraction}
	if file.Err != nil {
		line.Failure, line.Extraction = file.Err.Error(), nil
	}
	return json.NewEncoder(os.Stdout).Encode(line)
}

func printTable(file worker.File) error {
	if file.Err != nil {
		return nil
	}
	fmt.Fprintf(stdout, "%s, read in %.2f s\n", file.Path, file.Duration.Seconds())
	return file.Extraction.WriteTable(stdout)
}

// printProgress prints the number of files that are done, if there are many: on a
// terminal in one line, otherwise ten times in all.
func printProgress(done, of int) {
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
