package main

import "context"

// bareTargets returns the static handler and the bare status handler for the submission.
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

// status compares a status call of a completed submission.
func status(ctx context.Context, m *machine) error {
	c, txID, err := m.submitted(ctx)
	if err != nil {
		return err
	}
	path := "/universal/v2/universal-submit/status/" + txID
	targets := []target{m.bareTarget(txID), m.staticTarget(), {"status", m.server.address(), m.server.pid(), get(path, c.headers()...), "200"}}
	compared, err := m.compare(ctx, targets...)
	if err != nil {
		return err
	}
	compared.print()
	return nil
}

// company compares an inquiry for company data.
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
