package extract_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy.example/internal/extract"
	"understudy.example/internal/extract/grade"
)

// TestMakers extracts the documents of testdata/makers and compares the values with
// testdata/makers.json. All documents are invented. They imitate the different
// wordings and layouts of brokers, carriers and insureds; a file name begins with the name of
// the maker. The floors are a few points below the measured values, so that a change that
// helps one document and hurts many is noticed.
func TestMakers(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/makers.json")
	if err != nil {
		t.Fatal(err)
	}
	var truth grade.Truth
	if err := json.Unmarshal(content, &truth); err != nil {
		t.Fatal(err)
	}
	tally := grade.Tally{}
	for name, stated := range truth {
		document, err := os.ReadFile(filepath.Join("testdata/makers", name))
		if err != nil {
			t.Fatal(err)
		}
		e, err := extract.Extract(t.Context(), name, bytes.NewReader(document), int64(len(document)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		facts, options, locations := grade.WithDerived(e.Facts, e.Options, e.Locations)
		tally.Add(name, stated, facts, options, locations)
	}
	groups := map[string]grade.Count{}
	for path, count := range tally.Counts {
		group, _, _ := strings.Cut(path, ".")
		sum := groups[group]
		sum.Stated, sum.Right, sum.Wrong = sum.Stated+count.Stated, sum.Right+count.Right, sum.Wrong+count.Wrong
		groups[group] = sum
	}
	for _, floor := range []struct {
		group             string
		precision, recall float64
	}{
		{"facts", 0.98, 0.93}, {"options", 0.97, 0.91}, {"locations", 0.98, 0.94},
	} {
		got := groups[floor.group]
		t.Logf("%s: precision %.3f, recall %.3f of %d values", floor.group, got.Precision(), got.Recall(), got.Stated)
		if got.Precision() < floor.precision || got.Recall() < floor.recall {
			t.Errorf("%s: precision %.3f, recall %.3f, want at least %.2f and %.2f", floor.group, got.Precision(), got.Recall(), floor.precision, floor.recall)
		}
	}
}
