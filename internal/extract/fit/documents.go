package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"understudy.example/internal/extract"
	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/grade"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/field"
)

// document is a labelled document and what was found in it.
type document struct {
	name, maker string
	generated   bool
	truth       grade.Document
	extraction  *extract.Extraction
	readings    []resolve.Reading // for facts and options
	dropped     []candidate.Dropped
	cells       []cell
}

// cell is a value of a location.
type cell struct {
	resolve.Reading
	verdict grade.Verdict
}

func compareNames(a, b *document) int { return cmp.Compare(a.name, b.name) }

// load extracts the documents of the directories, two at a time. Documents without a truth
// and documents that cannot be read are left out.
func load(ctx context.Context, dirs []string, generated bool) ([]*document, error) {
	var documents []*document
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for _, dir := range dirs {
		truth, err := readTruth(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(truth)) {
			maker, _, _ := strings.Cut(name, "__")
			d := &document{name: name, maker: maker, generated: generated, truth: truth[name]}
			documents = append(documents, d)
			group.Go(func() error { return d.extract(ctx, filepath.Join(dir, name)) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(documents, func(d *document) bool { return d.extraction == nil }), nil
}

func readTruth(dir string) (truth grade.Truth, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "truth.json"))
	if os.IsNotExist(err) {
		text, err = os.ReadFile(filepath.Clean(dir) + ".json")
	}
	if err != nil {
		return nil, fmt.Errorf("no truth of %s: %w", dir, err)
	}
	if err := json.Unmarshal(text, &truth); err != nil {
		return nil, fmt.Errorf("truth of %s: %w", dir, err)
	}
	return truth, nil
}

func (d *document) extract(ctx context.Context, path string) error {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	e, trace, err := extract.Explain(ctx, d.name, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
		return ctx.Err()
	}
	d.extraction, d.readings, d.dropped = e, trace.Candidates, trace.Dropped
	for i, verdicts := range d.truth.JudgeLocations(e.Locations) {
		for n, v := range e.Locations[i] {
			r, known := trace.Cells[field.Value{Field: v.Field, Text: v.Text, Evidence: v.Evidence}]
			if known && verdicts[n] != grade.Neither {
				d.cells = append(d.cells, cell{r, verdicts[n]})
			}
		}
	}
	return nil
}

// sections holds the section of the truth of each field of facts and options.
var sections = func() map[string]string {
	m := map[string]string{}
	for section, tables := range map[string][][]field.Field{
		"facts": {field.Facts, field.Report, field.MoreFacts}, "options": {field.Options, field.MoreOptions},
	} {
		for _, table := range tables {
			for _, f := range table {
				m[f.Name] = section
			}
		}
	}
	return m
}()

// rightLists returns the list fields of which one of the values is right.
func (d *document) rightLists(values []resolve.Value) map[string]bool {
	found := map[string]bool{}
	for _, v := range values {
		if v.List && d.judge(v.Reading) == grade.Right {
			found[v.Field] = true
		}
	}
	return found
}

// judge compares a value with the truth.
func (d *document) judge(r resolve.Reading) grade.Verdict {
	if sections[r.Field] == "" {
		return grade.Neither
	}
	return d.truth.Judge(sections[r.Field], r.Field, r.Text)
}
