package extract_test

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"understudy.example/internal/extract"
	"understudy.example/internal/extract/generate"
	"understudy.example/internal/extract/grade"
)

// generatedPerFamily is, for each family, the number of documents with labels of the
// vocabulary alone, and also the number of documents with other labels.
const generatedPerFamily = 14

// TestGenerated extracts generated documents and compares the values with their truth. The
// floors are a few points below the measured values. To see the misses, write the documents with
// `go run ./internal/extract/generate/documents` and grade them with `server extract --score`.
func TestGenerated(t *testing.T) {
	t.Parallel()
	type key struct {
		family  string
		heldOut bool
	}
	tallies := map[key]*grade.Tally{}
	families := generate.Families()
	for i := range 2 * generatedPerFamily * len(families) {
		d := generate.New(1, i)
		e, err := extract.Extract(t.Context(), d.Name, strings.NewReader(d.Content), int64(len(d.Content)))
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		facts, options, locations := grade.WithDerived(e.Facts, e.Options, e.Locations)
		for _, family := range []string{d.Family, "all"} {
			k := key{family, d.HeldOut}
			if tallies[k] == nil {
				tallies[k] = &grade.Tally{}
			}
			tallies[k].Add(d.Name, d.Truth, facts, options, locations)
		}
	}

	groups := []string{"facts", "options", "locations.rows", "location values"}
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "family\t%s\t\n", strings.Join(groups, "\t"))
	for _, heldOut := range []bool{false, true} {
		for _, family := range append(families, "all") {
			fmt.Fprintf(table, "%s%s\t", family, map[bool]string{true: ", held-out labels"}[heldOut])
			for _, group := range groups {
				cell := "-"
				if c := tallies[key{family, heldOut}].Sum(group); c.Stated > 0 {
					cell = fmt.Sprintf("%.0f %.0f", 100*c.Precision(), 100*c.Recall())
				}
				fmt.Fprintf(table, "%s\t", cell)
			}
			fmt.Fprintln(table)
		}
	}
	table.Flush()
	t.Logf("precision and recall in percent\n%s", out.String())

	for _, floor := range []struct {
		heldOut           bool
		group             string
		precision, recall float64
	}{
		{false, "facts", 0.97, 0.93},
		{false, "options", 0.97, 0.91},
		{false, "locations.rows", 0.97, 0.97},
		{false, "location values", 0.97, 0.96},
		{true, "facts", 0.95, 0.64},
		{true, "options", 0.93, 0.72},
		{true, "locations.rows", 0.95, 0.83},
		{true, "location values", 0.96, 0.62},
	} {
		got := tallies[key{"all", floor.heldOut}].Sum(floor.group)
		if got.Precision() < floor.precision || got.Recall() < floor.recall {
			t.Errorf("%s, held-out labels %v: precision %.3f, recall %.3f of %d values, want at least %.2f and %.2f",
				floor.group, floor.heldOut, got.Precision(), got.Recall(), got.Stated, floor.precision, floor.recall)
		}
	}
}
