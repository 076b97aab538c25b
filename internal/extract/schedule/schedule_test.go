package schedule_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy.example/internal/document/content"
	"understudy.example/internal/extract/list"
	"understudy.example/internal/extract/schedule"
)

// types are simple parsers: dates as YYYY-MM-DD, amounts with a dollar sign.
var types = list.Types{
	Date: func(text string) (string, bool) {
		_, err := time.Parse(time.DateOnly, text)
		return text, err == nil
	},
	Money: func(text string) (string, bool) {
		sum, ok := strings.CutPrefix(text, "$")
		return sum + ".00", ok
	},
	Missing: func(text string) bool { return text == "" || text == "n/a" },
}

func table(rows ...string) schedule.Block {
	t := &content.Table{}
	for _, row := range rows {
		var cells []content.Cell
		for text := range strings.SplitSeq(row, "|") {
			cells = append(cells, content.Cell{Text: strings.TrimSpace(text)})
		}
		t.Rows = append(t.Rows, cells)
	}
	return schedule.Block{Table: t}
}

// TestTables compares the lists in tables: the kind of each entry, and some of its values.
func TestTables(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		blocks []schedule.Block
		list   string
		fields []string
		want   [][]string
	}{
		{
			"vehicles, with totals",
			[]schedule.Block{table(
				"Unit | Year | Make | Model | VIN | Cost new",
				"1 | 2021 | Kenworth | T680 | 1XKYD49X0MJ448201 | $118,000",
				"2 | 2019 | Peterbilt | 579 | 1XPBD49X1KD610045 | $87,250",
				"Total | | | | | $205,250")},
			"vehicles",
			[]string{"year", "make", "vin"},
			[][]string{{"2021", "Kenworth", "1XKYD49X0MJ448201"}, {"2019", "Peterbilt", "1XPBD49X1KD610045"}},
		},
		{
			"claims below a repeated header",
			[]schedule.Block{table(
				"Claim number | Date of loss | Cause | Paid | Reserve",
				"C-1 | 2024-02-11 | Freeze | $88,400 | $0",
				"Claim number | Date of loss | Cause | Paid | Reserve",
				"C-2 | 2025-06-03 | Hail | $131,000 | $5,000")},
			"claim_history",
			[]string{"claim_number", "date_of_loss"},
			[][]string{{"C-1", "2024-02-11"}, {"C-2", "2025-06-03"}},
		},
		{
			"columns that no list has",
			[]schedule.Block{table("Question | Yes | No", "Is the roof new? | x | ", "Is it dry? | | x")},
			"vehicles",
			[]string{"vin"},
			nil,
		},
		{
			"rows of a statement of values",
			[]schedule.Block{table("Location | Address | City | Building", "1 | 5 Dock Road | Portland | $400,000", "2 | 6 Quay Street | Portland | $900,000")},
			"vehicles",
			[]string{"vin"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got [][]string
			for _, e := range schedule.Read(test.blocks, types).Entries {
				if e.List != test.list {
					t.Errorf("got an entry of %s: %v", e.List, e.Values)
					continue
				}
				var values []string
				for _, f := range test.fields {
					values = append(values, e.Values[f])
				}
				got = append(got, values)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestDeductibles compares the deductibles in labels and in tables of coverages.
func TestDeductibles(t *testing.T) {
	t.Parallel()
	blocks := []schedule.Block{
		{Label: "Flood deductible", Value: "$25000"},
		{Label: "Deductible applies per claim", Value: "$1"},
		table("Coverage | Limit | Deductible", "Crime | $500000 | $5000", "Cyber | $100000 | n/a"),
	}
	var got []string
	for _, v := range schedule.Read(blocks, types).Values {
		if v.Field == "deductible" {
			got = append(got, v.Text)
		}
	}
	if diff := cmp.Diff([]string{"Flood: 25000.00", "Crime: 5000.00"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestOnlyRulers checks that lines that are only rulers are searched for the rows of a table
// once. Otherwise the test would take hours.
func TestOnlyRulers(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"|---|---|", "--\t--\t---", "---   ---   ---"} {
		blocks := slices.Repeat([]schedule.Block{{Text: line}}, 200_000)
		done := make(chan schedule.Result, 1)
		go func() { done <- schedule.Read(blocks, types) }()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%d lines %q were not searched within a minute", len(blocks), line)
		}
	}
}
