package grade

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// Write prints the misses, then precision and recall of each field, of groups of
// fields, and of all fields together. In groups, each value has the same weight.
func (t *Tally) Write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	slices.SortStableFunc(t.Misses, func(a, b Miss) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Field, b.Field))
	})
	if len(t.Misses) > 0 {
		fmt.Fprintln(table, "FILE\tFIELD\tSTATED\tREAD\tWHERE")
	}
	for _, miss := range t.Misses {
		stated := shorten(miss.Stated)
		if miss.Stated == "" {
			stated = "(known mistake)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", miss.File, miss.Field, stated, shorten(miss.Extracted), miss.Where)
	}
	if len(t.Misses) > 0 {
		fmt.Fprintln(table)
		if err := table.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(table, "FIELD\tSTATED\tRIGHT\tWRONG\tMISSED\tOTHER\tPRECISION\tRECALL")
	line := func(name string, c Count) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", name, c.Stated, c.Right, c.Wrong, c.Missed, c.Other,
			percent(c.Right+c.Wrong, c.Precision()), percent(c.Stated, c.Recall()))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Counts)) {
		line(name, t.Counts[name])
	}
	fmt.Fprintln(table, "\t\t\t\t\t\t\t")
	for _, group := range []string{"facts", "options", "locations.rows", "location values", "all"} {
		line(group, t.Sum(group))
	}
	return table.Flush()
}

// Sum returns the sum of the counts of a group of fields: facts, options,
// locations.rows, location values, or all.
func (t *Tally) Sum(group string) (sum Count) {
	for name, c := range t.Counts {
		member := strings.HasPrefix(name, group+".") || name == group || group == "all"
		if group == "location values" {
			member = strings.HasPrefix(name, "locations.") && name != "locations.rows"
		}
		if member {
			sum = sum.Plus(c)
		}
	}
	return sum
}

func percent(total int, share float64) string {
	if total == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// shorten puts a value on one line of at most 60 characters.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return text
}
