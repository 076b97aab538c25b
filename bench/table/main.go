// Command table measures the table of docs/performance.md: the cost of calls of a
// server, compared with bare handlers and, if they are installed, with other servers.
//
//	make bench                  # all rows, some minutes
//	make bench ONLY=status      # one row
//	make bench WRITE=1          # all rows, and writes them to docs/performance.md
//
// The candidates are separate processes and run alternately on one machine, so that its
// other work affects all of them. Each number is the median of the rounds, followed by
// its quartiles.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

type row struct {
	name, title string
	measure     func(ctx context.Context, m *machine) error
}

// rows are the rows of the table in their order.
var rows = []row{
	{"status", "Status", status},
	{"data", "Company data, version 2", company},
	{"refused", "Refused call", refused},
	{"submission", "Submission", submissions},
	{"upload", "Upload", uploads},
	{"journal", "Journal", journal},
	{"idle", "Idle memory", idle},
	{"start", "Start", start},
	{"deliveries", "Webhook deliveries", deliveries},
	{"servers", "Several servers", servers},
	{"scale", "Many submissions", scale},
}

func main() {
	only := flag.String("only", "", "name of the only row to measure")
	server := flag.String("server", "", "binary of the server; built if empty")
	rounds := flag.Int("rounds", 7, "runs of each candidate")
	duration := flag.Duration("duration", 1500*time.Millisecond, "time of each run")
	write := flag.String("write", "", "Markdown file in which the results are replaced")
	bare := flag.String("bare", "", "serve the bare handlers with the database at this URL; used by the command itself")
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	if *bare != "" {
		fmt.Fprintln(os.Stderr, serveBare(*bare))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, *only, *server, *write, *rounds, *duration); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func measure(ctx context.Context, only, binary, write string, rounds int, duration time.Duration) error {
	selected := rows
	if only != "" {
		at := slices.IndexFunc(rows, func(r row) bool { return r.name == only })
		if at < 0 {
			return fmt.Errorf("unknown row %q: docs/performance.md lists the rows", only)
		}
		selected = rows[at : at+1]
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		binary = filepath.Join(dir, "server")
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/server")
		build.Dir, build.Stderr = "..", os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the server: %w", err)
		}
	}
	m, err := newMachine(ctx, dir, binary)
	if m != nil {
		defer m.close()
	}
	if err != nil {
		return err
	}
	m.rounds, m.duration = rounds, duration
	about, err := m.describe(ctx)
	if err != nil {
		return err
	}
	for _, row := range selected {
		m.printf("\n### %s\n", row.title)
		if err := row.measure(ctx, m); err != nil { // continue with the other rows
			err = fmt.Errorf("%s: %w", row.name, err)
			m.printf("\nNot measured: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
			m.missed = append(m.missed, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fmt.Printf("\n%s\n\n%s", about, strings.Join(m.goals, ""))
	if write != "" {
		m.missed = append(m.missed, m.write(write, about))
	}
	return errors.Join(m.missed...)
}
