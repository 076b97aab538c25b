package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
)

// bareTarget returns the bare status handler for the submission.
func (m *machine) bareTarget(txID string) target {
	return target{"bare: chi, HS256, one select", m.bare.address(), m.bare.pid(), get("/status/"+txID, "Authorization: Bearer "+m.bareToken), "200"}
}

func (m *machine) staticTarget() target {
	return target{"static handler", m.bare.address(), m.bare.pid(), get("/static"), "200"}
}

// letter is the text that the rows submit.
const letter = `Please quote for our client Acme Bakery LLC, 12 Main Street, Springfield, IL 62701, USA.
Website: www.acme-bakery.example. Annual revenue: USD 4,500,000. Employees: 42. Business description: wholesale bakery.
Building value: USD 2,000,000. Contents: USD 750,000. Policy period: 01/01/2027 to 01/01/2028.
`

// submitted submits the letter of the examples and waits until it is completed.
func (m *machine) submitted(ctx context.Context) (*client, string, error) {
	c, err := m.login(ctx)
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
	targets := []target{m.bareTarget(txID), m.staticTarget(), {"status", m.server.address(), m.server.pid(), get(path, c.headers()...), "200"}}
	others, stop, err := m.startPeers(ctx)
	defer stop()
	if err != nil {
		return err
	}
	compared, err := m.compare(ctx, append(targets, others...)...)
	if err != nil {
		return err
	}
	compared.print()
	for i := range others {
		fmt.Printf("\nstatus / %s: %s times the requests/s\n", others[i].name, spread(compared.ratios(2, len(targets)+i), 2))
	}
	return nil
}

// journal runs the benchmark of the package, which compares status calls with and without
// the journal in one process.
func journal(ctx context.Context, _ *machine) error {
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
	fmt.Printf("\n%s µs of CPU per status call, PostgreSQL included: %s times the call without the journal.\n", found[2], found[1])
	return nil
}

// company compares an inquiry for company data with a bare handler.
func company(ctx context.Context, m *machine) error {
	c, txID, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	path := "/data/v2/acme-us-c0001/" + txID + "?idType=transaction"
	compared, err := m.compare(ctx, m.bareTarget(txID),
		target{"data v2 company", m.server.address(), m.server.pid(), get(path, c.headers()...), "200"})
	if err != nil {
		return err
	}
	compared.print()
	return nil
}
