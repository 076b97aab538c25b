package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// printFigures prints the figures of the model that was fitted to all documents, and those
// of the models that were fitted without the maker of each document.
func printFigures(w io.Writer, fitted, left figures) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	groups := slices.Sorted(maps.Keys(left.counts))
	fmt.Fprintln(table, "\nGROUP\tSTATED\tPRECISION\tRECALL\tBRIER\tERROR\tMAKER LEFT OUT:\tPRECISION\tRECALL\tBRIER\tERROR\t")
	for _, group := range groups {
		fmt.Fprintf(table, "%s\t%d\t", group, left.counts[group].Stated)
		for i, f := range []figures{fitted, left} {
			if i == 1 {
				fmt.Fprint(table, "\t")
			}
			c := f.counts[group]
			_, calibrationError := reliability(f.given[group])
			fmt.Fprintf(table, "%.1f %%\t%.1f %%\t%.3f\t%.3f\t", 100*c.Precision(), 100*c.Recall(), brier(f.given[group]), calibrationError)
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nReliability with the maker left out: of the given values in a range of probabilities, their number, mean probability and share right.")
	for _, group := range groups {
		bins, _ := reliability(left.given[group])
		if len(bins) == 0 {
			continue
		}
		fmt.Fprint(table, group, "\t")
		for _, b := range bins {
			fmt.Fprintf(table, "%.2f–%.2f: %.0f, %.2f, %.2f\t", b.from, b.to, b.weight, b.mean, b.right)
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nStated values that are not given, by the stage that lost them, with the maker left out; WRONG counts values given instead or too many.")
	fmt.Fprint(table, "GROUP\t")
	for _, stage := range stages {
		fmt.Fprint(table, stage, "\t")
	}
	fmt.Fprintln(table, "WRONG\t")
	for _, group := range groups {
		fmt.Fprint(table, group, "\t")
		for _, stage := range stages {
			fmt.Fprint(table, left.misses[group][stage], "\t")
		}
		fmt.Fprint(table, left.counts[group].Wrong, "\t\n")
	}
	return table.Flush()
}
