package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// target is something that a request is sent to.
type target struct {
	name      string
	processes []endpoint // that respond; the connections are distributed among them
	request   []byte     // the whole request
	status    string     // wanted, such as "200"
	journal   bool       // the processes write to the journal afterwards
	peer      bool       // a server of another project: lost connections are replaced, and its failure does not end the benchmark
}

// endpoint is a process that listens.
type endpoint struct {
	address string
	pid     int
}

func (t target) cpuTime() (total time.Duration) {
	for _, p := range t.processes {
		total += cpuTime(p.pid)
	}
	return total
}

// get returns a request without a body, with headers as lines.
func get(path string, headers ...string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\n" + strings.Join(append(headers, ""), "\r\n") + "\r\n")
}

// cost is the result of one run.
type cost struct {
	rate     float64 // requests per second
	server   float64 // CPU of the process in µs per request
	database float64 // CPU of PostgreSQL in µs per request
}

const connections = 8

// run sends the request over several connections, one after the other on each, for the
// machine's duration.
func (m *machine) run(ctx context.Context, t target) (cost, error) {
	server, database := t.cpuTime(), cpuTime(m.database.pid())
	begun := time.Now()
	var requests atomic.Int64
	var running sync.WaitGroup
	failed := make(chan error, connections)
	for i := range connections {
		running.Go(func() {
			until := begun.Add(m.duration)
			address := t.processes[i%len(t.processes)].address
			n, err := t.send(ctx, address, until)
			for t.peer && err != nil && n > 0 && time.Now().Before(until) {
				var more int
				more, err = t.send(ctx, address, until)
				n += more
			}
			requests.Add(int64(n))
			if err != nil && (!t.peer || n == 0) {
				failed <- fmt.Errorf("%s: %w", t.name, err)
			}
		})
	}
	running.Wait()
	took := time.Since(begun)
	if t.journal {
		time.Sleep(600 * time.Millisecond) // until the journal has been written, which is part of the cost of the calls
	}
	select {
	case err := <-failed:
		return cost{}, err
	default:
	}
	each := func(used time.Duration) float64 { return float64(used.Microseconds()) / float64(requests.Load()) }
	return cost{float64(requests.Load()) / took.Seconds(), each(t.cpuTime() - server), each(cpuTime(m.database.pid()) - database)}, nil
}

// send sends the request over one connection until the given time, and returns the number
// of requests.
func (t target) send(ctx context.Context, address string, until time.Time) (n int, err error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	connection.SetDeadline(until.Add(20 * time.Second))
	responses := bufio.NewReaderSize(connection, 16<<10)
	for ; time.Now().Before(until); n++ {
		if _, err := connection.Write(t.request); err != nil {
			return n, err
		}
		if err := t.readResponse(responses); err != nil {
			return n, err
		}
	}
	return n, nil
}

// readResponse reads a response. net/http would take more CPU than some of the servers.
func (t target) readResponse(from *bufio.Reader) error {
	length, chunked := -1, false
	for first := true; ; first = false {
		line, err := from.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && (len(line) < 12 || string(line[9:12]) != t.status) {
			rest, _ := from.Peek(min(from.Buffered(), 1000))
			return fmt.Errorf("response %s%s", line, rest)
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			if chunked {
				return discardChunks(from)
			}
			_, err := from.Discard(max(length, 0))
			return err
		case bytes.EqualFold(name, []byte("Content-Length")):
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
}

func discardChunks(from *bufio.Reader) error {
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, from, size+2); err != nil || size == 0 {
			return err
		}
	}
}

// compared holds the costs of several targets, by target and round.
type compared struct {
	targets []target
	costs   [][]cost
}

// compare runs the targets alternately, each round beginning with another one. The first
// round is a warm-up. A peer that fails has no costs.
func (m *machine) compare(ctx context.Context, targets ...target) (compared, error) {
	c := compared{targets, make([][]cost, len(targets))}
	failed := make([]bool, len(targets))
	for round := range m.rounds + 1 {
		for i := range targets {
			at := (i + round) % len(targets)
			if failed[at] {
				continue
			}
			measured, err := m.run(ctx, targets[at])
			if err != nil && targets[at].peer && ctx.Err() == nil {
				m.printf("\n%s failed: %v\n", targets[at].name, err)
				failed[at], c.costs[at] = true, nil
				continue
			}
			if err != nil {
				return c, err
			}
			if round > 0 {
				c.costs[at] = append(c.costs[at], measured)
			}
		}
	}
	return c, nil
}

// print prints a table with a line for each target. Ratios are to the first one.
func (m *machine) print(c compared) {
	m.printf("\n| | requests/s | of the first | CPU of the server, µs | CPU of PostgreSQL, µs |\n|---|---|---|---|---|\n")
	for i, t := range c.targets {
		rates := each(c.costs[i], func(c cost) float64 { return c.rate })
		m.printf("| %s | %s | %s | %s | %s |\n", t.name, spread(rates, 0), spread(c.ratios(i, 0), 2),
			spread(each(c.costs[i], func(c cost) float64 { return c.server }), 0),
			spread(each(c.costs[i], func(c cost) float64 { return c.database }), 0))
	}
}

// ratios returns the rates of a target, in each round divided by those of another.
func (c compared) ratios(target, to int) []float64 {
	ratios := make([]float64, len(c.costs[target]))
	for round := range ratios {
		ratios[round] = c.costs[target][round].rate / c.costs[to][round].rate
	}
	return ratios
}

// cpuRatios returns, for each round, the CPU time of a target, PostgreSQL included, divided
// by the CPU time of another target's processes.
func (c compared) cpuRatios(target, to int) []float64 {
	ratios := make([]float64, len(c.costs[target]))
	for round, used := range c.costs[target] {
		ratios[round] = (used.server + used.database) / c.costs[to][round].server
	}
	return ratios
}

func each(costs []cost, value func(cost) float64) []float64 {
	values := make([]float64, len(costs))
	for i, c := range costs {
		values[i] = value(c)
	}
	return values
}

// spread returns the median and, in parentheses, the quartiles.
func spread(values []float64, decimals int) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return strconv.FormatFloat(values[0], 'f', decimals, 64)
	}
	at := func(share float64) string { return strconv.FormatFloat(quantile(values, share), 'f', decimals, 64) }
	return fmt.Sprintf("%s (%s–%s)", at(0.5), at(0.25), at(0.75))
}

// quantile returns the value below which the given share of the values lies.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(share*float64(len(sorted)-1)+0.5)]
}
