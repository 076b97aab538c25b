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

// Write prints what was missed, then precision and recall by field, of groups
// of fields, and of all: there each value counts the same.
func (t *Tally) Write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	slices.SortStableFunc(t.Misses, func(a, b Miss) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Field, b.Field))
	})
	if len(t.Misses) > 0 {
		fmt.Fprintln(table, "FILE\tFIELD\tSTATED\tREAD\tWHERE")
	}
	for _, miss := range t.Misses {
		stated := short(miss.Stated)
		if miss.Stated == "" {
			stated = "(known mistake)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", miss.File, miss.Field, stated, short(miss.Read), miss.Where)
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

// Sum counts over the fields of a group: facts, options, locations.rows,
// location values, or all.
func (t *Tally) Sum(group string) (sum Count) {
	for name, c := range t.Counts {
		in := strings.HasPrefix(name, group+".") || name == group || group == "all"
		if group == "location values" {
			in = strings.HasPrefix(name, "locations.") && name != "locations.rows"
		}
		if in {
			sum = sum.plus(c)
		}
	}
	return sum
}

func percent(of int, share float64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// short keeps a value to one readable cell.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return text
}
