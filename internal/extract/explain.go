package extract

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"understudy.example/internal/extract/candidate"
	"understudy.example/internal/extract/observe"
	"understudy.example/internal/extract/resolve"
	"understudy.example/internal/extract/words"
)

// kindNames are the names of the kinds of observations.
var kindNames = map[observe.Kind]string{observe.Text: "text", observe.Heading: "heading", observe.Item: "item", observe.Pair: "label"}

// maxDropped limits the texts that are shown for a field.
const maxDropped = 10

// WriteTable writes the stages of an extraction for people: what was observed, the tables
// that were recognised, and for each field the texts that were considered, with the reason
// why they are given or not.
func (t *Trace) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\nOBSERVATIONS\tTEXT\tFIELD\tWHERE\n")
	for _, o := range t.Observations {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", kindNames[o.Kind], excerpt(o.Text), o.Field, o.Evidence)
	}
	observed := table.Flush()
	fmt.Fprint(table, "\nTABLES\tLOCATIONS\tCOLUMNS\n")
	for _, s := range t.Tables {
		fmt.Fprintf(table, "%s\t%d\t%s\n", s.Evidence, s.Rows, excerpt(strings.Join(s.Columns, "; ")))
	}
	return errors.Join(observed, table.Flush(), t.writeCandidates(table))
}

// writeCandidates writes the values and the dropped texts of each field.
func (t *Trace) writeCandidates(table *tabwriter.Writer) error {
	dropped := map[string][]candidate.Dropped{}
	for _, d := range t.Dropped {
		dropped[d.Field] = append(dropped[d.Field], d)
	}
	decided := resolve.Fitted.Decide(resolve.Fitted.Values(t.Candidates))
	names := slices.Sorted(maps.Keys(decided))
	for _, name := range slices.Sorted(maps.Keys(dropped)) {
		if decided[name] == nil {
			names = append(names, name)
		}
	}
	fmt.Fprint(table, "\nCANDIDATES\tPROBABILITY\tVALUE\tWHERE\tREASON\n")
	for _, name := range names {
		for i, v := range decided[name] {
			fmt.Fprintf(table, "%s\t%.2f\t%s\t%s\t%s; %s\n", name, v.Probability, excerpt(v.Text), v.Reading.Evidence, outcome(decided[name], i), v.Features)
		}
		for _, d := range dropped[name][:min(len(dropped[name]), maxDropped)] {
			fmt.Fprintf(table, "%s\t-\t%s\t%s\tdropped: %s\n", name, excerpt(d.Text), d.Evidence, d.Rule)
		}
		if more := len(dropped[name]) - maxDropped; more > 0 {
			fmt.Fprintf(table, "%s\t-\t%d more\t\tdropped\n", name, more)
		}
	}
	return table.Flush()
}

// outcome says whether a value of a field is given, and if not, why.
func outcome(values []resolve.Value, i int) string {
	threshold := resolve.Fitted.Threshold(values[i].Group)
	switch {
	case values[i].Given:
		return "given"
	case values[i].Probability < threshold:
		return fmt.Sprintf("below the threshold %.2f", threshold)
	}
	return "another value or field is more probable"
}

// excerpt puts a text on one line of at most 60 characters.
func excerpt(text string) string {
	runes := []rune(words.OneLine(text))
	if len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return string(runes)
}
