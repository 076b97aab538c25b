// Command bench measures webhook deliveries end to end, from an event's commit
// to its signature verified at a loopback sink, beside the same work done by
// riverqueue/river and by a dispatcher that posts from memory. All three use the
// server's own sender, so that what differs is the queue.
//
//	cd bench && go run .
//
// It is a module of its own, so that the server does not depend on River. It
// starts its own Postgres with durable commits in a temporary directory, runs
// the three in turn, several rounds, and prints medians and their ratios; then
// the time from commit to first byte at a steady rate. About a minute in all.
// The CPU time that each delivery takes, of this process (sink included) and
// Postgres together, is printed beside: it tells on a machine that is busy.
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

	"understudy.example/internal/storage"
)

// environment is the one whose schema the benchmark's tables are in.
const environment = "bench"

// secret signs all deliveries.
const secret = "a secret that both sides know"

// workers is how many deliveries each contender sends at once: eight to the
// receiver of each of eight subscriptions.
const (
	subscriptions = 8
	workers       = 8 * subscriptions
	publication   = 500 // events in one transaction
)

// contender delivers n events and returns when the sink has verified them all.
type contender struct {
	name string
	run  func(ctx context.Context, n int) (time.Duration, error)
}

func main() {
	events := flag.Int("events", 20_000, "deliveries in a run")
	rounds := flag.Int("rounds", 5, "runs of each")
	rate := flag.Int("rate", 200, "events per second when measuring latency")
	latency := flag.Duration("latency", 15*time.Second, "how long to measure latency")
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := run(ctx, *events, *rounds, *rate, *latency); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, events, rounds, rate int, latency time.Duration) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // Postgres may run as another user
		return err
	}
	postgres, err := storage.StartPostgres(ctx, dir, slog.Default())
	if err != nil {
		return err
	}
	defer postgres.Stop()
	db, err := storage.Open(ctx, postgres.URL(), environment)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := storage.Migrate(ctx, db, environment); err != nil {
		return err
	}
	to := newSink()
	defer to.Close()
	ours, err := newOurs(ctx, db, to)
	if err != nil {
		return err
	}
	theirs, err := newRiver(ctx, db, to)
	if err != nil {
		return err
	}
	contenders := []contender{{"understudy", ours.run}, {"river", theirs.run}, {"memory", memory(to)}}

	fmt.Printf("%d deliveries a run, %d at once, %d rounds\n\n", events, workers, rounds)
	rates, costs := make([][]float64, len(contenders)), make([][]float64, len(contenders))
	for round := range rounds + 1 { // the first warms up
		fmt.Printf("round %d", round)
		for i := range contenders {
			c := (i + round) % len(contenders) // each goes first in turn
			before := cpu()
			took, err := contenders[c].run(ctx, events)
			cost := float64((cpu() - before).Microseconds()) / float64(events)
			if err != nil {
				return fmt.Errorf("%s: %w", contenders[c].name, err)
			}
			perSecond := float64(events) / took.Seconds()
			fmt.Printf("  %s %.0f/s %.0f µs", contenders[c].name, perSecond, cost)
			if round > 0 {
				rates[c], costs[c] = append(rates[c], perSecond), append(costs[c], cost)
			}
		}
		fmt.Println()
	}
	fmt.Println()
	for i, c := range contenders {
		fmt.Printf("%-11s median %6.0f deliveries/s, %4.0f µs of CPU each\n", c.name, median(rates[i]), median(costs[i]))
	}
	fmt.Printf("\nunderstudy / river  %.2f (goal 1.5), by CPU %.2f\nunderstudy / memory %.2f (goal 0.5), by CPU %.2f\n",
		ratio(rates[0], rates[1]), ratio(costs[1], costs[0]), ratio(rates[0], rates[2]), ratio(costs[2], costs[0]))

	waits, err := ours.latency(ctx, rate, latency)
	if err != nil {
		return err
	}
	slices.Sort(waits)
	fmt.Printf("\ncommit to first byte at %d events/s, %d events: median %s, p95 %s (goal 20ms), p99 %s, most %s\n",
		rate, len(waits), at(waits, 50), at(waits, 95), at(waits, 99), at(waits, 100))
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// ratio is the median of the rounds' ratios.
func ratio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

// at is the percentile of sorted waits.
func at(waits []time.Duration, percent int) time.Duration {
	return waits[max(len(waits)*percent/100-1, 0)].Round(10 * time.Microsecond)
}
