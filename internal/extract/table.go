package extract

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"understudy.example/internal/field"
)

// WriteTable writes the extraction as tables for people: the notes on its parts,
// then each value with its score and its place.
func (e *Extraction) WriteTable(w io.Writer) error {
	for _, part := range e.Parts {
		if part.Note != "" {
			fmt.Fprintf(w, "  %s: %s\n", part.Name, part.Note)
		}
	}
	if len(e.Facts)+len(e.Options)+len(e.Locations) == 0 {
		fmt.Fprintln(w, "  nothing about insurance")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	section := func(title string, values []field.Value) {
		if len(values) == 0 {
			return
		}
		fmt.Fprintf(table, "\n%s\tVALUE\tSCORE\tWHERE\n", title)
		for _, value := range values {
			fmt.Fprintf(table, "%s\t%s\t%.2f\t%s\n", value.Field, strings.Join(strings.Fields(value.Text), " "), value.Score, value.Evidence)
		}
		table.Flush()
	}
	section("COMPANY", e.Facts)
	section("POLICY", e.Options)
	for i, row := range e.Locations {
		section(fmt.Sprintf("LOCATION %d", i+1), row)
	}
	_, err := fmt.Fprintln(w)
	return errors.Join(table.Flush(), err)
}
