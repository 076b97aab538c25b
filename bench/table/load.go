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
	name    string
	address string
	pid     int    // of the process that responds
	request []byte // the whole request
	status  string // wanted, such as "200"
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
	server, database := cpuTime(t.pid), cpuTime(m.database.pid())
	begun := time.Now()
	var requests atomic.Int64
	var running sync.WaitGroup
	failed := make(chan error, connections)
	for range connections {
		running.Go(func() {
			n, err := t.send(ctx, begun.Add(m.duration))
			requests.Add(int64(n))
			if err != nil {
				failed <- fmt.Errorf("%s: %w", t.name, err)
			}
		})
	}
	running.Wait()
	took := time.Since(begun)
	if t.pid == m.server.pid() {
		time.Sleep(600 * time.Millisecond) // until the journal has been written, which is part of the cost of the calls
	}
	select {
	case err := <-failed:
		return cost{}, err
	default:
	}
	each := func(used time.Duration) float64 { return float64(used.Microseconds()) / float64(requests.Load()) }
	return cost{float64(requests.Load()) / took.Seconds(), each(cpuTime(t.pid) - server), each(cpuTime(m.database.pid()) - database)}, nil
}

// send sends the request over one connection until the given time, and returns the number
// of requests.
func (t target) send(ctx context.Context, until time.Time) (n int, err error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", t.address)
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
// round is a warm-up.
func (m *machine) compare(ctx context.Context, targets ...target) (compared, error) {
	c := compared{targets, make([][]cost, len(targets))}
	for round := range m.rounds + 1 {
		for i := range targets {
			at := (i + round) % len(targets)
			measured, err := m.run(ctx, targets[at])
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
func (c compared) print() {
	fmt.Println("\n| | requests/s | of the first | CPU of the server, µs | CPU of PostgreSQL, µs |")
	fmt.Println("|---|---|---|---|---|")
	for i, t := range c.targets {
		rates := each(c.costs[i], func(c cost) float64 { return c.rate })
		fmt.Printf("| %s | %s | %s | %s | %s |\n", t.name, spread(rates, 0), spread(c.ratios(i, 0), 2),
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

func each(costs []cost, value func(cost) float64) []float64 {
	values := make([]float64, len(costs))
	for i, c := range costs {
		values[i] = value(c)
	}
	return values
}

// spread returns the median and, in parentheses, the quartiles.
func spread(values []float64, decimals int) string {
	if len(values) == 0 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(values))
	quantile := func(share float64) string {
		return strconv.FormatFloat(sorted[int(share*float64(len(sorted)-1)+0.5)], 'f', decimals, 64)
	}
	return fmt.Sprintf("%s (%s–%s)", quantile(0.5), quantile(0.25), quantile(0.75))
}
