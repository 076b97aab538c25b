// Command table measures the table of docs/performance.md: the cost of calls of a
// server, compared with bare handlers and, if they are installed, with other servers.
//
//	make bench                  # all rows, some minutes
//	make bench ONLY=status      # one row
//
// The candidates are separate processes and run alternately on one machine, so that its
// other work affects all of them. Each number is the median of the rounds, followed by
// its quartiles.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// rows are the rows of the table in their order.
var rows = []struct {
	name, title string
	measure     func(ctx context.Context, m *machine) error
}{
	{"status", "Status", status},
	{"data", "Company data, version 2", company},
	{"refused", "Refused call", refused},
	{"submission", "Submission", submissions},
	{"upload", "Upload", uploads},
	{"journal", "Journal", journal},
	{"idle", "Idle memory", idle},
	{"start", "Start", start},
	{"scale", "Many submissions", scale},
}

func main() {
	only := flag.String("only", "", "name of the only row to measure")
	server := flag.String("server", "", "binary of the server; built if empty")
	rounds := flag.Int("rounds", 7, "runs of each candidate")
	duration := flag.Duration("duration", 2*time.Second, "time of each run")
	bare := flag.String("bare", "", "serve the bare handlers with the database at this URL; used by the command itself")
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	if *bare != "" {
		fmt.Fprintln(os.Stderr, serveBare(*bare))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, *only, *server, *rounds, *duration); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func measure(ctx context.Context, only, binary string, rounds int, duration time.Duration) error {
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
	fmt.Printf("%s, %d CPUs, %s, %d rounds of %s\n", time.Now().Format("2006-01-02"), runtime.NumCPU(), runtime.Version(), rounds, duration)
	var names []string
	for _, row := range rows {
		names = append(names, row.name)
		if only != "" && row.name != only {
			continue
		}
		fmt.Printf("\n### %s\n", row.title)
		if err := row.measure(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
		if only != "" {
			return nil
		}
	}
	if only != "" {
		return fmt.Errorf("there is no row %q: choose one of %s", only, strings.Join(names, ", "))
	}
	return nil
}
