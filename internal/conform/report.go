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

// Report is what a run has seen.
type Report struct {
	Target string
	Checks []Check
}

// Check is one thing that was compared.
type Check struct {
	Part     string
	Name     string
	Label    fidelity.Label // how sure the expectation is
	Expected string
	Got      string
	Agrees   bool
	Skipped  bool // it could not be tried; Got says why
}

// outcome is the check's result in a word.
func (c Check) outcome() string {
	switch {
	case c.Skipped:
		return "skipped"
	case c.Agrees:
		return "agrees"
	}
	return "DIFFERS"
}

// Differs tells how many checks do not agree.
func (r *Report) Differs() int {
	n := 0
	for _, c := range r.Checks {
		if !c.Agrees && !c.Skipped {
			n++
		}
	}
	return n
}

// Table writes all checks for people, what differs once more at the end.
func (r *Report) Table(out io.Writer) error {
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

// flat is the text on one line.
func flat(text string) string {
	return shorten(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, text))
}

// cell is the text as a column holds it.
func cell(text string) string {
	const most = 60
	if text == "" {
		return "-"
	}
	runes := []rune(flat(text))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// JUnit writes the checks as a test report.
func (r *Report) JUnit(out io.Writer, now time.Time) error {
	cases := make([]junit.Case, len(r.Checks))
	for i, c := range r.Checks {
		cases[i] = junit.Case{Class: "conform." + c.Part + "." + string(c.Label), Name: c.Name}
		switch c.outcome() {
		case "DIFFERS":
			cases[i].Failure = &junit.Message{Line: "expected " + flat(c.Expected), Text: fmt.Sprintf("expected %s\ngot      %s\n", c.Expected, c.Got)}
		case "skipped":
			cases[i].Skipped = &junit.Message{Line: c.Got}
		}
	}
	return junit.Write(out, "conform "+r.Target, now, cases)
}
