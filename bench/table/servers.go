package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// servers compares one server with three that share its database and its files. All run on
// the same machine, so the comparison shows how much CPU time further servers cost,
// and not how much throughput they add.
func servers(ctx context.Context, m *machine) error {
	c, txID, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	if err := c.control(ctx, http.MethodPatch, "/settings", `{"pacing":{"mode":"immediate"}}`); err != nil {
		return err
	}
	defer c.control(context.WithoutCancel(ctx), http.MethodPatch, "/settings", `{"pacing":{"mode":"timed"}}`)
	alone, err := m.idleDatabase(ctx)
	if err != nil {
		return err
	}
	all := []*process{m.server}
	for n := 2; n <= 3; n++ {
		p, err := startProcess(m.dir, exec.CommandContext(ctx, m.binary, "--database-url", m.databaseURL, "--data-dir", filepath.Join(m.dir, "data-"+strconv.Itoa(n)),
			"--objects-url", "file://"+filepath.Join(m.dir, "data", "objects"), "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0"), serverReady)
		if err != nil {
			return err
		}
		defer p.stop()
		all = append(all, p)
	}
	together, err := m.idleDatabase(ctx)
	if err != nil {
		return err
	}

	call := m.callOf("one server", c, "/universal/v2/universal-submit/status/"+txID)
	shared := call
	shared.name, shared.processes = "three servers", nil
	for _, p := range all {
		shared.processes = append(shared.processes, p.endpoints()...)
	}
	compared, err := m.compare(ctx, call, shared)
	if err != nil {
		return err
	}
	m.printf("\nStatus calls:\n")
	m.print(compared)

	m.printf("\n| Submissions with 8 clients | submissions/s | CPU of PostgreSQL, ms | CPU of PostgreSQL when idle, ms/s |\n|---|---|---|---|\n")
	rates, costs := make([][]float64, 2), make([][]float64, 2)
	for round := range max(m.rounds/2, 1) + 1 {
		for i, processes := range [][]*process{all[:1], all} {
			rate, cost, err := m.submitTo(ctx, processes)
			if err != nil {
				return err
			}
			if round > 0 {
				rates[i], costs[i] = append(rates[i], rate), append(costs[i], cost)
			}
		}
	}
	for i, name := range []string{"one server", "three servers"} {
		m.printf("| %s | %s | %s | %.0f |\n", name, spread(rates[i], 0), spread(costs[i], 1), []float64{alone, together}[i])
	}
	return nil
}

// submitTo submits the letter with eight clients to the servers, and returns the
// submissions per second and the CPU time of PostgreSQL for each in ms.
func (m *machine) submitTo(ctx context.Context, processes []*process) (rate, database float64, err error) {
	var clients []*client
	for _, p := range processes {
		c, err := login(ctx, p)
		if err != nil {
			return 0, 0, err
		}
		clients = append(clients, c)
		if _, _, err := c.submit(ctx, "letter.txt", []byte(letter)); err != nil { // starts the parsers
			return 0, 0, fmt.Errorf("first submission: %w", err)
		}
	}
	const each = 24
	before, begun := cpuTime(m.database.pid()), time.Now()
	err = concurrently(connections, func(i int) (err error) {
		for n := 0; n < each && err == nil; n++ {
			_, _, err = clients[(i+n)%len(clients)].submit(ctx, "letter.txt", []byte(letter))
		}
		return err
	})
	rate = connections * each / time.Since(begun).Seconds()
	return rate, (cpuTime(m.database.pid()) - before).Seconds() * 1000 / (connections * each), err
}

// idleDatabase returns the CPU time of PostgreSQL in ms per second while no calls are made.
func (m *machine) idleDatabase(ctx context.Context) (float64, error) {
	const wait = 5 * time.Second
	before := cpuTime(m.database.pid())
	select {
	case <-time.After(wait):
		return (cpuTime(m.database.pid()) - before).Seconds() * 1000 / wait.Seconds(), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
