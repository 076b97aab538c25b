package conform

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"understudy.example/internal/fidelity"
	"understudy.example/internal/junit"
)

// Report is the result of a run.
type Report struct {
	Target string // the base URL of the deployment
	Checks []Check
}

// Check is the result of one comparison. Part and Name together are unique in a
// report.
type Check struct {
	Part     string // the part of the run, such as "token"
	Name     string
	Label    fidelity.Label // how certain the expectation is
	Expected string
	Got      string
	Agrees   bool
	Skipped  bool // the check could not be made; Got says why
}

// outcome returns the result as one word.
func (c Check) outcome() string {
	switch {
	case c.Skipped:
		return "skipped"
	case c.Agrees:
		return "agrees"
	}
	return "DIFFERS"
}

// Differences returns the number of checks that differ. Skipped checks do not
// count.
func (r *Report) Differences() int {
	n := 0
	for _, c := range r.Checks {
		if !c.Agrees && !c.Skipped {
			n++
		}
	}
	return n
}

// WriteTable writes the checks as a table, followed by the full texts of those
// that differ and a summary line.
func (r *Report) WriteTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RESULT\tLABEL\tPART\tCHECK\tEXPECTED\tGOT")
	for _, c := range r.Checks {
		fmt.Fprintln(table, strings.Join([]string{c.outcome(), string(c.Label), c.Part, c.Name, cell(c.Expected), cell(c.Got)}, "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	counts := map[string]int{}
	for _, c := range r.Checks {
		counts[c.outcome()]++
		if c.outcome() != "DIFFERS" {
			continue
		}
		fmt.Fprintf(out, "\n%s: %s (%s)\n  expected  %s\n  got       %s\n", c.Part, c.Name, c.Label, flat(c.Expected), flat(c.Got))
	}
	_, err := fmt.Fprintf(out, "\n%s: %d checks, %d agree, %d differ, %d skipped\n", r.Target, len(r.Checks), counts["agrees"], counts["DIFFERS"], counts["skipped"])
	return err
}

// flat returns the text on one line, shortened.
func flat(text string) string {
	return shorten(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, text))
}

// cell returns the text as a cell of the table: at most 60 characters, and "-"
// for an empty text.
func cell(text string) string {
	const maxLength = 60
	if text == "" {
		return "-"
	}
	runes := []rune(flat(text))
	if len(runes) > maxLength {
		return string(runes[:maxLength-1]) + "…"
	}
	return string(runes)
}

// WriteJUnit writes the checks as a JUnit XML report with the timestamp now.
func (r *Report) WriteJUnit(out io.Writer, now time.Time) error {
	cases := make([]junit.Case, len(r.Checks))
	for i, c := range r.Checks {
		cases[i] = junit.Case{Class: "conform." + c.Part + "." + string(c.Label), Name: c.Name}
		switch c.outcome() {
		case "DIFFERS":
			cases[i].Failure = &junit.Detail{Summary: "expected " + flat(c.Expected), Text: fmt.Sprintf("expected %s\ngot      %s\n", c.Expected, c.Got)}
		case "skipped":
			cases[i].Skipped = &junit.Detail{Summary: c.Got}
		}
	}
	return junit.Write(out, "conform "+r.Target, now, cases)
}
