package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// bareTarget returns the bare status handler for the submission.
func (m *machine) bareTarget(txID string) target {
	return target{name: "bare: chi, HS256, one select", processes: m.bare.endpoints(), request: get("/status/"+txID, "Authorization: Bearer "+m.bareToken), status: "200"}
}

func (m *machine) staticTarget() target {
	return target{name: "static handler", processes: m.bare.endpoints(), request: get("/static"), status: "200"}
}

// callOf returns a call of the server with the client's credentials.
func (m *machine) callOf(name string, c *client, path string) target {
	return target{name: name, processes: m.server.endpoints(), request: get(path, c.headers()...), status: "200", journal: true}
}

// letter is the text that the rows submit.
const letter = `Please quote for our client Acme Bakery LLC, 12 Main Street, Springfield, IL 62701, USA.
Website: www.acme-bakery.example. Annual revenue: USD 4,500,000. Employees: 42. Business description: wholesale bakery.
Building value: USD 2,000,000. Contents: USD 750,000. Policy period: 01/01/2027 to 01/01/2028.
`

// submitted submits the letter of the examples and waits until it is completed.
func (m *machine) submitted(ctx context.Context) (*client, string, error) {
	c, err := login(ctx, m.server)
	if err != nil {
		return nil, "", err
	}
	txID, _, err := c.submit(ctx, "letter.txt", []byte(letter))
	return c, txID, err
}

// status compares a status call of a completed submission with bare handlers and other
// servers.
func status(ctx context.Context, m *machine) error {
	c, txID, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	path := "/universal/v2/universal-submit/status/" + txID
	targets := []target{m.bareTarget(txID), m.staticTarget(), m.callOf("status", c, path)}
	others, goals, stop, err := m.startPeers(ctx)
	defer stop()
	if err != nil {
		return err
	}
	compared, err := m.compare(ctx, append(targets, others...)...)
	if err != nil {
		return err
	}
	m.print(compared)
	m.atLeast(0.8, "status, requests/s in proportion to bare", compared.ratios(2, 0), 2)
	m.atMost(9, "status, CPU time in proportion to a static handler, PostgreSQL included", compared.cpuRatios(2, 1), 1)
	for i, goal := range goals {
		if ratios := compared.ratios(2, len(targets)+i); len(ratios) > 0 {
			m.atLeast(goal, "status, requests/s in proportion to "+others[i].name, ratios, 2)
		}
	}
	return nil
}

// journal runs the benchmark of the package, which compares status calls with and without
// the journal in one process.
func journal(ctx context.Context, m *machine) error {
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkJournal$", "-benchtime", "1x", "./internal/journal")
	command.Dir = ".."
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	found := regexp.MustCompile(`(\S+) ratio\s+(\S+) µs-added/call`).FindSubmatch(output)
	if found == nil {
		return fmt.Errorf("no result in %s", output)
	}
	m.printf("\nA status call with the journal takes %s times the CPU time of one without, PostgreSQL included.\n", found[1])
	added, err := strconv.ParseFloat(string(found[2]), 64)
	m.atMost(12, "journal, µs of CPU a call, PostgreSQL included", []float64{added}, 0)
	return err
}

// company compares an inquiry for company data with a bare handler.
func company(ctx context.Context, m *machine) error {
	c, txID, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	path := "/data/v2/acme-us-c0001/" + txID + "?idType=transaction"
	compared, err := m.compare(ctx, m.bareTarget(txID), m.callOf("data v2 company", c, path))
	if err != nil {
		return err
	}
	m.print(compared)
	m.atLeast(0.65, "inquiry, requests/s in proportion to bare", compared.ratios(1, 0), 2)
	return nil
}

// deliveries runs the benchmark of webhook deliveries, which compares the server's queue
// with River and with a dispatcher that sends from memory.
func deliveries(ctx context.Context, m *machine) error {
	output, err := exec.CommandContext(ctx, "go", "run", ".", "-rounds", strconv.Itoa(min(m.rounds, 4)), "-latency", "5s").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	found := regexp.MustCompile(`(?s)understudy / river: +(\S+) times the deliveries/s.*?(\S+) times by CPU.*understudy / memory: +(\S+) times the deliveries/s.*?(\S+) times by CPU.*median (\S+), p95 (\S+)`).FindSubmatch(output)
	if found == nil {
		return fmt.Errorf("no result in %s", output)
	}
	m.printf("\n| Understudy in proportion to | deliveries/s | deliveries per CPU time |\n|---|---|---|\n| River | %s | %s |\n| a dispatcher that sends from memory | %s | %s |\n", found[1], found[2], found[3], found[4])
	m.printf("\nAt 200 events per second, the time from the commit of an event to the first byte of its delivery is %s (median) and %s (95th percentile).\n", found[5], found[6])
	ratio, err := strconv.ParseFloat(string(found[1]), 64)
	m.atLeast(2, "deliveries/s in proportion to River", []float64{ratio}, 2)
	return err
}
