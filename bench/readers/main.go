// Command readers measures how clients that read large reports affect other tenants.
//
//	cd bench && go run ./readers
//
// It starts a server with a private PostgreSQL, submits a statement of values with
// 10,000 rows as the tenant acme, and polls a status as the tenant globex: first alone,
// which is the baseline, then while 60 clients of acme read the locations as fast as
// they can, then while they read slowly, and then while 100 clients disconnect before
// the response. For each situation it prints the largest memory of the server process
// (the workers that parse documents and PostgreSQL excepted) and the latency of the
// polls. With -server it measures another binary, such as that of an older version.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// pollers is the number of clients of globex that poll at the same time.
const pollers = 4

// pollPause is the pause of each of them after a poll.
const pollPause = 10 * time.Millisecond

func main() {
	binary := flag.String("server", "", "binary of the server; empty builds it")
	readers := flag.Int("readers", 60, "number of clients that read at once")
	hangUps := flag.Int("hang-ups", 100, "number of clients that disconnect before the response")
	rows := flag.Int("rows", 10_000, "rows of the statement of values")
	slow := flag.Int("slow", 256<<10, "bytes per second of a client that reads slowly")
	phase := flag.Duration("phase", 12*time.Second, "duration of each measurement")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := measure(ctx, *binary, *readers, *hangUps, *rows, *slow, *phase); err != nil {
		fmt.Fprintln(os.Stderr, "readers:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, binary string, readers, hangUps, rows, slow int, phase time.Duration) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		binary = filepath.Join(dir, "server")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "understudy.example/cmd/server").CombinedOutput(); err != nil {
			return fmt.Errorf("build the server: %w\n%s", err, out)
		}
	}
	s, err := startServer(ctx, binary)
	if err != nil {
		return err
	}
	defer s.stop()
	acme, err := s.login(ctx, "acme")
	if err != nil {
		return err
	}
	globex, err := s.login(ctx, "globex")
	if err != nil {
		return err
	}
	file := statementOfValues(rows)
	large, err := acme.submit(ctx, "large.csv", file)
	if err != nil {
		return err
	}
	small, err := globex.submit(ctx, "small.txt", []byte("Insured: Foxglove Bakery LLC\n"))
	if err != nil {
		return err
	}
	path := "/data/v2/acme-us-l0001/" + large + "?idType=sov"
	size, status, err := acme.read(ctx, path, 0)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("read the locations: status %d", status)
	}
	fmt.Printf("a file of %d KB with %d rows, a response of %.1f MB\n\n", len(file)>>10, rows, float64(size)/1e6)
	fmt.Printf("%-28s %10s %10s %7s %7s %9s %9s %9s  %s\n", "", "memory", "then", "polls", "failed", "median", "p99", "max", "responses to the readers")
	for _, p := range []struct {
		name  string
		loads int
		load  func(context.Context) int
	}{
		{"baseline: no readers", 0, nil},
		{fmt.Sprintf("%d readers", readers), readers, func(ctx context.Context) int { return acme.status(ctx, path, 0) }},
		{fmt.Sprintf("%d readers at %d KB/s", readers, slow>>10), readers, func(ctx context.Context) int { return acme.status(ctx, path, slow) }},
		{fmt.Sprintf("%d clients that hang up", hangUps), hangUps, func(ctx context.Context) int { return acme.hangUp(ctx, path) }},
	} {
		s.phase(ctx, globex, small, p.name, p.loads, phase, p.load)
	}
	return nil
}

// phase runs n loads repeatedly for the duration, polls at the same time, and prints a
// line about the polls.
func (s *server) phase(ctx context.Context, poller *client, txID, name string, n int, duration time.Duration, load func(context.Context) int) {
	s.resetPeak()
	loading, stop := context.WithTimeout(ctx, duration)
	defer stop()
	var running sync.WaitGroup
	var mu sync.Mutex
	statuses, polls := map[int]int{}, []time.Duration{}
	failed := 0
	for range n {
		running.Go(func() {
			for loading.Err() == nil {
				status := load(loading)
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				if status == http.StatusServiceUnavailable {
					select { // as Retry-After asks for
					case <-loading.Done():
					case <-time.After(time.Second):
					}
				}
			}
		})
	}
	for range pollers {
		running.Go(func() {
			for loading.Err() == nil {
				begun := time.Now()
				_, status, err := poller.read(ctx, "/universal/v2/universal-submit/status/"+txID, 0)
				mu.Lock()
				polls = append(polls, time.Since(begun))
				if err != nil || status != http.StatusOK {
					failed++
				}
				mu.Unlock()
				time.Sleep(pollPause)
			}
		})
	}
	running.Wait()
	peak := s.peak()
	time.Sleep(3 * time.Second)
	slices.Sort(polls)
	fmt.Printf("%-28s %7d MB %7d MB %7d %7d %9s %9s %9s  %v\n", name, peak>>20, s.memory()>>20, len(polls), failed,
		percentile(polls, 50), percentile(polls, 99), percentile(polls, 100), statuses)
}

// percentile returns a percentile of the sorted values, rounded to 100 µs.
func percentile(sorted []time.Duration, percent int) time.Duration {
	return sorted[max(len(sorted)*percent/100-1, 0)].Round(100 * time.Microsecond)
}
