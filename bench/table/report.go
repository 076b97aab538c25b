package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// report prints the results of the rows, and collects them for the documentation.
type report struct {
	details bytes.Buffer
	goals   []string // lines of the table
	missed  []error  // rows that could not be measured
}

func (r *report) printf(format string, values ...any) {
	fmt.Fprintf(io.MultiWriter(os.Stdout, &r.details), format, values...)
}

// atLeast and atMost add a line to the summary: a number, its goal, and whether the median of
// the measurements reaches it.
func (r *report) atLeast(goal float64, what string, measured []float64, decimals int) {
	r.goal(what, spread(measured, decimals), fmt.Sprintf("≥ %g", goal), quantile(measured, 0.5) >= goal)
}

func (r *report) atMost(goal float64, what string, measured []float64, decimals int) {
	r.goal(what, spread(measured, decimals), fmt.Sprintf("≤ %g", goal), quantile(measured, 0.5) <= goal)
}

func (r *report) goal(what, measured, goal string, holds bool) {
	verdict := "no"
	if holds {
		verdict = "yes"
	}
	r.goals = append(r.goals, fmt.Sprintf("| %s | %s | %s | %s |\n", what, measured, goal, verdict))
}

// text returns the summary and the details in Markdown.
func (r *report) text(machine string) string {
	return fmt.Sprintf("%s\n\n| Goal | Measured | Wanted | Holds |\n|---|---|---|---|\n%s%s", machine, strings.Join(r.goals, ""), r.details.String())
}

// write replaces the text between the markers in the file.
func (r *report) write(path, machine string) error {
	const begin, end = "<!-- written by make bench WRITE=1 -->\n", "<!-- end of the results -->\n"
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(document), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return errors.New(path + " lacks the two comments that enclose the results: add them")
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+r.text(machine)+"\n"+end+after), 0o644)
}

// describe returns a line with the date, the commit, the machine and the settings.
func (m *machine) describe(ctx context.Context) (string, error) {
	var version string
	if err := m.db.QueryRow(ctx, "select split_part(version(), ' ', 2)").Scan(&version); err != nil {
		return "", err
	}
	cpu := runtime.GOARCH
	information, _ := os.ReadFile("/proc/cpuinfo")
	if found := regexp.MustCompile(`model name\s*: (.+)`).FindSubmatch(information); found != nil {
		cpu = string(found[1])
	}
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	return fmt.Sprintf("Measured on %s at commit %s: %d cores (%s), %s, PostgreSQL %s with `fsync` on, %d rounds of %s.",
		time.Now().Format("2006-01-02"), bytes.TrimSpace(commit), runtime.NumCPU(), cpu, runtime.Version(), version, m.rounds, m.duration), nil
}
