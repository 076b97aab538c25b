// Command bench measures webhook deliveries end to end, from the commit of an
// event to the verification of its signature by a receiver on the loopback
// interface. It compares the server's queue with riverqueue/river and with a
// dispatcher that sends from memory. All three use the server's own sender, so
// they differ in the queue only.
//
//	cd bench && go run .
//
// It is a module of its own, so that the server does not depend on River. It
// starts its own Postgres with durable commits in a temporary directory, runs
// the three candidates alternately for several rounds, and prints the medians
// and their ratios. Then it measures the time from commit to first byte at a
// steady rate. The whole benchmark takes about a minute.
//
// It also prints the CPU time per delivery, of this process (including the
// receivers) and Postgres together, which allows a comparison even on a busy
// machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"time"

	"understudy.example/internal/postgres"
	"understudy.example/internal/storage"
)

// environment is the environment whose schema contains the benchmark's tables.
const environment = "bench"

// secret signs all deliveries.
const secret = "a secret that both sides know"

const (
	subscriptions = 8
	workers       = 8 * subscriptions // deliveries in flight at once
	batchSize     = 500               // events published in one transaction
)

// candidate is an implementation to measure. Its run function delivers n events
// and returns how long it took until the receivers had verified them all.
type candidate struct {
	name string
	run  func(ctx context.Context, n int) (time.Duration, error)
}

func main() {
	events := flag.Int("events", 20_000, "number of deliveries per run")
	rounds := flag.Int("rounds", 5, "number of runs of each candidate")
	rate := flag.Int("rate", 200, "events per second when measuring latency")
	latency := flag.Duration("latency", 15*time.Second, "duration of the latency measurement")
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := runBenchmark(ctx, *events, *rounds, *rate, *latency); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func runBenchmark(ctx context.Context, events, rounds, rate int, latency time.Duration) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // Postgres may run as another user
		return err
	}
	private, err := postgres.Start(ctx, dir, slog.Default())
	if err != nil {
		return err
	}
	defer private.Stop()
	db, err := storage.Open(ctx, private.URL(), environment)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := storage.Migrate(ctx, db, environment); err != nil {
		return err
	}
	receivers := newReceivers()
	defer receivers.Close()
	understudy, err := newUnderstudyQueue(ctx, db, receivers)
	if err != nil {
		return err
	}
	river, err := newRiverQueue(ctx, db, receivers)
	if err != nil {
		return err
	}
	candidates := []candidate{{"understudy", understudy.run}, {"river", river.run}, {"memory", runMemory(receivers)}}

	fmt.Printf("%d deliveries per run, %d in flight, %d rounds\n\n", events, workers, rounds)
	rates, costs := make([][]float64, len(candidates)), make([][]float64, len(candidates))
	for round := range rounds + 1 { // round 0 is a warm-up
		fmt.Printf("round %d", round)
		for i := range candidates {
			c := (i + round) % len(candidates) // a different candidate goes first in each round
			before := cpuTime()
			elapsed, err := candidates[c].run(ctx, events)
			cost := float64((cpuTime() - before).Microseconds()) / float64(events)
			if err != nil {
				return fmt.Errorf("%s: %w", candidates[c].name, err)
			}
			perSecond := float64(events) / elapsed.Seconds()
			fmt.Printf("  %s %.0f/s %.0f µs", candidates[c].name, perSecond, cost)
			if round > 0 {
				rates[c], costs[c] = append(rates[c], perSecond), append(costs[c], cost)
			}
		}
		fmt.Println()
	}
	fmt.Println()
	for i, c := range candidates {
		fmt.Printf("%-11s median %6.0f deliveries/s, %4.0f µs of CPU per delivery\n", c.name, median(rates[i]), median(costs[i]))
	}
	fmt.Printf("\nunderstudy / river:  %.2f times the deliveries/s (goal 1.5), %.2f times by CPU\nunderstudy / memory: %.2f times the deliveries/s (goal 0.5), %.2f times by CPU\n",
		ratio(rates[0], rates[1]), ratio(costs[1], costs[0]), ratio(rates[0], rates[2]), ratio(costs[2], costs[0]))

	latencies, err := understudy.measureLatency(ctx, rate, latency)
	if err != nil {
		return err
	}
	slices.Sort(latencies)
	fmt.Printf("\ncommit to first byte at %d events/s, %d events: median %s, p95 %s (goal 20ms), p99 %s, max %s\n",
		rate, len(latencies), percentile(latencies, 50), percentile(latencies, 95), percentile(latencies, 99), percentile(latencies, 100))
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// ratio returns the median of the ratios a/b of each round.
func ratio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

// percentile returns a percentile of the sorted values, rounded to 10 µs.
func percentile(sorted []time.Duration, percent int) time.Duration {
	return sorted[max(len(sorted)*percent/100-1, 0)].Round(10 * time.Microsecond)
}
